import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import {
  filesBelow,
  inFolderOf,
  makeFolder,
  onFiles,
  pathOf,
  removeFile,
  removeOnly,
  syncFolder,
} from './files.ts';
import type { ObjectFacts } from './storage.ts';

/** A growing file. All methods throw `StorageError`. */
export interface SpoolFile {
  /** Appends the first `length` bytes of a block. */
  append(block: Uint8Array, length: number): Promise<void>;
  /** Makes appended data durable. */
  flush(): Promise<void>;
  /**
   * Makes all data durable, unless another file has it, and closes the file, which is closed even
   * on an error.
   */
  close(hasCopy?: boolean): Promise<void>;
}

/**
 * Files that are still being written, always in a folder on this server's disk: object stores
 * cannot append, and a crash must lose nothing. File keys have the form of object keys.
 */
export interface Spool {
  /**
   * Creates a file whose name and beginning are durable when the promise resolves.
   * @throws StorageError `exists` if the file exists
   */
  create(key: string, beginning: string | Uint8Array): Promise<SpoolFile>;
  stat(key: string): Promise<ObjectFacts>;
  /** Reads a file, or its first `length` bytes. */
  read(key: string, length?: number): Readable;
  /** Returns at most the last `bytes` bytes. */
  tail(key: string, bytes: number): Promise<Buffer>;
  /** Returns at most `bytes` bytes from a position. */
  readPart(key: string, from: number, bytes: number): Promise<Buffer>;
  /** Makes a closed file durable. */
  sync(key: string): Promise<void>;
  /** Deletes a file, and its folder if that is empty and not `isUsed`. */
  delete(key: string, isUsed?: boolean): Promise<void>;
  /** Yields the keys of all files in order, including those of a storage in the same folder. */
  list(): AsyncIterable<string>;
  /** Returns the bytes that this process may still write. */
  freeBytes(): Promise<number>;
}

/**
 * Opens a folder as a spool and creates it if necessary. Only the server's own account can read it.
 * @throws StorageError
 */
export async function openSpool(path: string): Promise<Spool> {
  const folder = resolve(path);
  await onFiles(() => makeFolder(folder));
  const withFile = <Result>(
    key: string,
    flags: string,
    work: (file: FileHandle) => Promise<Result>,
  ): Promise<Result> => {
    const name = pathOf(folder, key);
    return onFiles(async () => {
      const file = await open(name, flags);
      return work(file).finally(() => file.close());
    });
  };
  return {
    async create(key, beginning) {
      const name = pathOf(folder, key);
      return onFiles(() => createFile(name, beginning));
    },
    async stat(key) {
      const name = pathOf(folder, key);
      const { size, mtime } = await onFiles(() => stat(name));
      return { size, modifiedAt: mtime };
    },
    read: (key, length) =>
      createReadStream(pathOf(folder, key), {
        highWaterMark: 256 * 1024,
        ...(length !== undefined && { end: length - 1 }),
      }),
    tail: (key, bytes) =>
      withFile(key, 'r', async (file) => {
        const { size } = await file.stat();
        const from = Math.max(0, size - bytes);
        const { buffer, bytesRead } = await file.read(
          Buffer.alloc(size - from),
          0,
          size - from,
          from,
        );
        return buffer.subarray(0, bytesRead);
      }),
    readPart: (key, from, bytes) =>
      withFile(key, 'r', async (file) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
        return buffer.subarray(0, bytesRead);
      }),
    sync: (key) => withFile(key, 'r', (file) => file.sync()),
    async delete(key, isUsed) {
      const name = pathOf(folder, key);
      await onFiles(() => (isUsed ? removeOnly(name) : removeFile(folder, name)));
    },
    list: () => filesBelow(folder),
    freeBytes: () =>
      onFiles(async () => {
        const { bavail, bsize } = await statfs(folder);
        return bavail * bsize;
      }),
  };
}

async function createFile(path: string, beginning: string | Uint8Array): Promise<SpoolFile> {
  const file = await inFolderOf(path, () => open(path, 'ax', 0o600));
  try {
    await file.appendFile(beginning);
    await Promise.all([file.sync(), syncFolder(dirname(path))]);
  } catch (error) {
    await file.close();
    // Without its beginning, the file is no recording.
    await removeOnly(path).catch(() => undefined);
    throw error;
  }
  return {
    append: (block, length) =>
      onFiles(async () => {
        for (let done = 0; done < length; )
          done += (await file.write(block, done, length - done)).bytesWritten;
      }),
    flush: () => onFiles(() => file.datasync()),
    close: (hasCopy) =>
      onFiles(() => (hasCopy ? file.close() : file.sync().finally(() => file.close()))),
  };
}
