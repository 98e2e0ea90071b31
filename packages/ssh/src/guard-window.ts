import type { Readable } from 'node:stream';
import { incomingOf, outgoingOf } from './channel-internals.ts';
import { protocolOf } from './internals.ts';

/** Window of a channel in ssh2, in bytes. */
const LIBRARY_WINDOW = 2 * 1024 * 1024;

/**
 * Gives the next session channel of a client a smaller window than ssh2's own, to buffer less for
 * slow readers (RFC 4254, section 5.2). Pass the opened channel to the returned function before
 * reading its data. It begins with `first` bytes; `window` returns the maximum of each later grant.
 * A reader that pauses halves the next grant, down to a quarter of the maximum: a slow reader gains
 * nothing from a large window.
 */
export function limitWindow(
  client: object,
  first: number,
  window: () => number,
): (channel: Readable) => void {
  const protocol = protocolOf(client);
  const openSession = protocol.session.bind(protocol);
  protocol.session = (id, _window, packetSize) => {
    protocol.session = openSession;
    openSession(id, first, packetSize);
  };
  return (channel) => {
    const incoming = incomingOf(channel);
    const outgoing = outgoingOf(channel);
    incoming.window -= LIBRARY_WINDOW - first;
    const adjust = protocol.channelWindowAdjust.bind(protocol);
    let size = first;
    let hasPaused = false;
    channel.on('pause', () => {
      hasPaused = true;
    });
    protocol.channelWindowAdjust = (id, amount) => {
      if (id !== outgoing.id) return adjust(id, amount);
      // ssh2 already refilled its own window after every packet, because ours is always below its
      // threshold.
      const left = incoming.window - amount;
      incoming.window = left;
      if (left > size / 2) return;
      const most = window();
      size = hasPaused ? Math.max(most / 4, size / 2) : Math.min(most, size * 2);
      hasPaused = false;
      incoming.window = Math.max(left, Math.floor(size));
      if (incoming.window > left) adjust(id, incoming.window - left);
    };
  };
}

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
 * bytes. `unread` replaces `UNREAD_OUTPUT` with a lower limit.
 */
export function guardWindow(
  stream: Readable,
  window: number,
  onExceeded: () => void,
  unread: () => number = () => UNREAD_OUTPUT,
): void {
  const most = UNREAD_OUTPUT + window + WINDOW_TOLERANCE;
  let mark = unread();
  setHighWaterMark(stream, mark);
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
    const limit = unread();
    if (limit !== mark) setHighWaterMark(stream, limit);
    mark = limit;
    if (
      chunk instanceof Uint8Array &&
      chunk.length <= SMALL_PIECE &&
      stream.readableLength + filled > 0
    ) {
      if (filled + chunk.length > WAITING_BLOCK) passBlock();
      block ??= Buffer.allocUnsafeSlow(WAITING_BLOCK);
      block.set(chunk, filled);
      filled += chunk.length;
      canContinue = stream.readableLength + filled < mark;
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
