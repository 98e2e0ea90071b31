import { ProtocolViolation } from '../body-reader.ts';
import { FULL_PACKET } from './packets.ts';

const HEADER = 4;

/** A packet as its header shows it. */
export interface PacketHead {
  readonly length: number;
  readonly sequence: number;
  /** The first byte of its payload; -1 without one. */
  readonly first: number;
  /** It goes on with the payload of the packet before it. */
  readonly isContinued: boolean;
}

export type Handling = 'pass' | 'collect' | 'drop';

/** A part of a stream: bytes of packets that pass, or one whole packet. */
export type Piece =
  | { readonly head: undefined; readonly bytes: Buffer }
  | { readonly head: PacketHead; readonly bytes: Buffer; readonly payload: Buffer };

/** Cuts a stream of packets of the protocol of MySQL into pieces; rows pass as they come. */
export class PacketFrames {
  private readonly onHead: (head: PacketHead) => Handling;
  private readonly maxCollected: number;
  private passing = 0;
  private dropping = 0;
  private isContinued = false;
  private held: Buffer = Buffer.alloc(0);
  private parts: Buffer[] = [];
  private partBytes = 0;
  private collecting: { readonly head: PacketHead; readonly wanted: number } | undefined;

  constructor(onHead: (head: PacketHead) => Handling, maxCollected: number) {
    this.onHead = onHead;
    this.maxCollected = maxCollected;
  }

  /** Whether the beginning of a packet has passed and its end has not. */
  get isWithin(): boolean {
    return this.passing > 0;
  }

  /** The pieces of the next bytes. @throws ProtocolViolation */
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
        const { head, wanted } = this.collecting;
        const part = bytes.subarray(at, at + wanted - this.partBytes);
        this.parts.push(part);
        this.partBytes += part.length;
        at += part.length;
        from = at;
        if (this.partBytes < wanted) {
          // A copy, in few parts: the chunks that they are views of may be much larger.
          this.parts = [Buffer.concat(this.parts)];
          return;
        }
        const whole =
          this.parts.length === 1 && this.parts[0] ? this.parts[0] : Buffer.concat(this.parts);
        this.collecting = undefined;
        this.parts = [];
        this.partBytes = 0;
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
      else this.collecting = { head, wanted: HEADER + length };
    }
    const before = passed();
    if (before) yield before;
    if (at < bytes.length) this.held = Buffer.from(bytes.subarray(at));
  }
}
