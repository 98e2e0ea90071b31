import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy before a service, which can be cut off from it. */
export interface CuttingProxy {
  readonly port: number;
  /** Closes all connections, and every new one at once. */
  cut(): void;
  /** Passes connections on again. */
  restore(): void;
  stop(): Promise<void>;
}

/** Starts one on a free port of loopback, before a port or the path of a Unix socket. */
export async function startCuttingProxy(
  target: { readonly port: number } | { readonly path: string },
): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
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
    restore() {
      isCut = false;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The path of the Unix socket in an address of the tests' database, and the same address through a port. */
export function throughPort(url: string): {
  readonly path: string;
  readonly at: (port: number) => string;
} {
  const given = new URL(url);
  const path = `${given.searchParams.get('host')}/.s.PGSQL.5432`;
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
