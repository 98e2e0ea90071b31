import { ProtocolViolation } from '../byte-reader.ts';
import { GrowingBuffer } from '../growing-buffer.ts';
import { FULL_PACKET } from './packets.ts';

const HEADER = 4;

export interface PacketHead {
  readonly length: number;
  readonly sequence: number;
  /** First byte of the payload; -1 if empty. */
  readonly first: number;
  /** The payload continues that of the previous packet. */
  readonly isContinued: boolean;
}

export type Handling = 'pass' | 'collect' | 'drop';

/** A chunk of passing packets, or one whole packet. */
export type Piece =
  | { readonly head: undefined; readonly bytes: Buffer }
  | { readonly head: PacketHead; readonly bytes: Buffer; readonly payload: Buffer };

/** Splits a stream of MySQL packets. Rows pass in the chunks in which they arrive. */
export class PacketFrames {
  private readonly onHead: (head: PacketHead) => Handling;
  private readonly maxCollected: number;
  private passing = 0;
  private dropping = 0;
  private isContinued = false;
  private held: Buffer = Buffer.alloc(0);
  private readonly collected = new GrowingBuffer();
  private collecting: { readonly head: PacketHead; readonly size: number } | undefined;

  constructor(onHead: (head: PacketHead) => Handling, maxCollected: number) {
    this.onHead = onHead;
    this.maxCollected = maxCollected;
  }

  /** True in the middle of a passing packet. */
  get isWithin(): boolean {
    return this.passing > 0;
  }

  /** Splits the next chunk. @throws ProtocolViolation */
  *split(chunk: Buffer): Generator<Piece> {
    const bytes = this.held.length > 0 ? Buffer.concat([this.held, chunk]) : chunk;
    this.held = Buffer.alloc(0);
    let at = 0;
    let from = 0;
    const passed = (): Piece | undefined =>
      at > from ? { head: undefined, bytes: bytes.subarray(from, at) } : undefined;
    while (at < bytes.length) {
      if (this.passing > 0) {
        const taken = Math.min(this.passing, bytes.length - at);
        this.passing -= taken;
        at += taken;
        continue;
      }
      if (this.dropping > 0) {
        const taken = Math.min(this.dropping, bytes.length - at);
        this.dropping -= taken;
        at += taken;
        from = at;
        continue;
      }
      if (this.collecting) {
        const { head, size } = this.collecting;
        const part = bytes.subarray(at, at + size - this.collected.length);
        at += part.length;
        from = at;
        const isWhole = part.length === size;
        if (!isWhole) this.collected.push(part);
        if (!isWhole && this.collected.length < size) return;
        const whole = isWhole ? part : this.collected.take();
        this.collecting = undefined;
        yield { head, bytes: whole, payload: whole.subarray(HEADER) };
        continue;
      }
      const left = bytes.length - at;
      const length = left < HEADER ? 0 : bytes.readUIntLE(at, 3);
      if (left < HEADER || (length > 0 && left === HEADER)) break;
      const first = length > 0 ? bytes.readUInt8(at + HEADER) : -1;
      const head: PacketHead = {
        length,
        sequence: bytes.readUInt8(at + 3),
        first,
        isContinued: this.isContinued,
      };
      const handling = this.onHead(head);
      this.isContinued = length === FULL_PACKET;
      if (handling === 'pass') {
        this.passing = HEADER + length;
        continue;
      }
      const before = passed();
      from = at;
      if (before) yield before;
      if (handling === 'drop') this.dropping = HEADER + length;
      else if (length > this.maxCollected || this.isContinued)
        throw new ProtocolViolation('a packet is too long');
      else this.collecting = { head, size: HEADER + length };
    }
    const before = passed();
    if (before) yield before;
    if (at < bytes.length) this.held = Buffer.from(bytes.subarray(at));
  }
}
