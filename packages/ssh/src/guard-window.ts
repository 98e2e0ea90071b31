import type { Readable } from 'node:stream';

/** Unread output per channel above which we stop extending its window. */
export const UNREAD_OUTPUT = 128 * 1024;
/** Unread pieces up to this size are merged into blocks of `WAITING_BLOCK` bytes. */
const SMALL_PIECE = 2 * 1024;
export const WAITING_BLOCK = 16 * 1024;
/** Tolerance beyond the window: packets already sent when we pause. */
const WINDOW_TOLERANCE = 64 * 1024;

/**
 * Limits the buffered data of an unread channel. The window (bytes) is granted again while less
 * than `UNREAD_OUTPUT` waits. A peer that ignores the window is reported: its data would grow
 * without bound. Small waiting pieces are merged, because each buffer object costs hundreds of
 * bytes.
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
  // Unread data raises no event, so count it when it is pushed.
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    let canContinue: boolean;
    if (
      chunk instanceof Uint8Array &&
      chunk.length <= SMALL_PIECE &&
      stream.readableLength + filled > 0
    ) {
      if (filled + chunk.length > WAITING_BLOCK) passBlock();
      block ??= Buffer.allocUnsafeSlow(WAITING_BLOCK);
      block.set(chunk, filled);
      filled += chunk.length;
      canContinue = stream.readableLength + filled < UNREAD_OUTPUT;
    } else {
      passBlock();
      canContinue = push(chunk, encoding);
    }
    if (stream.readableLength + filled > most) onExceeded();
    return canContinue;
  };
  stream.read = (size) => {
    if (stream.readableFlowing && stream.readableLength === 0) passBlock();
    return read(size);
  };
}

/** Lowers the high-water mark: ssh2 sets it to the window size, which would double the buffer. */
function setHighWaterMark(stream: Readable, bytes: number): void {
  const state: unknown = Reflect.get(stream, '_readableState');
  if (typeof state === 'object' && state !== null) Reflect.set(state, 'highWaterMark', bytes);
}
