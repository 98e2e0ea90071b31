import { WebSocket } from 'ws';
import type { GatewayLog } from '../../ports.ts';

/** Close code "internal error" of RFC 6455, section 7.4.1. */
const INTERNAL = 1011;

/**
 * Serves a socket with code that is loaded on first use. Pauses the socket meanwhile, so call it
 * before reading from the socket.
 */
export function serveWith<Code>(
  socket: WebSocket,
  load: () => Promise<Code>,
  serve: (code: Code) => void,
  log: GatewayLog,
): void {
  socket.pause();
  load()
    .then((code) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.resume();
      serve(code);
    })
    .catch((error: unknown) => {
      log.error({ err: error }, 'a socket could not be served');
      socket.resume();
      socket.close(INTERNAL);
    });
}
