import { ProtocolViolation } from '../byte-reader.ts';
import { GrowingBuffer } from '../growing-buffer.ts';

const HEADER = 5;

/**
 * The handling of a message, decided by its header: pass its bytes on, collect it, drop it, or
 * pause and decide again.
 */
export type Handling = 'pass' | 'collect' | 'drop' | 'wait';

/**
 * A chunk of passing messages (empty for a pause, after which the header is decided again), or one
 * whole message with its header.
 */
export type Piece =
  | { readonly type: undefined; readonly bytes: Buffer; readonly isPause?: boolean }
  | { readonly type: string; readonly bytes: Buffer; readonly body: Buffer };

export interface FramesOptions {
  /** Called for each header; `length` is that of the body. */
  readonly onHeader: (type: string, length: number) => Handling;
  /** Maximum body lengths of collected and of passing messages, in bytes. */
  readonly maxCollected: number;
  readonly maxPassed: number;
}

const PAUSE = { type: undefined, bytes: Buffer.alloc(0), isPause: true } as const;
const TYPES: readonly string[] = Array.from({ length: 256 }, (_, code) =>
  String.fromCharCode(code),
);

/**
 * Splits a stream of protocol-3 messages. Bulk data passes in the chunks in which it arrives,
 * without a copy; only messages that the relay needs are collected. `onHeader` is called after the
 * previous pieces were consumed.
 */
export class Frames {
  private readonly options: FramesOptions;
  /** Remaining bytes of a passing and of a dropped message. */
  private passing = 0;
  private dropping = 0;
  /** The start of a header or of a collected message. */
  private readonly held = new GrowingBuffer();
  /** Length of the collected message with its header, in bytes; 0 until the header is complete. */
  private messageBytes = 0;

  constructor(options: FramesOptions) {
    this.options = options;
  }

  /** True in the middle of a passing message. */
  get isWithin(): boolean {
    return this.passing > 0;
  }

  /** Splits the next chunk. @throws ProtocolViolation */
  *split(chunk: Buffer): Generator<Piece> {
    let at = 0;
    while (this.held.length > 0) {
      const piece = this.fill(chunk.subarray(at));
      at += piece.used;
      if (piece.done) yield piece.done;
      if (piece.done !== PAUSE) break;
    }
    if (this.held.length > 0) return;
    let from = at;
    while (at < chunk.length) {
      if (this.passing > 0) {
        const taken = Math.min(this.passing, chunk.length - at);
        this.passing -= taken;
        at += taken;
        continue;
      }
      if (this.dropping > 0) {
        if (at > from) yield { type: undefined, bytes: chunk.subarray(from, at) };
        const taken = Math.min(this.dropping, chunk.length - at);
        this.dropping -= taken;
        at += taken;
        from = at;
        continue;
      }
      if (chunk.length - at < HEADER) break;
      const type = TYPES[chunk.readUInt8(at)] ?? '';
      const length = chunk.readInt32BE(at + 1) - 4;
      // Yield earlier bytes first: the decision on this header may depend on them.
      if (type !== 'D' && type !== 'd' && at > from) {
        yield { type: undefined, bytes: chunk.subarray(from, at) };
        from = at;
      }
      const handling = this.handlingOf(type, length);
      if (handling === 'wait') {
        if (at > from) yield { type: undefined, bytes: chunk.subarray(from, at) };
        from = at;
        yield PAUSE;
        continue;
      }
      if (handling === 'pass') {
        this.passing = HEADER + length;
        continue;
      }
      if (handling === 'drop') {
        this.dropping = HEADER + length;
        continue;
      }
      if (at > from) yield { type: undefined, bytes: chunk.subarray(from, at) };
      const end = at + HEADER + length;
      if (end > chunk.length) {
        this.hold(chunk.subarray(at), HEADER + length);
        return;
      }
      yield { type, bytes: chunk.subarray(at, end), body: chunk.subarray(at + HEADER, end) };
      at = end;
      from = end;
    }
    if (at > from) yield { type: undefined, bytes: chunk.subarray(from, at) };
    if (at < chunk.length) this.hold(chunk.subarray(at), 0);
  }

  private handlingOf(type: string, length: number): Handling {
    if (length < 0) throw new ProtocolViolation('a message has a negative length');
    const handling = this.options.onHeader(type, length);
    if (length > (handling === 'collect' ? this.options.maxCollected : this.options.maxPassed))
      throw new ProtocolViolation('a message is too long');
    return handling;
  }

  private hold(bytes: Buffer, messageBytes: number): void {
    this.held.push(bytes);
    this.messageBytes = messageBytes;
  }

  /** Completes the held message with the start of a chunk. */
  private fill(chunk: Buffer): { readonly used: number; readonly done?: Piece } {
    let used = 0;
    const take = (upTo: number) => {
      const part = chunk.subarray(used, used + upTo - this.held.length);
      used += part.length;
      this.held.push(part);
      return this.held.length === upTo;
    };
    if (this.messageBytes === 0) {
      if (!take(HEADER)) return { used };
      const header = Buffer.from(this.held.bytes);
      const length = header.readInt32BE(1) - 4;
      const handling = this.handlingOf(TYPES[header.readUInt8()] ?? '', length);
      if (handling === 'wait') return { used, done: PAUSE };
      if (handling !== 'collect') {
        this.held.take();
        if (handling === 'drop') this.dropping = length;
        else this.passing = length;
        return handling === 'drop' ? { used } : { used, done: { type: undefined, bytes: header } };
      }
      this.messageBytes = HEADER + length;
    }
    if (!take(this.messageBytes)) return { used };
    const bytes = this.held.take();
    this.messageBytes = 0;
    return {
      used,
      done: { type: TYPES[bytes.readUInt8()] ?? '', bytes, body: bytes.subarray(HEADER) },
    };
  }
}
