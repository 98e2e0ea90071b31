import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';

const { O_CREAT, O_EXCL, O_RDWR } = constants;

export const BLOCK_BYTES = 64 * 1024;

/**
 * Blocks in one file that has no name: the kernel deletes it with the process, even after a crash.
 */
export class BlockSpool {
  readonly #path: string;
  #opening: Promise<FileHandle> | undefined;
  #isClosed = false;
  #blocks = 0;
  #free: number[] = [];

  /** The first write creates the file at `path`, and removes its name. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Returns a block of zeros. */
  async allocate(): Promise<number> {
    const reused = this.#free.pop();
    if (reused === undefined) return this.#blocks++;
    await this.write(reused, 0, Buffer.alloc(BLOCK_BYTES));
    return reused;
  }

  free(block: number): void {
    this.#free.push(block);
  }

  async read(block: number, offset: number, into: Buffer): Promise<void> {
    const file = await this.#file();
    // A block at the end of the file may be shorter: `into` is zeros there.
    await file.read(into, 0, into.length, block * BLOCK_BYTES + offset);
  }

  async write(block: number, offset: number, bytes: Buffer): Promise<void> {
    const file = await this.#file();
    for (let at = 0; at < bytes.length; ) {
      const position = block * BLOCK_BYTES + offset + at;
      at += (await file.write(bytes, at, bytes.length - at, position)).bytesWritten;
    }
  }

  /** Deletes all blocks. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const file = await this.#opening?.catch(() => undefined);
    await file?.close();
  }

  #file(): Promise<FileHandle> {
    if (this.#isClosed) return Promise.reject(new Error('the spool is closed'));
    this.#opening ??= nameless(this.#path);
    return this.#opening;
  }
}

async function nameless(path: string): Promise<FileHandle> {
  const file = await open(path, O_RDWR | O_CREAT | O_EXCL, 0o600);
  await rm(path);
  return file;
}
