/** Opened blocks are kept up to so many bytes: a jump back often needs those that were just shown. */
const OPENED_MOST = 64 * 1024 * 1024;

/** Opens blocks of a recording, and keeps those that were used last. */
export class OpenedBlocks {
  readonly #open: (block: number) => Promise<Uint8Array<ArrayBuffer>>;
  /** In the order of their last use. */
  readonly #opened = new Map<number, Uint8Array<ArrayBuffer>>();
  #bytes = 0;

  constructor(open: (block: number) => Promise<Uint8Array<ArrayBuffer>>) {
    this.#open = open;
  }

  /** Opens blocks, all of them at once. @throws RecordingError where one is damaged */
  async open(wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, Uint8Array<ArrayBuffer>>> {
    const blocks = new Map(
      await Promise.all(
        [...wanted].map(
          async (block) => [block, this.#opened.get(block) ?? (await this.#open(block))] as const,
        ),
      ),
    );
    for (const [block, bytes] of blocks) {
      // Two may have opened the same one at the same time.
      const before = this.#opened.get(block);
      if (before) this.#bytes -= before.length;
      this.#opened.delete(block);
      this.#opened.set(block, bytes);
      this.#bytes += bytes.length;
    }
    for (const [block, bytes] of this.#opened) {
      if (this.#bytes <= OPENED_MOST) break;
      this.#opened.delete(block);
      this.#bytes -= bytes.length;
    }
    return blocks;
  }
}
