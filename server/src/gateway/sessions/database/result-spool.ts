import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A row as the database answered it. */
export type Row = readonly (string | null)[];

/** Rows, and characters, of one page of the file. */
const PAGE_ROWS = 200;
const PAGE_CHARACTERS = 256 * 1024;
/** Pages on their way to the disk before the database has to wait. */
const MOST_BEHIND = 16;
const IV = 12;
const TAG = 16;

interface Page {
  readonly first: number;
  readonly rows: number;
  readonly position: number;
  readonly length: number;
}

/**
 * The rows of one result, on the disk of this server: the database is read once, and any part of the result can be shown afterwards. The file has no name any more while it is
 * used, so nothing of it survives the process, and its pages are encrypted with a key that only this process has.
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

  /** `onDrain` is called when the disk has caught up after `add` said false. */
  static async open(folder: string | undefined, onDrain: () => void): Promise<ResultSpool> {
    const path = join(folder ?? tmpdir(), `result-${randomUUID()}`);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new ResultSpool(file, onDrain);
  }

  /** Rows that it has. */
  get rows(): number {
    return this.count;
  }

  /** Bytes on the disk. */
  get bytes(): number {
    return this.size;
  }

  /** Why it cannot be written; undefined when it can. */
  get failure(): unknown {
    return this.problem;
  }

  /** Takes a row; false when the disk is behind. */
  add(row: Row): boolean {
    if (this.isClosed) return true;
    this.waiting.push(row);
    this.count += 1;
    for (const value of row) this.waitingCharacters += (value?.length ?? 0) + 4;
    if (this.waiting.length >= PAGE_ROWS || this.waitingCharacters >= PAGE_CHARACTERS) this.flush();
    return this.behind < MOST_BEHIND;
  }

  /** Up to `most` rows from a place on; fewer where so many characters are reached. */
  async read(from: number, most: number, characters: number): Promise<Row[]> {
    const found: Row[] = [];
    let left = characters;
    for (let at = from; found.length < most && at < this.count && left > 0; ) {
      const page = this.pageWith(at);
      const rows = page ? await this.readPage(page) : this.waiting;
      const first = page ? page.first : this.count - this.waiting.length;
      const part = rows.slice(at - first, at - first + most - found.length);
      if (part.length === 0) break;
      for (const row of part) {
        found.push(row);
        left -= row.reduce((sum, value) => sum + (value?.length ?? 4), 0);
        if (left <= 0) break;
      }
      at = from + found.length;
    }
    return found;
  }

  /** Gives the disk back. */
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
    if (this.behind === MOST_BEHIND - 1) this.onDrain();
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
