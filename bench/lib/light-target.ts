import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { generateSshKeyPair, type Session, ssh2 } from '@sallyport/ssh';

/** An SSH server in this process. */
export interface LightTarget {
  readonly port: number;
  readonly username: string;
  readonly privateKey: string;
  stop(): Promise<void>;
}

/**
 * Starts a target that forks nothing, so that an `sshd` does not take the cores from the bastion.
 * It accepts every key. Commands and shells end at once, unless `onSession` answers them.
 */
export async function startLightTarget(
  onSession: (session: Session) => void = endCommands,
): Promise<LightTarget> {
  const hostKeys = [generateSshKeyPair('light target').private];
  const target = new ssh2.Server(
    { hostKeys, algorithms: { kex: ['curve25519-sha256'] } },
    (connection) => {
      connection.on('error', () => undefined);
      connection.on('authentication', (attempt) => {
        if (attempt.method === 'publickey') attempt.accept();
        else attempt.reject(['publickey']);
      });
      connection.on('session', (accept) => onSession(accept()));
    },
  );
  // The sockets of ssh2 itself delay small packets: an answer would take up to 40 ms.
  const server = createServer({ noDelay: true }, (socket) => target.injectSocket(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    username: 'light',
    privateKey: generateSshKeyPair('light account').private,
    stop: () => new Promise((done) => server.close(() => done())),
  };
}

/** Ends each command at once. */
export function endCommands(session: Session): void {
  session.on('exec', (accept) => {
    const channel = accept();
    channel.exit(0);
    channel.end();
  });
}

/** Interval between two lines of a shell that counts. */
export const LINE_MILLISECONDS = 500;

/**
 * Makes the shell of a session write numbered lines, `line 1` and so on, so that a client sees
 * whether one is missing.
 */
export function countLines(session: Session): void {
  session.on('pty', (accept) => accept?.());
  session.on('shell', (accept) => {
    const channel = accept();
    let line = 0;
    const timer = setInterval(() => {
      line += 1;
      channel.write(`line ${line}\r\n`);
    }, LINE_MILLISECONDS);
    channel.on('error', () => undefined);
    channel.once('close', () => clearInterval(timer));
  });
}

/** A line of a log, written ten times a second. */
const SCROLLED = `${'a line of a log that scrolls, as wide as they are '.repeat(2).slice(0, 78)}\r\n`;
const SCROLL_MILLISECONDS = 100;

/** Makes the shell of a session write ten lines a second. */
export function scrollLines(session: Session): void {
  session.on('pty', (accept) => accept?.());
  session.on('shell', (accept) => {
    const channel = accept();
    const timer = setInterval(() => channel.write(SCROLLED), SCROLL_MILLISECONDS);
    channel.on('error', () => undefined);
    channel.once('close', () => clearInterval(timer));
  });
}

/** Makes the shell of a session write each key back. */
export function echoKeys(session: Session): void {
  session.on('pty', (accept) => accept?.());
  session.on('shell', (accept) => {
    const channel = accept();
    channel.write('ready.');
    channel.on('data', (keys: Buffer) => channel.write(keys));
    channel.on('error', () => undefined);
  });
}
