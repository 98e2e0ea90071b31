import { lengthOf, type Pieces, SftpFormatError } from './packets.ts';

const LENGTH_BYTES = 4;
/**
 * Maximum pieces of a packet. Further pieces are joined, so that small chunks do not become many
 * objects.
 */
const MOST_PIECES = 24;

/** The packets of one type that may be larger than others. */
interface LargerPackets {
  readonly type: number;
  readonly most: number;
}

/** Splits a byte stream into SFTP packets. Buffers at most one packet. */
export class Frames {
  private readonly most: number;
  private readonly larger: LargerPackets | undefined;
  private readonly onPacket: (pieces: Pieces) => void;
  private readonly length = Buffer.alloc(LENGTH_BYTES);
  private lengthFilled = 0;
  /** Remaining bytes of the current packet. */
  private missing = 0;
  /** True before the first byte of a packet. */
  private isStart = false;
  private pieces: Buffer[] = [];
  /** Receives the packet once it has too many pieces; `missing` counts from its end. */
  private whole: Buffer | undefined;

  /**
   * `most` limits the bytes of a packet without its length field. `onPacket` receives the bytes of
   * a packet in pieces that share memory with the chunks, so large packets are not copied. Packets
   * of the type `larger` have another limit.
   */
  constructor(most: number, onPacket: (pieces: Pieces) => void, larger?: LargerPackets) {
    this.most = most;
    this.larger = larger;
    this.onPacket = onPacket;
  }

  /**
   * Takes a chunk, which must not change afterwards, and passes each completed packet to
   * `onPacket`, starting at its type.
   * @throws SftpFormatError if a packet is empty or too long
   */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.missing === 0) {
        const count = Math.min(LENGTH_BYTES - this.lengthFilled, chunk.length - at);
        chunk.copy(this.length, this.lengthFilled, at, at + count);
        this.lengthFilled += count;
        at += count;
        if (this.lengthFilled < LENGTH_BYTES) return;
        this.lengthFilled = 0;
        const length = this.length.readUInt32BE(0);
        if (length === 0 || length > Math.max(this.most, this.larger?.most ?? 0))
          throw new SftpFormatError(`a packet of ${length} bytes`);
        this.missing = length;
        this.isStart = true;
        continue;
      }
      if (this.isStart) this.checkType(chunk[at]);
      this.isStart = false;
      const piece = chunk.subarray(at, at + this.missing);
      at += piece.length;
      this.take(piece);
      this.missing -= piece.length;
      if (this.missing > 0) continue;
      const { pieces, whole } = this;
      this.pieces = [];
      this.whole = undefined;
      this.onPacket(whole ? [whole] : pieces);
    }
  }

  /** The first byte of a packet is its type. */
  private checkType(type: number | undefined): void {
    if (this.missing > this.most && type !== this.larger?.type)
      throw new SftpFormatError(`a packet of ${this.missing} bytes and type ${type}`);
  }

  private take(piece: Buffer): void {
    if (!this.whole && this.pieces.length < MOST_PIECES) {
      this.pieces.push(piece);
      return;
    }
    if (!this.whole) {
      this.whole = Buffer.allocUnsafe(lengthOf(this.pieces) + this.missing);
      let at = 0;
      for (const one of this.pieces) at += one.copy(this.whole, at);
      this.pieces = [];
    }
    piece.copy(this.whole, this.whole.length - this.missing);
  }
}
