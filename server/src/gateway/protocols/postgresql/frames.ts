import { ProtocolViolation } from '../body-reader.ts';

const HEADER = 5;

/**
 * What becomes of a message, decided when its header is known: its bytes go on as they come, it is looked at as a whole, nothing of it is kept, or the
 * question is asked again after a pause.
 */
export type Handling = 'pass' | 'collect' | 'drop' | 'wait';

/** A part of a stream: bytes of messages that pass (none for a pause, after which a header is looked at again), or one whole message with its header. */
export type Piece =
  | { readonly type: undefined; readonly bytes: Buffer; readonly isPause?: boolean }
  | { readonly type: string; readonly bytes: Buffer; readonly body: Buffer };

export interface FramesOptions {
  /** Called at each header; the length is that of the body. */
  readonly onHeader: (type: string, length: number) => Handling;
  /** The longest body of a message that is collected, and of one that passes. */
  readonly maxCollected: number;
  readonly maxPassed: number;
}

const PAUSE = { type: undefined, bytes: Buffer.alloc(0), isPause: true } as const;
const TYPES: readonly string[] = Array.from({ length: 256 }, (_, code) =>
  String.fromCharCode(code),
);

/**
 * Cuts a stream of messages of the protocol 3 into pieces. Rows and other bulk pass in the pieces in which they came, without a copy; only what the
 * relay has to know is put together. What was asked of a header counts at the moment when the header is read, after the pieces before it were taken.
 */
export class Frames {
  private readonly options: FramesOptions;
  /** Bytes of a passing message that are still to come, and of one that is dropped. */
  private passing = 0;
  private dropping = 0;
  /** The beginning of a header or of a collected message. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  /** Bytes of a collected message with its header; 0 while its header is not complete. */
  private wanted = 0;

  constructor(options: FramesOptions) {
    this.options = options;
  }

  /** Whether the beginning of a message has passed and its end has not. */
  get isWithin(): boolean {
    return this.passing > 0;
  }

  /** The pieces of the next bytes. @throws ProtocolViolation */
  *split(chunk: Buffer): Generator<Piece> {
    let at = 0;
    while (this.heldBytes > 0) {
      const piece = this.fill(chunk.subarray(at));
      at += piece.used;
      if (piece.done) yield piece.done;
      if (piece.done !== PAUSE) break;
    }
    if (this.heldBytes > 0) return;
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
      // What came before is taken before anything is asked about this header.
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

  private hold(bytes: Buffer, wanted: number): void {
    // A copy: the chunk that it is part of may be much larger.
    this.held = [Buffer.from(bytes)];
    this.heldBytes = bytes.length;
    this.wanted = wanted;
  }

  /** Completes what is held from the beginning of a chunk. */
  private fill(chunk: Buffer): { readonly used: number; readonly done?: Piece } {
    let used = 0;
    const take = (upTo: number) => {
      const part = chunk.subarray(used, used + upTo - this.heldBytes);
      used += part.length;
      this.held.push(part);
      this.heldBytes += part.length;
      return this.heldBytes === upTo;
    };
    if (this.wanted === 0) {
      if (!take(HEADER)) {
        this.held = [Buffer.concat(this.held)];
        return { used };
      }
      const header = Buffer.concat(this.held);
      const length = header.readInt32BE(1) - 4;
      const handling = this.handlingOf(TYPES[header.readUInt8()] ?? '', length);
      if (handling === 'wait') {
        this.held = [header];
        return { used, done: PAUSE };
      }
      if (handling !== 'collect') {
        this.release();
        if (handling === 'drop') this.dropping = length;
        else this.passing = length;
        return handling === 'drop' ? { used } : { used, done: { type: undefined, bytes: header } };
      }
      this.held = [header];
      this.wanted = HEADER + length;
    }
    if (!take(this.wanted)) return { used: this.keep(used) };
    const bytes = Buffer.concat(this.held);
    this.release();
    return {
      used,
      done: { type: TYPES[bytes.readUInt8()] ?? '', bytes, body: bytes.subarray(HEADER) },
    };
  }

  /** The last part that was taken is a view of a chunk that Node may hold for long: many small ones are put together. */
  private keep(used: number): number {
    if (this.held.length > 64) this.held = [Buffer.concat(this.held)];
    return used;
  }

  private release(): void {
    this.held = [];
    this.heldBytes = 0;
    this.wanted = 0;
  }
}
