import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupProblem } from '@sallyport/contract';
import type { Config } from '../../config.ts';
import {
  BackupFailure,
  backupState,
  forgetFolder,
  rememberCopy,
  rememberFailure,
  type WaitingBackup,
  waitingBackup,
} from '../../features/backups/index.ts';
import { serverIdOf } from '../../features/servers/index.ts';
import { openDataKeys } from '../../platform/crypto/data-keys.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { diskReserveBytes, type SettingsService } from '../../platform/settings/service.ts';
import { putVerified } from '../../platform/storage/buckets.ts';
import { asStorageError, makeFolder } from '../../platform/storage/files.ts';
import { StorageError, type StorageProblem } from '../../platform/storage/storage.ts';
import { writeBackup } from './backup.ts';
import { sealBackup } from './sealed-backup.ts';
import { backupStorage, storedKey } from './stored-backups.ts';

const MAX_MS = 12 * 3_600_000;
/** A folder that waits for its storage for longer is replaced by a new backup. */
const FRESH_MS = 20 * 3_600_000;
/** A backup may become this much larger than the one before. */
const GROWTH = 1.2;
const FOLDER = /^sallyport-\d{4}-\d{2}-\d{2}t\d{2}-\d{2}-\d{2}-[0-9a-f]{8}$/;
const INCOMPLETE = /\.incomplete-[0-9a-f]{8}$/;

/** Returns true for the name of a folder that a scheduled backup made. */
export const isScheduledName = (name: string): boolean => FOLDER.test(name);

export interface ScheduledOptions {
  /** Address of the database, for a separate connection. */
  readonly url: string;
  readonly db: Db;
  readonly vault: Vault;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/**
 * Makes a backup as the settings say, and puts its encrypted copy into the storage. Continues with
 * the upload of a backup that waits for it.
 * @throws BackupFailure after recording it
 */
export async function runBackup(config: Config, options: ScheduledOptions): Promise<void> {
  const { db, settings } = options;
  const [started, server] = [new Date(), serverIdOf(config)];
  const timeout = AbortSignal.timeout(MAX_MS);
  const signal = AbortSignal.any([timeout, options.signal]);
  let waiting: WaitingBackup | undefined;
  try {
    const storage = settings.get('BACKUP_STORAGE') || undefined;
    // Before a long copy: the storage may have been deleted.
    if (storage) await backupStorage(db, options.vault, storage);
    waiting = storage ? await freshWaiting(db, server, storage) : undefined;
    if (!waiting) {
      const id = await makeFolderOf(config, { ...options, signal }, storage);
      if (!storage) return;
      waiting = await waitingBackup(db, server, storage);
      if (waiting?.id !== id) throw new Error('the record of the backup is missing');
    }
    if (storage) await upload(config, { ...options, signal }, { storage, waiting });
  } catch (error) {
    const failure = failureOf(error, { signal, timeout });
    await rememberFailure(db, waiting?.id, { started, server, failure });
    throw failure;
  }
}

async function freshWaiting(
  db: Db,
  server: string,
  storage: string,
): Promise<WaitingBackup | undefined> {
  const waiting = await waitingBackup(db, server, storage);
  const isFresh = waiting && Date.now() - waiting.date_started.getTime() < FRESH_MS;
  return isFresh && existsSync(waiting.folder) ? waiting : undefined;
}

/** Writes a new folder; returns the id of its record. @throws BackupFailure */
async function makeFolderOf(
  config: Config,
  { url, db, settings, signal, say }: ScheduledOptions,
  storage: string | undefined,
): Promise<string> {
  const { backupDirectory: parent } = config;
  await makeFolder(parent);
  for (const name of await readdir(parent))
    if (isScheduledName(name.replace(INCOMPLETE, '')) && INCOMPLETE.test(name))
      await rm(join(parent, name), { recursive: true, force: true });
  const { bytes } = await backupState(db);
  const { bavail, bsize } = await statfs(parent);
  const needed = bytes * GROWTH + diskReserveBytes(settings);
  const mib = (size: number) => Math.ceil(size / 1_048_576);
  if (bavail * bsize < needed)
    throw new BackupFailure(
      'no_space',
      `${parent} has ${mib(bavail * bsize)} MiB free; the backup and the disk reserve need ${mib(needed)}.`,
    );
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-').toLowerCase();
  const folder = join(parent, `sallyport-${time}-${randomBytes(4).toString('hex')}`);
  return writeBackup(
    config,
    { url, db },
    {
      folder,
      recordings: settings.get('BACKUP_RECORDINGS'),
      keys: undefined,
      scheduled: { storage },
      signal,
      say,
    },
  );
}

/** Puts the encrypted copy of a folder into a storage, and verifies it. @throws BackupFailure */
async function upload(
  config: Config,
  { db, vault, settings, signal, say }: ScheduledOptions,
  { storage: id, waiting }: { readonly storage: string; readonly waiting: WaitingBackup },
): Promise<void> {
  const { folder, bytes } = waiting;
  const { storage, maxBytes } = await backupStorage(db, vault, id);
  if (bytes > maxBytes)
    throw new BackupFailure(
      'too_large',
      `It has ${Math.ceil(bytes / 2 ** 30)} GiB, and the storage takes ${Math.floor(maxBytes / 2 ** 30)}. Leave the recordings out.`,
    );
  const key = storedKey(folder);
  const keys = await openDataKeys(db, config);
  const copy = await putVerified(storage, key, sealBackup(folder, keys, signal), signal);
  await rememberCopy(db, waiting.id, { key, ...copy });
  say(`storage: ${key} (${copy.size} bytes), read back and compared`);
  if (settings.get('BACKUP_KEEP_FOLDER')) return;
  await rm(folder, { recursive: true, force: true });
  await forgetFolder(db, waiting.id);
}

const OF_STORAGE: Readonly<Partial<Record<StorageProblem, BackupProblem>>> = {
  full: 'storage_full',
  refused: 'refused',
  damaged: 'unverified',
};
const OF_DISK: Readonly<Partial<Record<StorageProblem, BackupProblem>>> = {
  full: 'no_space',
  refused: 'folder',
  missing: 'folder',
  exists: 'folder',
};

function failureOf(
  error: unknown,
  { signal, timeout }: { readonly signal: AbortSignal; readonly timeout: AbortSignal },
): BackupFailure {
  if (error instanceof BackupFailure) return error;
  if (timeout.aborted)
    return new BackupFailure('timeout', 'The backup was stopped after 12 hours.');
  if (signal.aborted) return new BackupFailure('interrupted', 'The backup was stopped.');
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StorageError)
    return new BackupFailure(OF_STORAGE[error.code] ?? 'unreachable', message);
  const isOfFiles = error instanceof Error && 'syscall' in error;
  const problem = isOfFiles ? OF_DISK[asStorageError(error).code] : undefined;
  return new BackupFailure(problem ?? 'failed', message);
}
