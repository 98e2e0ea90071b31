import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can cut connections to its target. */
export interface CuttingProxy {
  readonly port: number;
  /** Closes all connections, and every new one at once. */
  cut(): void;
  /** Forwards nothing more, and leaves the connections open, as a lost network does. */
  freeze(): void;
  /** Accepts new connections, and forwards nothing of them. */
  ignore(): void;
  /** Forwards connections again. */
  restore(): void;
  stop(): Promise<void>;
}

/** Starts a proxy on a free loopback port, for a port or a Unix socket. */
export async function startCuttingProxy(
  target: { readonly port: number } | { readonly path: string },
): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isIgnored = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (isCut) {
      near.destroy();
      return;
    }
    if (isIgnored) return;
    const far = 'path' in target ? connect(target.path) : connect(target.port, '127.0.0.1');
    keep(far);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    ignore() {
      isIgnored = true;
    },
    restore() {
      isCut = false;
      isIgnored = false;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Splits the address of the tests' database into its Unix socket and an address by port. */
export function throughPort(url: string): {
  readonly path: string;
  readonly at: (port: number) => string;
} {
  const parsed = new URL(url);
  const path = `${parsed.searchParams.get('host')}/.s.PGSQL.5432`;
  return {
    path,
    at(port) {
      const changed = new URL(url);
      changed.search = '';
      changed.host = `127.0.0.1:${port}`;
      return changed.href;
    },
  };
}
