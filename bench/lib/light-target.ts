import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { generateSshKeyPair, ssh2 } from '@sallyport/ssh';

/** An SSH server in this process, whose commands and shells end at once. */
export interface LightTarget {
  readonly port: number;
  readonly username: string;
  readonly privateKey: string;
  stop(): Promise<void>;
}

/**
 * Starts a target that forks nothing, so that an `sshd` does not take the cores from the bastion.
 * It accepts every key.
 */
export async function startLightTarget(): Promise<LightTarget> {
  const hostKeys = [generateSshKeyPair('light target').private];
  const target = new ssh2.Server(
    { hostKeys, algorithms: { kex: ['curve25519-sha256'] } },
    (connection) => {
      connection.on('error', () => undefined);
      connection.on('authentication', (attempt) => {
        if (attempt.method === 'publickey') attempt.accept();
        else attempt.reject(['publickey']);
      });
      connection.on('session', (accept) => {
        accept().on('exec', (acceptCommand) => {
          const channel = acceptCommand();
          channel.exit(0);
          channel.end();
        });
      });
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
