import type { Readable } from 'node:stream';

/** A whole binary frame, neither the beginning nor a part of a longer message. RFC 6455, section 5.2. */
const BINARY = 0x82;
const MASKED = 0x80;
const LENGTH = 0x7f;
/** Lengths from here on are written behind the first two bytes. */
const LONG = 126;
const VERY_LONG = 127;
const MASK = 4;
const SHORT_HEADER = 2 + MASK;
const JOINED_HEADER = 4 + MASK;
/** Bytes of a run of small frames that are put together; the payload of each is at most 125 of 131. */
const MOST_JOINED = 16 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Puts small binary frames of a client together that come one behind the other, where the messages are a stream of bytes and their limits mean nothing. A client can send
 * hundreds of thousands of keys in a second, each in a frame of its own, and each frame takes a dozen objects to be read.
 * To be called before anything is read; `head` is what came with the upgrade.
 */
export function joinFrames(stream: Readable, head: Buffer): void {
  // A client that does not wait for the answer to its upgrade is read as it is: its first frame has begun already.
  if (head.length > 0 || stream.readableLength > 0) return;
  const joiner = new FrameJoiner();
  const push = stream.push.bind(stream);
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) return push(chunk, encoding);
    const passed = joiner.next(chunk);
    // The rest of a frame is still to come.
    return passed.length === 0 ? true : push(passed);
  };
}

/** Follows the frames of one client from the first one on. */
export class FrameJoiner {
  /** Bytes that are still to come of a frame that passes as it is. */
  private passing = 0;
  /** The beginning of a header or of a small frame. */
  private kept = NOTHING;

  /** What goes on in place of the next bytes; the same bytes where there is nothing to put together. */
  next(chunk: Buffer): Buffer {
    const bytes = this.kept.length === 0 ? chunk : Buffer.concat([this.kept, chunk]);
    this.kept = NOTHING;
    const pieces: Buffer[] = [];
    let at = Math.min(this.passing, bytes.length);
    this.passing -= at;
    let from = 0;
    let run = at;
    let frames = 0;
    /** The run ends here. */
    const join = () => {
      if (frames > 1) {
        pieces.push(bytes.subarray(from, run), joined(bytes, run, at, frames));
        from = at;
      }
      frames = 0;
    };
    for (let size = frameAt(bytes, at); size > 0; size = frameAt(bytes, at)) {
      const isSmall =
        bytes[at] === BINARY && size <= SHORT_HEADER + LONG - 1 && isMasked(bytes, at);
      if (!isSmall || at - run + size > MOST_JOINED) join();
      if (isSmall && at + size > bytes.length) break;
      if (frames === 0) run = at;
      if (isSmall) frames++;
      const end = Math.min(at + size, bytes.length);
      this.passing = at + size - end;
      at = end;
    }
    join();
    // A copy, so that these few bytes do not keep all that they were read with.
    if (at < bytes.length) this.kept = Buffer.from(bytes.subarray(at));
    const rest = bytes.subarray(from, at);
    return pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]);
  }
}

const isMasked = (bytes: Buffer, at: number) => ((bytes[at + 1] ?? 0) & MASKED) !== 0;

/** The size of the frame that begins here, header included; 0 as long as its header is not whole. */
function frameAt(bytes: Buffer, at: number): number {
  const second = bytes[at + 1];
  if (second === undefined) return 0;
  const length = second & LENGTH;
  const before = 2 + (length === VERY_LONG ? 8 : length === LONG ? 2 : 0);
  const header = before + (isMasked(bytes, at) ? MASK : 0);
  if (at + header > bytes.length) return 0;
  if (length === VERY_LONG) return header + Number(bytes.readBigUInt64BE(at + 2));
  return header + (length === LONG ? bytes.readUInt16BE(at + 2) : length);
}

/** One frame with the payloads of small ones, under a mask that changes nothing. */
function joined(bytes: Buffer, run: number, end: number, frames: number): Buffer {
  const length = end - run - frames * SHORT_HEADER;
  const frame = Buffer.alloc(JOINED_HEADER + length);
  frame[0] = BINARY;
  frame[1] = MASKED | LONG;
  frame.writeUInt16BE(length, 2);
  let to = JOINED_HEADER;
  for (let at = run; at < end; ) {
    const payload = (bytes[at + 1] ?? 0) & LENGTH;
    for (let index = 0; index < payload; index++)
      frame[to++] = (bytes[at + SHORT_HEADER + index] ?? 0) ^ (bytes[at + 2 + (index % MASK)] ?? 0);
    at += SHORT_HEADER + payload;
  }
  return frame;
}
