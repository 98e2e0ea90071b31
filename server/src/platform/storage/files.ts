import { constants } from 'node:fs';
import { access, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../durable-folder.ts';
import { createSerial } from '../serial.ts';
import { assertKey, isKey } from './keys.ts';
import { StorageError, type StorageProblem } from './storage-error.ts';

/** A folder is not removed as empty in the moment in which something is created in it. */
const inTurn = createSerial();
const FOLDERS = 'folders';

const PROBLEMS: Readonly<Record<string, StorageProblem>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  EEXIST: 'exists',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EACCES: 'refused',
  EPERM: 'refused',
  EROFS: 'refused',
};

/** What an error of the file system means. */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new StorageError(
    PROBLEMS[code] ?? 'unavailable',
    error instanceof Error ? error.message : String(error),
    error,
  );
}

/** Runs work on files; whatever it throws becomes a `StorageError`. */
export async function onFiles<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asStorageError(error);
  }
}

/** The path of a key below a folder. @throws StorageError for what is no key */
export function pathOf(folder: string, key: string): string {
  assertKey(key);
  return join(folder, ...key.split('/'));
}

/** Creates something in the folder of a path, which is made if it is not there. */
export async function inFolderOf<Result>(
  path: string,
  create: () => Promise<Result>,
): Promise<Result> {
  return inTurn(FOLDERS, async () => {
    await makeFolder(dirname(path));
    return create();
  });
}

/** Removes a file, if it is there, and the folders above it that are empty then, up to a root. */
export async function removeFile(root: string, path: string): Promise<void> {
  await rm(path).catch((error: unknown) => {
    if (asStorageError(error).code !== 'missing') throw error;
  });
  await inTurn(FOLDERS, () => removeEmptyFolders(root, dirname(path)));
}

async function removeEmptyFolders(root: string, lowest: string): Promise<void> {
  for (let folder = lowest; folder.length > root.length; folder = dirname(folder)) {
    const isEmpty = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isEmpty) return;
  }
}

/** The paths below a folder, relative to it, in the order of their bytes; one folder at a time is in memory. A name that cannot be part of a key is passed by. */
export async function* filesBelow(
  folder: string,
  accepts: (path: string) => boolean = isKey,
  above = '',
): AsyncIterable<string> {
  // A folder sorts as the names below it do.
  const entries = (await entriesOf(join(folder, above)))
    .map((entry) => ({
      isFolder: entry.isDirectory(),
      path: `${above}${entry.name}${entry.isDirectory() ? '/' : ''}`,
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  for (const { isFolder, path } of entries) {
    if (isFolder && isKey(path.slice(0, -1))) yield* filesBelow(folder, accepts, path);
    else if (!isFolder && accepts(path)) yield path;
  }
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const problem = asStorageError(error);
    if (problem.code === 'missing') return [];
    throw problem;
  }
}

/** Whether the server may write into a folder. */
export function isFolderWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}
