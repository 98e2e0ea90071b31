import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeFolder, syncFolder } from '../durable-folder.ts';
import {
  asStorageError,
  filesBelow,
  inFolderOf,
  isFolderWritable,
  onFiles,
  pathOf,
  removeFile,
} from './files.ts';
import { INCOMPLETE } from './keys.ts';
import type { ByteRange, ObjectFacts, OpenObject, Storage } from './storage.ts';
import { StorageError } from './storage-error.ts';

/** Keeps objects as files of a folder on this server's disk, which is made if it is not there. Only the server's own account can read them. @throws StorageError */
export async function openLocalStorage(path: string): Promise<Storage> {
  const folder = resolve(path);
  await onFiles(() => makeFolder(folder));
  return {
    async put(key, content) {
      const file = pathOf(folder, key);
      await onFiles(() => putFile(file, content));
    },
    async open(key, range) {
      const file = pathOf(folder, key);
      return onFiles(() => openFile(file, range));
    },
    async stat(key) {
      const file = pathOf(folder, key);
      return onFiles(() => factsOf(file));
    },
    async delete(key) {
      const file = pathOf(folder, key);
      await onFiles(() => removeFile(folder, file));
    },
    list: () => filesBelow(folder),
    removeRemains: () =>
      onFiles(async () => {
        for await (const name of filesBelow(folder, (file) => file.endsWith(INCOMPLETE)))
          await rm(join(folder, name), { force: true });
      }),
    isWritable: () => isFolderWritable(folder),
  };
}

/** At every moment either the old file or the whole new one has the name. */
async function putFile(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${path}.${randomBytes(6).toString('hex')}${INCOMPLETE}`;
  const file = await inFolderOf(part, () => open(part, 'wx', 0o600));
  try {
    // `flush` makes the bytes durable before the file is closed.
    await pipeline(content, file.createWriteStream({ flush: true }));
    await rename(part, path);
    await syncFolder(dirname(path)).catch((error: unknown) => {
      // The folder is gone when the object was deleted in the meantime.
      if (asStorageError(error).code !== 'missing') throw error;
    });
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function openFile(path: string, range: ByteRange | undefined): Promise<OpenObject> {
  const file = await open(path, 'r');
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new StorageError('missing', path);
    const { size, mtime } = found;
    const start = range?.start ?? 0;
    const end = Math.min(size, start + (range?.length ?? size));
    if (!isCount(start) || !isCount(range?.length ?? 0) || start > size)
      throw new StorageError('range', `${start} of ${size} bytes`);
    // A stream cannot be asked for nothing, but for what is behind the end.
    const stream = file.createReadStream(end > start ? { start, end: end - 1 } : { start: size });
    return { size, modifiedAt: mtime, stream };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

async function factsOf(path: string): Promise<ObjectFacts | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    if (asStorageError(error).code === 'missing') return undefined;
    throw error;
  });
  return found?.isFile() ? { size: found.size, modifiedAt: found.mtime } : undefined;
}
