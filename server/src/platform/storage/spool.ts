import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolder, syncFolder } from '../durable-folder.ts';
import { filesBelow, inFolderOf, isFolderWritable, onFiles, pathOf, removeFile } from './files.ts';
import type { ObjectFacts } from './storage.ts';

/** A file that grows. All methods throw `StorageError`. */
export interface SpoolFile {
  /** Appends the first bytes of a block, all of them. */
  append(block: Uint8Array, length: number): Promise<void>;
  /** Makes durable what was appended. */
  flush(): Promise<void>;
  /** Makes everything durable and closes the file; it is closed also when that fails. */
  close(): Promise<void>;
}

/**
 * Where something is while it is still written: always a folder on this server's own disk, whatever the storage, because object stores cannot
 * append and a crash must lose nothing. Files have keys as objects have.
 */
export interface Spool {
  /** Creates a file with its beginning, both durable when it returns. @throws StorageError `exists` when there is one */
  create(key: string, beginning: string): Promise<SpoolFile>;
  stat(key: string): Promise<ObjectFacts>;
  /** Reads a file from its beginning. */
  read(key: string): Readable;
  /** The last bytes of a file, at most so many. */
  tail(key: string, bytes: number): Promise<Buffer>;
  /** At most so many bytes from a place on. */
  readPart(key: string, from: number, bytes: number): Promise<Buffer>;
  /** Cuts a file to a length. */
  cut(key: string, length: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** The keys of all files in their order, those of a storage in the same folder among them. */
  list(): AsyncIterable<string>;
  isWritable(): Promise<boolean>;
  /** What the account of this process may still write. */
  freeBytes(): Promise<number>;
}

/** Opens a folder as a spool and makes it if it is not there. Only the server's own account can read it. @throws StorageError */
export async function openSpool(path: string): Promise<Spool> {
  const folder = resolve(path);
  await onFiles(() => makeFolder(folder));
  const withFile = <Result>(
    key: string,
    flags: string | number,
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
    read: (key) => createReadStream(pathOf(folder, key), { highWaterMark: 256 * 1024 }),
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
    cut: (key, length) =>
      withFile(key, constants.O_WRONLY, async (file) => {
        await file.truncate(length);
        await file.sync();
      }),
    async delete(key) {
      const name = pathOf(folder, key);
      await onFiles(() => removeFile(folder, name));
    },
    list: () => filesBelow(folder),
    isWritable: () => isFolderWritable(folder),
    freeBytes: () =>
      onFiles(async () => {
        const { bavail, bsize } = await statfs(folder);
        return bavail * bsize;
      }),
  };
}

async function createFile(path: string, beginning: string): Promise<SpoolFile> {
  const file = await inFolderOf(path, () => open(path, 'ax', 0o600));
  try {
    await file.appendFile(beginning);
    await file.sync();
    await syncFolder(dirname(path));
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    append: (block, length) =>
      onFiles(async () => {
        for (let done = 0; done < length; )
          done += (await file.write(block, done, length - done)).bytesWritten;
      }),
    flush: () => onFiles(() => file.datasync()),
    close: () => onFiles(() => file.sync().finally(() => file.close())),
  };
}
