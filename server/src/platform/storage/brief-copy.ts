/** Maximum bytes of a copy. An idle session has few hundred. */
const MOST = 2 * 1024;

/** Copies the content of a growing file while it is brief, so that its end reads no file. */
export class BriefCopy {
  private size = 0;
  private pieces: Buffer[] | undefined = [];

  add(bytes: Uint8Array): void {
    this.size += bytes.length;
    if (this.size > MOST) this.pieces = undefined;
    // The caller reuses its block.
    else this.pieces?.push(Buffer.from(bytes));
  }

  /** The whole content; undefined if the file has become longer. */
  get content(): Buffer | undefined {
    return this.pieces && Buffer.concat(this.pieces);
  }
}
