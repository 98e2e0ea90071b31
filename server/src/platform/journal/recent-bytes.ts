import type { Segment, WrittenPiece } from './writer.ts';

/** The end of the last segment, until its delivery: it need not be read from the disk. */
export class RecentBytes {
  private readonly most: number;
  private kept: { readonly segment: Segment; readonly from: number } | undefined;
  private pieces: Buffer[] = [];
  private length = 0;

  /** Keeps at most this many bytes. More are read from the file. */
  constructor(most: number) {
    this.most = most;
  }

  /** Adds bytes that continue those of the same segment. */
  add({ segment, from, bytes }: WrittenPiece): void {
    if (this.kept?.segment !== segment) this.drop();
    this.kept ??= { segment, from };
    this.pieces.push(bytes);
    this.length += bytes.length;
    if (this.length > this.most) this.drop();
  }

  /** Returns the bytes from a position to the end, once; undefined if they are not kept. */
  take(segment: Segment, position: number): Buffer | undefined {
    const isKept = this.kept?.segment === segment && this.kept.from === position;
    const bytes = isKept ? Buffer.concat(this.pieces) : undefined;
    this.drop();
    return bytes;
  }

  private drop(): void {
    this.kept = undefined;
    this.pieces = [];
    this.length = 0;
  }
}
