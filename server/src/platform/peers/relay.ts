import { PING_SECONDS } from '@sallyport/contract';
import { type RawData, WebSocket } from 'ws';

/** What may wait in this process for a slow end before the other one is not read any more. */
const HIGH = 256 * 1024;
/** RFC 6455, section 7.4: numbers that may be sent. */
const isSendable = (code: number) =>
  code >= 3000 || (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code));
const CLOSE_GRACE_MS = 2_000;

/**
 * Carries the messages of a browser's socket to another server and back, with no more in memory than a slow end allows. What one end closes with
 * closes the other; an end that is lost looks lost to the other one, too.
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

/** Closes a socket whose other end says nothing more. */
function watchOver(socket: WebSocket): void {
  let answeredAt = performance.now();
  const heard = () => {
    answeredAt = performance.now();
  };
  socket.on('pong', heard);
  socket.on('ping', heard);
  socket.on('message', heard);
  const timer = setInterval(() => {
    if (socket.isPaused) heard();
    else if (performance.now() - answeredAt > 2 * PING_SECONDS * 1000) socket.terminate();
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, PING_SECONDS * 1000);
  timer.unref();
  socket.on('close', () => clearInterval(timer));
}
