import { once } from 'node:events';
import { createServer } from 'node:http';
import { DESKTOP_SOCKET_PATH, TERMINAL_SOCKET_PATH, WATCH_SOCKET_PATH } from '@sallyport/contract';
import { WebSocketServer } from 'ws';
import { createGateway, type Gateway } from '../../gateway/gateway.ts';
import { MAX_FRAME } from '../../gateway/limits.ts';
import type { Person } from '../../gateway/ports/people.ts';
import type { GatewayPorts } from '../../gateway/ports.ts';
import { readFairly } from '../../platform/fair-reads.ts';
import { joinFrames } from '../../platform/join-frames.ts';
import { openLocalRecordings } from '../../platform/storage/local-storage.ts';
import type { Recordings } from '../../platform/storage/recordings.ts';

/**
 * A gateway behind a WebSocket server on loopback. Every connection belongs to the current test
 * user.
 */
export interface GatewayServer {
  readonly gateway: Gateway;
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a gateway for a test. */
export async function startGateway(
  ports: GatewayPorts,
  recordingsDirectory: string,
  user: Person | (() => Person),
  given?: Recordings,
): Promise<GatewayServer> {
  const personNow = () => (typeof user === 'function' ? user() : user);
  const recordings = given ?? (await openLocalRecordings(recordingsDirectory));
  // The same object: a test changes its ports while the gateway runs.
  Object.assign(ports, { disk: { ...ports.disk, isHanging: () => recordings.isHanging() } });
  const gateway = createGateway({ ports, recordings });
  const http = createServer();
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME,
  });
  http.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname === TERMINAL_SOCKET_PATH) joinFrames(socket, head);
    readFairly(socket);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const person = personNow();
      if (url.pathname === TERMINAL_SOCKET_PATH) gateway.terminal(webSocket, person);
      else if (url.pathname === DESKTOP_SOCKET_PATH) gateway.desktop(webSocket, person);
      else if (url.pathname === WATCH_SOCKET_PATH)
        gateway.watch(webSocket, url.searchParams.get('session') ?? '', {
          ...person,
          loginId: person.loginId ?? '',
          organizationId: '',
        });
      else webSocket.terminate();
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    gateway,
    url: `ws://127.0.0.1:${address.port}`,
    stop: async () => {
      await gateway.drain();
      for (const client of sockets.clients) client.terminate();
      http.close();
      await once(http, 'close');
    },
  };
}
