import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { type Connection, generateSshKeyPair, type ServerChannel, ssh2 } from '@sallyport/ssh';
import { isSamePublicKey } from '../../platform/ssh-keys.ts';

const ADDRESS = '127.0.0.1';
const USERNAME = 'canary';
/** The prompt of its shell. */
export const PROMPT = 'canary$ ';
const MAX_LINE = 256;
const MAX_CONNECTIONS = 2;

/** An SSH server in this process, for one canary session. */
export interface CanaryTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** Generated for this server only. */
  readonly password: string;
  /** Returns true if a key in SSH wire format is this server's host key. */
  isItsKey(key: Buffer): boolean;
  stop(): Promise<void>;
}

/**
 * Starts a server on a free loopback port with a new key and password. Its shell has only `echo`
 * and `exit`, and no access to the machine.
 */
export async function startCanaryTarget(): Promise<CanaryTarget> {
  const key = generateSshKeyPair('sallyport canary');
  const password = randomBytes(24).toString('base64url');
  const connections = new Set<Connection>();
  const server = new ssh2.Server({ hostKeys: [key.private], ident: 'Canary' }, (connection) => {
    connection.on('error', () => undefined);
    if (connections.size >= MAX_CONNECTIONS) {
      connection.end();
      return;
    }
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    connection.on('authentication', (attempt) => {
      const isRight =
        attempt.method === 'password' &&
        attempt.username === USERNAME &&
        isSame(attempt.password, password);
      if (isRight) attempt.accept();
      else attempt.reject(['password']);
    });
    connection.on('ready', () =>
      connection.on('session', (accept) => {
        const session = accept();
        session.on('pty', (acceptPty) => acceptPty?.());
        session.on('shell', (acceptShell) => serveShell(acceptShell()));
      }),
    );
  });
  server.listen(0, ADDRESS);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the target of the canary has no port');
  return {
    host: ADDRESS,
    port: address.port,
    username: USERNAME,
    password,
    isItsKey: (offered) => isSamePublicKey(key.public, offered),
    async stop() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      for (const connection of connections) connection.end();
      await closed;
    },
  };
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function serveShell(channel: ServerChannel): void {
  let line = '';
  channel.on('error', () => undefined);
  channel.write(PROMPT);
  channel.on('data', (chunk: Buffer) => {
    for (const key of chunk.toString('latin1')) {
      if (key !== '\r') {
        if (line.length < MAX_LINE) {
          line += key;
          channel.write(key);
        }
        continue;
      }
      const [, argument] = /^echo (.*)$/.exec(line) ?? [];
      if (line === 'exit') {
        channel.write('\r\n');
        channel.exit(0);
        channel.end();
        return;
      }
      channel.write(`\r\n${argument === undefined ? '' : `${argument}\r\n`}${PROMPT}`);
      line = '';
    }
  });
}
