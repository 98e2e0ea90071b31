/** Cache size in bytes for opened blocks: seeking back often needs recent ones. */
const OPENED_MOST = 64 * 1024 * 1024;

/** Opens blocks of a recording, with an LRU cache. */
export class OpenedBlocks {
  readonly #open: (block: number) => Promise<Uint8Array<ArrayBuffer>>;
  /** In the order of last use. */
  readonly #opened = new Map<number, Uint8Array<ArrayBuffer>>();
  #bytes = 0;

  constructor(open: (block: number) => Promise<Uint8Array<ArrayBuffer>>) {
    this.#open = open;
  }

  /** Opens all given blocks in parallel. @throws RecordingError for a damaged block */
  async open(wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, Uint8Array<ArrayBuffer>>> {
    const blocks = new Map(
      await Promise.all(
        [...wanted].map(
          async (block) => [block, this.#opened.get(block) ?? (await this.#open(block))] as const,
        ),
      ),
    );
    for (const [block, bytes] of blocks) {
      // Another call may have opened the same block concurrently.
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
