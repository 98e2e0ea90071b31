import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { posixPath } from '@sallyport/contract';
import type pg from 'pg';
import { type Config, StartError } from '../../config.ts';
import { rememberBackup } from '../../features/backups/index.ts';
import { serverIdOf } from '../../features/servers/index.ts';
import { type DataKeys, openDataKeys } from '../../platform/crypto/data-keys.ts';
import { hasSecretKey, readMasterKeys } from '../../platform/crypto/master-key.ts';
import { DIRECT } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { RELEASE_NAME } from '../../platform/release.ts';
import { syncFolder } from '../../platform/storage/files.ts';
import { withDatabase } from '../with-database.ts';
import { connected } from './connect.ts';
import { keepFile } from './files.ts';
import { assertKeysPlace, writeKeys } from './keys.ts';
import {
  type KeptFile,
  MANIFEST,
  type RecordingsSummary,
  SEALS,
  writeManifest,
} from './manifest.ts';
import { keepRecordings } from './recordings.ts';
import { copyOut } from './tables.ts';

export interface BackupOptions {
  /** A folder that does not exist. */
  readonly folder: string;
  /** Copies the recordings on this server's disk. */
  readonly recordings: boolean;
  /** A file for the keys that does not exist. */
  readonly keys: string | undefined;
  /** Set if the server makes the backup: the storage that is to get a copy. */
  readonly scheduled?: { readonly storage: string | undefined };
  readonly signal?: AbortSignal | undefined;
  readonly say: (line: string) => void;
}

/** A database, and its address for a separate connection. */
interface Source {
  readonly url: string;
  readonly db: Db;
}

/**
 * Copies a snapshot of the database and its files into a new folder, with or without a running
 * server. The folder is renamed when it is complete.
 *
 * @throws StartError with one sentence for the operator, after removing partial results
 */
export async function makeBackup(config: Config, options: BackupOptions): Promise<void> {
  const folder = assertPlaces(options);
  if (!hasSecretKey(config))
    throw new StartError(
      'The secret key of this installation is missing. Name it: SALLYPORT_SECRET_KEY_FILE',
    );
  await withDatabase(config, (source) => writeBackup(config, source, { ...options, folder }));
}

/** Returns the path of the new folder. @throws StartError if a place is taken or missing */
function assertPlaces({ folder: name, keys }: BackupOptions): string {
  const folder = resolve(name);
  if (existsSync(folder))
    throw new StartError(
      `${folder} is there already, and a backup is never written over. Name a new folder.`,
    );
  if (!existsSync(dirname(folder)))
    throw new StartError(
      `The folder ${dirname(folder)} is not there. Make it: install -d -m 700 ${posixPath(dirname(folder))}`,
    );
  if (keys !== undefined) assertKeysPlace(keys, folder);
  return folder;
}

/** Writes a backup with an open database, and records it; returns the id of the record. */
export async function writeBackup(
  config: Config,
  source: Source,
  options: BackupOptions,
): Promise<string> {
  const { folder, keys, scheduled, say } = options;
  const started = new Date();
  const masters = await readMasterKeys(config);
  const part = `${folder}.incomplete-${randomBytes(4).toString('hex')}`;
  await mkdir(part, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(
      `${dirname(folder)} cannot be written (${error.code}). Name a folder below one that this account may write.`,
    );
  });
  try {
    const { included, copied, left, elsewhere, missing } = await writeFiles(
      config,
      source,
      { ...options, folder: part },
      started,
    );
    if (keys !== undefined) await writeKeys(keys, config, masters);
    await rename(part, folder);
    await syncFolder(dirname(folder));
    const bytes = await sizeOf(folder);
    const id = await rememberBackup(source.db, {
      started,
      folder,
      bytes,
      server: serverIdOf(config),
      hasRecordings: included,
      recordings: copied,
      hasKeys: keys !== undefined,
      scheduled,
    });
    say(
      `recordings: ${copied} copied, ${left} only listed, ${elsewhere} elsewhere, ${missing} missing`,
    );
    say(
      keys === undefined
        ? 'keys: not written; keep secret.key in another place, nothing can be restored without it'
        : `keys: ${resolve(keys)}`,
    );
    say(`backup: ${folder} (${bytes} bytes)`);
    return id;
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

/** Writes all files of a backup, the manifest last. */
async function writeFiles(
  config: Config,
  { url, db }: Source,
  { folder, recordings: copies, signal, say }: BackupOptions,
  started: Date,
): Promise<RecordingsSummary> {
  const dataKeys = await openDataKeys(db, config);
  // Copy seals before the snapshot: they must not be newer than the rows.
  const seals = await keepSeals(config.dataDirectory, folder);
  const holder = serverIdOf(config);
  const contents = await inSnapshot(url, async (client) => {
    const { rows: facts } = await client.query<{ version: string }>(
      "select current_setting('server_version') as version",
    );
    const { rows: migrations } = await client.query<{ name: string; digest: string }>(
      'select name, digest from schema_migration order by name',
    );
    const kept = await copyOut(client, folder, { say, signal });
    const recordings = await keepRecordings(client, {
      folder,
      source: join(config.dataDirectory, 'recordings'),
      holder,
      copies,
      files: dataKeys.vault.files,
      signal,
    });
    return { postgres: facts[0]?.version ?? '', migrations, ...kept, recordings };
  });
  const facts = {
    product: RELEASE_NAME,
    node: process.version,
    date: started.toISOString(),
    holder,
  };
  await writeFile(
    join(folder, MANIFEST),
    writeManifest({ ...facts, ...contents, seals, ...signingKey(dataKeys) }, dataKeys.vault),
    { flag: 'wx', mode: 0o600, flush: true },
  );
  return contents.recordings;
}

/** Runs `work` in one read-only snapshot. */
const inSnapshot = <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  connected(url, 'backup', async (client) => {
    await client.query('begin transaction isolation level repeatable read, read only');
    const result = await work(client);
    await client.query('commit');
    return result;
  });

/** Returns the wrapped key that signs the manifest: a restore has no database to read it from. */
function signingKey(keys: DataKeys) {
  const key = keys
    .stored()
    .find(({ purpose, id }) => purpose === 'signatures' && id === keys.active(purpose).id);
  if (!key || key.id === DIRECT) return {};
  const { id, purpose, master_id, wrapped } = key;
  return { signing_key: { id, purpose, master_id, wrapped } };
}

async function keepSeals(dataDirectory: string, folder: string): Promise<KeptFile | null> {
  const path = join(dataDirectory, SEALS);
  return existsSync(path) ? keepFile(folder, SEALS, createReadStream(path)) : null;
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
