import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A TCP server that runs for one test. */
export interface TestDevice {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a device whose conversation a test defines. */
export async function startDevice(talk: (socket: Socket) => void): Promise<TestDevice> {
  return listenForTest((socket) => {
    socket.on('error', () => undefined);
    talk(socket.resume());
  });
}

/** Listens on a free loopback port; `take` receives each connection paused. */
export async function listenForTest(take: (socket: Socket) => void): Promise<TestDevice> {
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    take(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
