import { constants } from 'node:fs';
import { access, mkdir, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createSerial } from '../gate.ts';
import { assertKey, isKey, StorageError, type StorageProblem } from './storage.ts';

/**
 * Serializes creation of files and removal of empty folders, which could otherwise remove a folder
 * just before a file is created in it.
 */
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

/** Maps an error of the file system. */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new StorageError(
    PROBLEMS[code] ?? 'unavailable',
    error instanceof Error ? error.message : String(error),
    error,
  );
}

/** Runs file operations and converts their errors to `StorageError`. */
export async function onFiles<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asStorageError(error);
  }
}

/**
 * Returns the path of a key below a folder.
 * @throws StorageError if the key is invalid
 */
export function pathOf(folder: string, key: string): string {
  assertKey(key);
  return join(folder, ...key.split('/'));
}

/** Runs `create`, and again after creating the folder of a path if that is missing. */
export async function inFolderOf<Result>(
  path: string,
  create: () => Promise<Result>,
): Promise<Result> {
  return inTurn(FOLDERS, async () => {
    try {
      return await create();
    } catch (error) {
      if (asStorageError(error).code !== 'missing') throw error;
    }
    await makeFolder(dirname(path));
    return create();
  });
}

/** Removes a file if it exists. */
export const removeOnly = (path: string): Promise<void> =>
  unlink(path).catch((error: unknown) => {
    if (asStorageError(error).code !== 'missing') throw error;
  });

/** Removes a file if it exists, and empty folders above it up to `root`. */
export async function removeFile(root: string, path: string): Promise<void> {
  await removeOnly(path);
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

/**
 * Yields relative paths below a folder in byte order, with one folder at a time in memory. Skips
 * names that are not valid in a key.
 */
export async function* filesBelow(
  folder: string,
  accepts: (path: string) => boolean = isKey,
  above = '',
): AsyncIterable<string> {
  // Sort a folder by the order of the names below it.
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

/** Returns true if the server may write into the folder. */
export function isFolderWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Creates a folder that only the server's own account can read. Its name survives a power failure.
 */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let path = folder; path.length >= first.length; path = dirname(path))
    await syncFolder(dirname(path));
}

/** The last sync of each folder: the running one, or the one that waits for it. */
const syncs = new Map<string, { hasBegun: boolean; readonly end: Promise<void> }>();

/**
 * Makes renames and new names in a folder survive a power failure. Callers that wait for a running
 * sync share the next one.
 */
export function syncFolder(folder: string): Promise<void> {
  const last = syncs.get(folder);
  if (last && !last.hasBegun) return last.end;
  const begin = () => {
    sync.hasBegun = true;
    return syncNow(folder);
  };
  const sync = { hasBegun: !last, end: last ? last.end.then(begin, begin) : syncNow(folder) };
  syncs.set(folder, sync);
  const forget = () => {
    if (syncs.get(folder) === sync) syncs.delete(folder);
  };
  sync.end.then(forget, forget);
  return sync.end;
}

async function syncNow(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
