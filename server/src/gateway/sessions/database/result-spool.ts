import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A row as the database returned it; null is SQL NULL. */
export type Row = readonly (string | null)[];

/** Maximum rows and characters of one page of the file. */
const PAGE_ROWS = 200;
const PAGE_CHARACTERS = 256 * 1024;
/** Unwritten pages before the database has to pause. */
const MAX_BEHIND = 16;
const IV = 12;
const TAG = 16;

interface Page {
  readonly first: number;
  readonly rows: number;
  readonly position: number;
  readonly length: number;
}

/**
 * Rows of one result on the local disk, so that any part can be shown later. The file is unlinked
 * while open, so nothing survives the process. Pages are encrypted with a key in memory.
 */
export class ResultSpool {
  private readonly file: FileHandle;
  private readonly key = randomBytes(32);
  private readonly pages: Page[] = [];
  private waiting: Row[] = [];
  private waitingCharacters = 0;
  private count = 0;
  private size = 0;
  private behind = 0;
  private writing: Promise<void> = Promise.resolve();
  private problem: unknown;
  private isClosed = false;
  private readonly onDrain: () => void;

  private constructor(file: FileHandle, onDrain: () => void) {
    this.file = file;
    this.onDrain = onDrain;
  }

  /** `onDrain` is called when the disk has caught up after `add` returned false. */
  static async open(folder: string | undefined, onDrain: () => void): Promise<ResultSpool> {
    const path = join(folder ?? tmpdir(), `result-${randomUUID()}`);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new ResultSpool(file, onDrain);
  }

  get rows(): number {
    return this.count;
  }

  /** Bytes on disk. */
  get bytes(): number {
    return this.size;
  }

  /** The write error; undefined if none. */
  get failure(): unknown {
    return this.problem;
  }

  /** Adds a row. Returns false if the disk is behind. */
  add(row: Row): boolean {
    if (this.isClosed) return true;
    this.waiting.push(row);
    this.count += 1;
    for (const value of row) this.waitingCharacters += (value?.length ?? 0) + 4;
    if (this.waiting.length >= PAGE_ROWS || this.waitingCharacters >= PAGE_CHARACTERS) this.flush();
    return this.behind < MAX_BEHIND;
  }

  /** Reads up to `max` rows from row `from`; fewer once they exceed `characters`. */
  async read(from: number, max: number, characters: number): Promise<Row[]> {
    const result: Row[] = [];
    let left = characters;
    for (let at = from; result.length < max && at < this.count && left > 0; ) {
      const page = this.pageWith(at);
      const rows = page ? await this.readPage(page) : this.waiting;
      const first = page ? page.first : this.count - this.waiting.length;
      const part = rows.slice(at - first, at - first + max - result.length);
      if (part.length === 0) break;
      for (const row of part) {
        result.push(row);
        left -= row.reduce((sum, value) => sum + (value?.length ?? 4), 0);
        if (left <= 0) break;
      }
      at = from + result.length;
    }
    return result;
  }

  /** Closes the file, which releases its disk space. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.waiting = [];
    await this.writing;
    await this.file.close().catch(() => undefined);
  }

  private pageWith(row: number): Page | undefined {
    let low = 0;
    let high = this.pages.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const page = this.pages[middle];
      if (!page) return undefined;
      if (row < page.first) high = middle - 1;
      else if (row >= page.first + page.rows) low = middle + 1;
      else return page;
    }
    return undefined;
  }

  private flush(): void {
    const rows = this.waiting;
    const iv = randomBytes(IV);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv);
    const body = Buffer.concat([cipher.update(JSON.stringify(rows), 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([iv, cipher.getAuthTag(), body]);
    this.pages.push({
      first: this.count - rows.length,
      rows: rows.length,
      position: this.size,
      length: sealed.length,
    });
    const position = this.size;
    this.size += sealed.length;
    this.waiting = [];
    this.waitingCharacters = 0;
    this.behind += 1;
    this.writing = this.writing
      .then(() => this.file.write(sealed, 0, sealed.length, position))
      .then(
        () => this.written(),
        (error: unknown) => {
          this.problem ??= error;
          this.written();
        },
      );
  }

  private written(): void {
    this.behind -= 1;
    if (this.behind === MAX_BEHIND - 1) this.onDrain();
  }

  private async readPage({ position, length }: Page): Promise<Row[]> {
    await this.writing;
    if (this.problem) throw this.problem;
    const sealed = Buffer.alloc(length);
    await this.file.read(sealed, 0, length, position);
    const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(0, IV));
    decipher.setAuthTag(sealed.subarray(IV, IV + TAG));
    return JSON.parse(
      Buffer.concat([decipher.update(sealed.subarray(IV + TAG)), decipher.final()]).toString(
        'utf8',
      ),
    ) as Row[];
  }
}
