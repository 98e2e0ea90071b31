import type { Readable } from 'node:stream';

/** First byte of an unfragmented binary frame (RFC 6455, section 5.2). */
const BINARY = 0x82;
const MASKED = 0x80;
const LENGTH = 0x7f;
/** Lengths from 126 follow the first two bytes. */
const LONG = 126;
const VERY_LONG = 127;
const MASK = 4;
const SHORT_HEADER = 2 + MASK;
const JOINED_HEADER = 4 + MASK;
/**
 * Maximum bytes of a run of small frames to join. Each has at most 131 bytes, 125 of them payload.
 */
const MOST_JOINED = 16 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Joins consecutive small binary frames of a client whose messages form a byte stream, where
 * message boundaries mean nothing. A client can send hundreds of thousands of keystrokes a second
 * in separate frames, and parsing each frame allocates a dozen objects.
 * Call before any read; `head` holds the bytes that followed the upgrade request.
 */
export function joinFrames(stream: Readable, head: Buffer): void {
  // Leave the stream alone if the client sent frames before the response to its upgrade: we would
  // start in the middle of a frame.
  if (head.length > 0 || stream.readableLength > 0) return;
  const joiner = new FrameJoiner();
  const push = stream.push.bind(stream);
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) return push(chunk, encoding);
    const passed = joiner.next(chunk);
    // The frame is incomplete.
    return passed.length === 0 ? true : push(passed);
  };
}

/** Tracks the frames of one client from the first one. */
export class FrameJoiner {
  /** Remaining bytes of a frame that passes unchanged. */
  private passing = 0;
  /** Beginning of a header or of a small frame. */
  private kept = NOTHING;

  /** Returns the bytes to pass instead of `chunk`; `chunk` itself if it has no frames to join. */
  next(chunk: Buffer): Buffer {
    const bytes = this.kept.length === 0 ? chunk : Buffer.concat([this.kept, chunk]);
    this.kept = NOTHING;
    const pieces: Buffer[] = [];
    let at = Math.min(this.passing, bytes.length);
    this.passing -= at;
    let from = 0;
    let run = at;
    let frames = 0;
    /** Ends the run. */
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
    // Copied, so that these few bytes do not retain the whole chunk.
    if (at < bytes.length) this.kept = Buffer.from(bytes.subarray(at));
    const rest = bytes.subarray(from, at);
    return pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]);
  }
}

const isMasked = (bytes: Buffer, at: number) => ((bytes[at + 1] ?? 0) & MASKED) !== 0;

/** Returns the size of the frame at `at` including its header; 0 while the header is incomplete. */
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

/** Builds one frame from the payloads of small frames, with an all-zero mask. */
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
