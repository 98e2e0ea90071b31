/** Output, or a change of the terminal size. */
export type RecordingEvent =
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'resize'; readonly cols: number; readonly rows: number };

/** Characters of output in a chunk. A chunk is in memory as a whole, or not at all. */
const CHUNK_LENGTH = 1024 * 1024;
/** Chunks in memory. The browser keeps the others outside of the page, and on disk if needed. */
const MAX_IN_MEMORY = 8;

interface Chunk {
  readonly from: number;
  readonly until: number;
  stored?: Blob;
  reading?: Promise<void> | undefined;
}

/** The events of a recording. A long one has only the chunks used last in memory. */
export class EventStore {
  /** Seconds since the start, ascending; one per event. */
  readonly times: number[] = [];
  /** Characters of each event; 0 for a change of the size. */
  readonly lengths: number[] = [];
  /** `undefined` for an event that is not in memory; `read` brings it back. */
  readonly events: (RecordingEvent | undefined)[] = [];
  readonly #chunks: Chunk[] = [];
  /** The chunks in memory; the one used last is the last. */
  readonly #inMemory: Chunk[] = [];
  #length = 0;

  /** Adds an event after all others. */
  add(time: number, event: RecordingEvent): void {
    const length = event.kind === 'output' ? event.text.length : 0;
    this.times.push(time);
    this.lengths.push(length);
    this.events.push(event);
    this.#length += length;
    if (this.#length >= CHUNK_LENGTH) this.#closeChunk();
  }

  /** Reads the chunk of an event into memory; returns undefined if it is in memory. */
  read(index: number): Promise<void> | undefined {
    // The events after the last chunk are always in memory.
    const chunk = this.#chunks.find(({ until }) => index < until);
    if (!chunk) return undefined;
    if (this.events[index] !== undefined) {
      this.#use(chunk);
      return undefined;
    }
    chunk.reading ??= this.#restore(chunk).finally(() => {
      chunk.reading = undefined;
    });
    return chunk.reading;
  }

  #closeChunk(): void {
    const from = this.#chunks.at(-1)?.until ?? 0;
    const chunk = { from, until: this.events.length };
    this.#chunks.push(chunk);
    this.#length = 0;
    // It counts as used before all others: what loads does not displace what plays.
    this.#inMemory.unshift(chunk);
    this.#keepFew();
  }

  #use(chunk: Chunk): void {
    const at = this.#inMemory.indexOf(chunk);
    if (at >= 0) this.#inMemory.splice(at, 1);
    this.#inMemory.push(chunk);
    this.#keepFew();
  }

  #keepFew(): void {
    const oldest = this.#inMemory.length > MAX_IN_MEMORY ? this.#inMemory.shift() : undefined;
    if (!oldest) return;
    const { from, until } = oldest;
    oldest.stored ??= new Blob([JSON.stringify(this.events.slice(from, until))]);
    this.events.fill(undefined, from, until);
  }

  async #restore(chunk: Chunk): Promise<void> {
    const events: RecordingEvent[] = JSON.parse((await chunk.stored?.text()) ?? '[]');
    for (const [index, event] of events.entries()) this.events[chunk.from + index] = event;
    this.#use(chunk);
  }
}
