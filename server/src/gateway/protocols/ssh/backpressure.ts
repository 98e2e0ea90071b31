import type { Duplex, Readable } from 'node:stream';
import {
  MAX_TRANSPORT_BACKLOG,
  SMALL_PIECE,
  UNREAD_OUTPUT,
  WAITING_BLOCK,
  WINDOW_TOLERANCE,
} from '../../limits.ts';

/**
 * Bounds what is kept of a channel that is not read. The window, in bytes, is granted again while less than `UNREAD_OUTPUT` waits, so a peer that keeps
 * to it stays below both together; one that does not is reported, because its data would be kept without end. Small pieces that have to wait
 * are put together: as an object of its own, a byte takes hundreds.
 */
export function guardWindow(stream: Readable, window: number, onExceeded: () => void): void {
  const most = UNREAD_OUTPUT + window + WINDOW_TOLERANCE;
  setHighWaterMark(stream, UNREAD_OUTPUT);
  const push = stream.push.bind(stream);
  const read = stream.read.bind(stream);
  let block: Buffer | undefined;
  let filled = 0;
  const passBlock = () => {
    const pieces = block?.subarray(0, filled);
    block = undefined;
    filled = 0;
    if (pieces) push(pieces);
  };
  // Data that nobody reads raises no event, so it is counted where it is put in.
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    let goesOn: boolean;
    if (
      chunk instanceof Uint8Array &&
      chunk.length <= SMALL_PIECE &&
      stream.readableLength + filled > 0
    ) {
      if (filled + chunk.length > WAITING_BLOCK) passBlock();
      block ??= Buffer.allocUnsafeSlow(WAITING_BLOCK);
      block.set(chunk, filled);
      filled += chunk.length;
      goesOn = stream.readableLength + filled < UNREAD_OUTPUT;
    } else {
      passBlock();
      goesOn = push(chunk, encoding);
    }
    if (stream.readableLength + filled > most) onExceeded();
    return goesOn;
  };
  stream.read = (size) => {
    if (stream.readableFlowing && stream.readableLength === 0) passBlock();
    return read(size);
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
