import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** The session lasts until the user ends it. */
export const SESSION_LASTS = 'session_finished';

/** One way in which a database server misbehaves, and the reasons with which sessions then end. */
export interface HostileDatabase {
  readonly name: string;
  /** Serves one connection. */
  readonly serve: (socket: Socket) => unknown;
  readonly workspace: string;
  /** Reason of a session of a client program. */
  readonly listener?: string;
  /** It sends without end, which the session survives. */
  readonly floods?: boolean;
}

/** A server of one attack on loopback. */
export interface HostileServer {
  readonly port: number;
  /** Bytes that the gateway accepted, over all connections. */
  sent(): number;
  stop(): Promise<void>;
}

export async function startHostileServer(
  serve: (socket: Socket) => unknown,
): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  let ended = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      ended += socket.bytesWritten;
      sockets.delete(socket);
    });
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    sent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, ended),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** Sends bytes again and again, as fast as the gateway reads them, until it closes. */
export function repeat(socket: Socket, bytes: Buffer): void {
  const more = () => {
    for (let turn = 0; turn < 16; turn++) {
      if (socket.destroyed || socket.writableEnded) return;
      if (!socket.write(bytes)) {
        socket.once('drain', more);
        return;
      }
    }
    setImmediate(more);
  };
  more();
}

/** Sends bytes one by one, each in a separate packet, and then calls `done`. */
export function drip(socket: Socket, bytes: Buffer, done: () => void = () => undefined): void {
  let at = 0;
  const more = () => {
    if (socket.destroyed) return;
    if (at === bytes.length) done();
    else socket.write(bytes.subarray(at, ++at), () => setImmediate(more));
  };
  more();
}

/** Reads and answers nothing. */
export function stall(socket: Socket): void {
  socket.resume();
}
