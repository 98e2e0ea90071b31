import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on the loopback that is as far from its target as another site. */
export interface DelayingProxy {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts a proxy in front of a Unix socket. Each byte takes `milliseconds` in each direction; bytes
 * on their way do not wait for each other.
 */
export async function startDelayingProxy(
  path: string,
  milliseconds: number,
): Promise<DelayingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(path);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from.setNoDelay(true));
      from.on('data', (bytes) => setTimeout(() => to.write(bytes), milliseconds));
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        setTimeout(() => to.destroy(), milliseconds);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
