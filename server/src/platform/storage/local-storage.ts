import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Sealer } from '../crypto/vault.ts';
import { openBucket } from './bucket.ts';
import {
  asStorageError,
  filesBelow,
  inFolderOf,
  isFolderWritable,
  makeFolder,
  onFiles,
  pathOf,
  removeFile,
  syncFolder,
} from './files.ts';
import { createRecordings, type Recordings } from './recordings.ts';
import { openSpool } from './spool.ts';
import {
  type ByteRange,
  INCOMPLETE,
  isKey,
  type ObjectFacts,
  type OpenObject,
  type Storage,
  StorageError,
} from './storage.ts';

/**
 * Opens a storage in a folder of this server's disk and creates the folder if necessary. Only the
 * server's own account can read it.
 * @throws StorageError
 */
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
    list: (below) => filesBelow(folder, isKey, below && `${below}/`),
    removeRemains: () =>
      onFiles(async () => {
        for await (const name of filesBelow(folder, (file) => file.endsWith(INCOMPLETE)))
          await rm(join(folder, name), { force: true });
      }),
    isWritable: () => isFolderWritable(folder),
  };
}

/** Replaces a file atomically: the name always refers to the complete old or new file. */
async function putFile(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${path}.${randomBytes(6).toString('hex')}${INCOMPLETE}`;
  const file = await inFolderOf(part, () => open(part, 'wx', 0o600));
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
    await syncFolder(dirname(path)).catch((error: unknown) => {
      // A parallel delete may have removed the folder.
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
    const stats = await file.stat();
    if (!stats.isFile()) throw new StorageError('missing', path);
    const { size, mtime } = stats;
    const start = range?.start ?? 0;
    const end = Math.min(size, start + (range?.length ?? size));
    if (!isCount(start) || !isCount(range?.length ?? 0) || start > size)
      throw new StorageError('range', `${start} of ${size} bytes`);
    // createReadStream cannot read an empty range; a range after the end has the same effect.
    const stream = file.createReadStream(end > start ? { start, end: end - 1 } : { start: size });
    return { size, modifiedAt: mtime, stream };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

async function factsOf(path: string): Promise<ObjectFacts | undefined> {
  const stats = await stat(path).catch((error: unknown) => {
    if (asStorageError(error).code === 'missing') return undefined;
    throw error;
  });
  return stats?.isFile() ? { size: stats.size, modifiedAt: stats.mtime } : undefined;
}

/**
 * Opens recordings whose spool and storage are one folder of this server's disk. Creates the folder
 * if necessary. `files` seals the keys of sealed recordings.
 * @throws StorageError
 */
export async function openLocalRecordings(folder: string, files?: Sealer): Promise<Recordings> {
  return createRecordings({
    files,
    isOneFolder: true,
    spool: await openSpool(folder),
    storage: await openLocalStorage(folder),
    openBucket,
  });
}
