import { createHash } from 'node:crypto';

/** Timeout between the requests for one file. */
const IDLE_MS = 60_000;
/** Maximum number of tracked ranges; with more, a file never counts as complete. */
const MAX_GAPS = 64;

/** Reason of a transfer that is refused or incomplete. */
export type FileFailure =
  | 'transfer_denied'
  | 'desktop_file_size'
  | 'file_failed'
  | 'file_incomplete'
  | 'file_size';

/** The caller's record of a transfer. */
export interface FileEntry {
  /** Adds transferred bytes. */
  add(bytes: number): void;
  /**
   * The transfer ended: completely, or for the reason. `sha256` is set if the bytes passed in
   * order.
   */
  end(reason?: FileFailure, sha256?: string): void;
}

/**
 * One transfer of a file: from the first content request until the whole file has passed, or until
 * no more requests arrive.
 */
export class FileRead {
  readonly #entry: FileEntry;
  readonly #hash = createHash('sha256');
  readonly #idle: NodeJS.Timeout;
  /** Transferred ranges, sorted and disjoint. */
  #passed: (readonly [number, number])[] = [];
  #isInOrder = true;
  #hashed = 0;
  #isOver = false;

  constructor(entry: FileEntry) {
    this.#entry = entry;
    this.#idle = setTimeout(() => this.end('file_incomplete'), IDLE_MS);
    this.#idle.unref();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Records transferred bytes. */
  add(position: number, bytes: Buffer): void {
    if (this.#isOver || bytes.length === 0) return;
    this.#idle.refresh();
    this.#entry.add(bytes.length);
    if (position === this.#hashed && this.#isInOrder) {
      this.#hash.update(bytes);
      this.#hashed += bytes.length;
    } else this.#isInOrder = false;
    this.#cover(position, position + bytes.length);
  }

  /** Returns true if the whole file has passed. */
  isWhole(size: number): boolean {
    const [first] = this.#passed;
    return size === 0 || (first !== undefined && first[0] === 0 && first[1] >= size);
  }

  /** Ends the transfer: complete, or with the reason. */
  end(reason?: FileFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#idle);
    this.#entry.end(
      reason,
      reason === undefined && this.#isInOrder ? this.#hash.digest('hex') : undefined,
    );
  }

  #cover(from: number, to: number): void {
    const [apart, touching]: [(readonly [number, number])[], (readonly [number, number])[]] = [
      [],
      [],
    ];
    for (const one of this.#passed) (one[1] < from || one[0] > to ? apart : touching).push(one);
    const joined = [
      Math.min(from, ...touching.map(([start]) => start)),
      Math.max(to, ...touching.map(([, end]) => end)),
    ] as const;
    const all = [...apart, joined].sort(([one], [other]) => one - other);
    this.#passed = all.slice(0, MAX_GAPS);
  }
}
