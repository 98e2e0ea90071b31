import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { generateSshKeyPair, ssh2 } from '@sallyport/ssh';
import type { LightTarget } from './light-target.ts';

/** Interval between two lines of a shell. */
export const LINE_MILLISECONDS = 500;

/**
 * Starts an SSH server in this process whose shells write numbered lines, `line 1` and so on, so
 * that a client sees whether one is missing. It accepts every key.
 */
export async function startCountingTarget(): Promise<LightTarget> {
  const hostKeys = [generateSshKeyPair('counting target').private];
  const target = new ssh2.Server(
    { hostKeys, algorithms: { kex: ['curve25519-sha256'] } },
    (connection) => {
      connection.on('error', () => undefined);
      connection.on('authentication', (attempt) => {
        if (attempt.method === 'publickey') attempt.accept();
        else attempt.reject(['publickey']);
      });
      connection.on('session', (accept) => {
        const session = accept();
        session.on('pty', (acceptTerminal) => acceptTerminal?.());
        session.on('shell', (acceptShell) => {
          const channel = acceptShell();
          let line = 0;
          const timer = setInterval(() => {
            line += 1;
            channel.write(`line ${line}\r\n`);
          }, LINE_MILLISECONDS);
          channel.on('error', () => undefined);
          channel.once('close', () => clearInterval(timer));
        });
      });
    },
  );
  const server = createServer({ noDelay: true }, (socket) => target.injectSocket(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    username: 'counting',
    privateKey: generateSshKeyPair('counting account').private,
    stop: () => new Promise((done) => server.close(() => done())),
  };
}
