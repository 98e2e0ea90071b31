import type { Duplex, Readable } from 'node:stream';
import { MAX_TRANSPORT_BACKLOG, UNREAD_OUTPUT, WINDOW_TOLERANCE } from '../../limits.ts';

/**
 * Bounds what is kept of a channel that is not read. The window is granted again while less than `UNREAD_OUTPUT` waits, so a peer that keeps
 * to it stays below both together; one that does not is reported, because its data would be kept without end.
 */
export function guardWindow(stream: Readable, onExceeded: () => void): void {
  const most = UNREAD_OUTPUT + stream.readableHighWaterMark + WINDOW_TOLERANCE;
  setHighWaterMark(stream, UNREAD_OUTPUT);
  const push = stream.push.bind(stream);
  // Data that nobody reads raises no event, so it is counted where it is put in.
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    const goesOn = push(chunk, encoding);
    if (stream.readableLength > most) onExceeded();
    return goesOn;
  };
}

/** A stream has its mark from its maker; the SSH library makes it as large as the window, which doubles what may wait. */
function setHighWaterMark(stream: Readable, bytes: number): void {
  const state: unknown = Reflect.get(stream, '_readableState');
  if (typeof state === 'object' && state !== null) Reflect.set(state, 'highWaterMark', bytes);
}

/** Watches that a peer also reads: one that only asks collects our answers in memory. */
export function guardBacklog(transport: Duplex, onExceeded: () => void): void {
  transport.on('data', () => {
    if (transport.writableLength > MAX_TRANSPORT_BACKLOG) onExceeded();
  });
}
