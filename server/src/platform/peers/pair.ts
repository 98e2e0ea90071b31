import { once } from 'node:events';
import { createServer } from 'node:http';
import { duplexPair } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

/** Maximum message size, the same as between servers. */
const MAX_FRAME = 8 * 1024 * 1024;

/**
 * Creates two connected WebSockets within this process. Clients that are not browsers use them for
 * handlers of browser sockets, here and on other servers.
 */
export async function socketPair(): Promise<{ readonly near: WebSocket; readonly far: WebSocket }> {
  const [nearEnd, farEnd] = duplexPair();
  const server = createServer();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME,
    perMessageDeflate: false,
  });
  const accepted = new Promise<WebSocket>((done) => {
    server.once('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, done),
    );
  });
  server.emit('connection', farEnd);
  const near = new WebSocket('ws://pair/', {
    createConnection: () => nearEnd,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME,
  });
  const [far] = await Promise.all([accepted, once(near, 'open')]);
  return { near, far };
}
