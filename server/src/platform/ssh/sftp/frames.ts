import { SftpFormatError } from './packets.ts';

const LENGTH_BYTES = 4;

/** Cuts a stream of bytes into SFTP packets. Holds at most one packet. */
export class Frames {
  private readonly most: number;
  private readonly onPacket: (packet: Buffer) => void;
  private readonly length = Buffer.alloc(LENGTH_BYTES);
  private lengthFilled = 0;
  private packet: Buffer | undefined;
  private filled = 0;

  /** `most`: the longest packet in bytes, without its length. */
  constructor(most: number, onPacket: (packet: Buffer) => void) {
    this.most = most;
    this.onPacket = onPacket;
  }

  /** Takes bytes; `onPacket` gets each packet that they complete, its type first. @throws SftpFormatError for a packet that is too long or empty */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (!this.packet) {
        const count = Math.min(LENGTH_BYTES - this.lengthFilled, chunk.length - at);
        chunk.copy(this.length, this.lengthFilled, at, at + count);
        this.lengthFilled += count;
        at += count;
        if (this.lengthFilled < LENGTH_BYTES) return;
        this.lengthFilled = 0;
        const length = this.length.readUInt32BE(0);
        if (length === 0 || length > this.most) throw new SftpFormatError(`a packet of ${length} bytes`);
        // The common case: all of it is here already.
        if (chunk.length - at >= length) {
          this.onPacket(chunk.subarray(at, at + length));
          at += length;
          continue;
        }
        this.packet = Buffer.allocUnsafe(length);
        this.filled = 0;
      }
      const { packet } = this;
      const count = Math.min(packet.length - this.filled, chunk.length - at);
      chunk.copy(packet, this.filled, at, at + count);
      this.filled += count;
      at += count;
      if (this.filled < packet.length) return;
      this.packet = undefined;
      this.onPacket(packet);
    }
  }
}
