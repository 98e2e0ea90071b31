import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import {
  type AuthContext,
  type RawPackets,
  rawPacketsOf,
  type ServerChannel,
  ssh2,
} from '@sallyport/ssh';

/** Host key of all servers of a worker. */
const { privateKey: HOST_KEY } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** An SSH server whose misbehavior a test defines. Accepts every sign-in by default. */
export interface HostileServer {
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts a server on loopback. `shell` handles each terminal, `exec` each command, and `accepts`
 * decides on sign-ins.
 */
export async function startHostileServer(
  shell: (channel: ServerChannel, packets: RawPackets) => void,
  exec?: (command: string, channel: ServerChannel) => void,
  accepts: (context: AuthContext) => boolean = () => true,
): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const server = new ssh2.Server({ hostKeys: [HOST_KEY] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) =>
      accepts(context) ? context.accept() : context.reject(),
    );
    client.on('session', (accept) => {
      const session = accept();
      session.on('pty', (allow) => allow?.());
      session.on('window-change', (allow) => allow?.());
      session.on('exec', (open, refuse, { command }) => {
        if (exec) exec(command, open());
        else refuse();
      });
      session.on('shell', (open) => {
        const channel = open();
        channel.on('error', () => undefined);
        shell(channel, rawPacketsOf(client, channel));
      });
    });
  });
  const listener = createServer((socket) => {
    sockets.add(socket);
    server.injectSocket(socket);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  return {
    host: '127.0.0.1',
    port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => listener.close(() => done()));
    },
  };
}

/** Sends packets at full speed until the connection closes or `until` returns true. */
export function flood(
  packets: RawPackets,
  send: () => boolean,
  until: () => boolean = () => false,
): void {
  const more = () => {
    for (let turn = 0; turn < 256 && !packets.isFull; turn++) if (until() || !send()) return;
    setImmediate(more);
  };
  more();
}
