import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { ChannelEvents, ChannelName, Channels } from './channels.ts';
import { SPDY_PROTOCOL, spdyChannels } from './spdy-channels.ts';
import { SUBPROTOCOLS, websocketChannels } from './websocket-channels.ts';

/** Maximum bytes of a frame. `kubectl` sends at most 32 KiB. */
const MOST_FRAME = 131_072;

/** An upgrade that waits for its answer. */
export interface PendingUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

const sockets = new WebSocketServer({
  noServer: true,
  maxPayload: MOST_FRAME,
  perMessageDeflate: false,
  handleProtocols: (offered) => SUBPROTOCOLS.find((name) => offered.has(name)) ?? false,
});

/** Returns the versions of streams that a client offers. */
const offersOf = ({ headers }: IncomingMessage, name: string): string[] =>
  String(headers[name] ?? '')
    .split(',')
    .map((version) => version.trim());

/** Returns true if we speak a version of the streams that a client offers. */
export function hasKnownProtocol(request: IncomingMessage): boolean {
  const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
  if (!isWebSocket) return offersOf(request, 'x-stream-protocol-version').includes(SPDY_PROTOCOL);
  const offers = offersOf(request, 'sec-websocket-protocol');
  return SUBPROTOCOLS.some((name) => offers.includes(name));
}

/**
 * Accepts the upgrade of a client, which must have a known protocol.
 * @throws Error if the client leaves first
 */
export function acceptChannels(
  { request, socket, head }: PendingUpgrade,
  channels: readonly ChannelName[],
  events: ChannelEvents,
): Promise<Channels> {
  // A closed connection has no event that would end the wait.
  if (socket.destroyed) return Promise.reject(new Error('the client has left'));
  if (request.headers.upgrade?.toLowerCase() === 'websocket')
    return new Promise((done, failed) => {
      socket.once('close', () => failed(new Error('the client has left')));
      sockets.handleUpgrade(request, socket, head, (open) => done(websocketChannels(open, events)));
    });
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Connection: Upgrade',
      'Upgrade: SPDY/3.1',
      `X-Stream-Protocol-Version: ${SPDY_PROTOCOL}`,
      '\r\n',
    ].join('\r\n'),
  );
  return spdyChannels({ socket, head, isClient: false, channels }, events);
}
