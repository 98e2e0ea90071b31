import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { generateSshKeyPair } from '../keys.ts';
import {
  type Client,
  type ConnectConfig,
  type Connection,
  type ServerChannel,
  ssh2,
} from '../ssh2.ts';

/** A client and the server's side of its connection, over a socket on loopback. */
export interface Pair {
  readonly client: Client;
  readonly connection: Connection;
  /** The server's side of the first shell. */
  readonly shell: Promise<ServerChannel>;
  close(): void;
}

type KeepAlive = Pick<ConnectConfig, 'keepaliveInterval' | 'keepaliveCountMax'>;

/** Connects a client to a server that accepts every sign-in. `onShell` handles each terminal. */
export async function connectPair(
  onShell: (channel: ServerChannel) => void,
  keepalive: { readonly client?: KeepAlive; readonly server?: KeepAlive } = {},
): Promise<Pair> {
  const accepted = Promise.withResolvers<Connection>();
  const shell = Promise.withResolvers<ServerChannel>();
  const hostKeys = [generateSshKeyPair('test').private];
  const server = new ssh2.Server({ hostKeys, ...keepalive.server }, (side) => {
    side.on('error', () => undefined);
    side.on('authentication', (context) => context.accept());
    side.on('session', (accept) => {
      const session = accept();
      session.on('pty', (allow) => allow?.());
      session.on('shell', (open) => {
        const channel = open();
        channel.on('error', () => undefined);
        shell.resolve(channel);
        onShell(channel);
      });
    });
    accepted.resolve(side);
  });
  let socket: Socket | undefined;
  const listener = createServer((connected) => {
    socket = connected;
    server.injectSocket(connected);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const client = new ssh2.Client();
  client.connect({ host: '127.0.0.1', port: address.port, username: 'a', ...keepalive.client });
  await once(client, 'ready');
  client.on('error', () => undefined);
  return {
    client,
    connection: await accepted.promise,
    shell: shell.promise,
    close: () => {
      socket?.destroy();
      client.end();
      listener.close();
    },
  };
}
