import { SftpFormatError } from './packets.ts';
import { lengthOf, type Pieces } from './pieces.ts';

const LENGTH_BYTES = 4;
/** Pieces of a packet that are kept as they came; the bytes of a packet that comes in more are put together, so that small pieces are not kept as as many objects. */
const MOST_PIECES = 24;

/** Cuts a stream of bytes into SFTP packets. Holds at most one packet. */
export class Frames {
  private readonly most: number;
  private readonly onPacket: (pieces: Pieces) => void;
  private readonly length = Buffer.alloc(LENGTH_BYTES);
  private lengthFilled = 0;
  /** What is missing of the packet that has begun. */
  private missing = 0;
  private pieces: Buffer[] = [];
  /** Takes the packet once it has come in too many pieces; what is missing is its end. */
  private whole: Buffer | undefined;

  /**
   * `most`: the longest packet in bytes, without its length. `onPacket` gets the bytes of a packet as they came, in pieces that share memory with what was
   * pushed: nothing of a large packet is copied.
   */
  constructor(most: number, onPacket: (pieces: Pieces) => void) {
    this.most = most;
    this.onPacket = onPacket;
  }

  /** Takes bytes, which must not change any more; `onPacket` gets each packet that they complete, its type first. @throws SftpFormatError for a packet that is too long or empty */
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
        if (length === 0 || length > this.most)
          throw new SftpFormatError(`a packet of ${length} bytes`);
        this.missing = length;
        continue;
      }
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
