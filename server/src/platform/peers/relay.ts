import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { duplexPair } from 'node:stream';
import { PING_SECONDS } from '@sallyport/contract';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { type DatabaseHost, databaseAddress } from '../db/hosts.ts';

const LOOPBACK = '127.0.0.1';

/**
 * Returns this machine's address on the route to a database, at which other servers of that
 * database are likely to reach it.
 * @throws Error if no host of the database can be reached
 */
export async function localAddressTowards(databaseUrl: string): Promise<string> {
  return Promise.any(databaseAddress(databaseUrl).hosts.map(localAddressOf)).catch(
    (error: AggregateError) => {
      throw error.errors[0];
    },
  );
}

async function localAddressOf({ name, port }: DatabaseHost): Promise<string> {
  // A URL without a host means a socket file on this machine.
  if (name === '' || name.startsWith('/')) return LOOPBACK;
  const socket = connect({ host: name, port });
  try {
    await once(socket, 'connect');
    return socket.localAddress ?? LOOPBACK;
  } finally {
    socket.destroy();
  }
}

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

/**
 * Maximum bytes that wait for a slow peer before we stop reading from the other one (back
 * pressure).
 */
const HIGH = 256 * 1024;
/** Close codes that may be sent (RFC 6455, section 7.4). */
const isSendable = (code: number) =>
  code >= 3000 || (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code));
const CLOSE_GRACE_MS = 2_000;

/**
 * Relays messages between a browser's socket and another server, with back pressure. A close of one
 * socket closes the other with the same code; a lost socket terminates the other.
 */
export function relay(near: WebSocket, far: WebSocket): void {
  carry(near, far);
  carry(far, near);
  watchOver(near);
  watchOver(far);
}

function carry(from: WebSocket, to: WebSocket): void {
  const regulate = () => {
    const isFull = to.readyState === WebSocket.CONNECTING || to.bufferedAmount > HIGH;
    if (isFull && !from.isPaused) from.pause();
    else if (!isFull && from.isPaused) from.resume();
  };
  const pass = (data: RawData, isBinary: boolean) => {
    if (to.readyState === WebSocket.OPEN) to.send(data, { binary: isBinary }, regulate);
    regulate();
  };
  if (to.readyState === WebSocket.CONNECTING) {
    from.pause();
    to.once('open', regulate);
  }
  from.on('message', pass);
  from.on('error', () => undefined);
  from.on('close', (code, reason) => {
    if (to.isPaused) to.resume();
    if (!isSendable(code)) to.terminate();
    else if (to.readyState === WebSocket.CONNECTING) to.terminate();
    else to.close(code, reason);
    setTimeout(() => to.terminate(), CLOSE_GRACE_MS).unref();
  });
}

/**
 * Terminates a socket whose peer stopped responding. A peer that takes what was sent responds, even
 * if its answers come later.
 */
export function watchOver(socket: WebSocket, seconds = PING_SECONDS): void {
  let answeredAt = performance.now();
  let unsent = 0;
  const onSign = () => {
    answeredAt = performance.now();
  };
  socket.on('pong', onSign);
  socket.on('ping', onSign);
  socket.on('message', onSign);
  const timer = setInterval(() => {
    if (socket.isPaused || socket.bufferedAmount < unsent) onSign();
    else if (performance.now() - answeredAt > 2 * seconds * 1000) socket.terminate();
    unsent = socket.bufferedAmount;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, seconds * 1000);
  timer.unref();
  socket.on('close', () => clearInterval(timer));
}
