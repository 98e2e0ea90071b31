import { stat, statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import type pg from 'pg';
import { type Config, StartError } from '../../config.ts';
import { createAuditChains } from '../../features/audits/index.ts';
import {
  BackupFailure,
  beginDrill,
  type DrillFacts,
  DrillFailure,
  endDrill,
  newestBackup,
} from '../../features/backups/index.ts';
import { openDataKeys } from '../../platform/crypto/data-keys.ts';
import { readMasterKeys } from '../../platform/crypto/master-key.ts';
import { type Db, openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { StorageError } from '../../platform/storage/storage.ts';
import { openSample } from '../keys/sealed-columns.ts';
import { connected } from './connect.ts';
import { assertWhole } from './files.ts';
import { type KeptFile, type Manifest, readManifest } from './manifest.ts';
import { copiedRecordings } from './recordings.ts';
import { assertDatabaseFiles, fillTables } from './restore.ts';
import { withScratch } from './scratch.ts';
import { inStorage, WrongKey } from './sealed-backup.ts';
import { backupStorage } from './stored-backups.ts';
import { NoRoom, withUnpacked } from './unpacked.ts';

/** Recordings that are compared, and their bytes at most. */
const MAX_RECORDINGS = 200;
const MAX_RECORDING_BYTES = 1_073_741_824;
/** Rows become larger than their compressed files, and get indexes. */
const GROWTH = 8;
/** Free bytes that a drill leaves on the disk of the embedded database. */
const SPARE_BYTES = 268_435_456;
const MAX_MS = 4 * 3_600_000;

export interface DrillOptions {
  /** Address and access of the live database, which is only read. */
  readonly url: string;
  readonly db: Db;
  /** Folder of the backup. Default: the newest. */
  readonly folder?: string | undefined;
  /** Display name of the user; empty: the schedule. */
  readonly startedBy: string;
  readonly signal?: AbortSignal | undefined;
  readonly say: (line: string) => void;
}

/**
 * Restores a backup into a scratch database, verifies it, and records the result.
 * @throws DrillFailure after recording it
 */
export async function drill(config: Config, options: DrillOptions): Promise<DrillFacts> {
  const { db, startedBy } = options;
  const place = await placeOf(config, options);
  const timeout = AbortSignal.timeout(MAX_MS);
  const signal = AbortSignal.any([timeout, ...(options.signal ? [options.signal] : [])]);
  let id: string | undefined;
  try {
    return await place.open(async (folder) => {
      const backup = await readBackup(config, folder);
      id = await beginDrill(db, {
        folder: place.name,
        dateBackup: new Date(backup.date),
        startedBy,
      });
      const facts = await verifyBackup(config, folder, backup, { ...options, signal });
      await endDrill(db, id, facts);
      return facts;
    });
  } catch (error) {
    const failure = failureOf(error, { signal, timeout });
    // A mistyped folder says nothing about the backups.
    if (failure.problem === 'missing' && options.folder !== undefined) throw failure;
    id ??= await beginDrill(db, { folder: place.name, dateBackup: undefined, startedBy });
    await endDrill(db, id, failure);
    throw failure;
  }
}

/** The place of a backup, with a folder of its files while it is open. */
interface Place {
  readonly name: string;
  open<T>(work: (folder: string) => Promise<T>): Promise<T>;
}

/** Returns the folder that the operator names, or the newest backup. @throws DrillFailure */
async function placeOf(config: Config, { db, folder }: DrillOptions): Promise<Place> {
  const inFolder = (name: string): Place => ({ name, open: (work) => work(name) });
  if (folder !== undefined) return inFolder(resolve(folder));
  const newest = await newestBackup(db);
  if (!newest) throw new DrillFailure('no_backup', 'No backup was made with this program.');
  const { storage: id, stored_key: key } = newest;
  // The folder may be on another server.
  const isHere = newest.has_folder && (await stat(newest.folder).catch(() => undefined));
  if (isHere || id === null || key === null) return inFolder(newest.folder);
  return {
    name: key,
    async open(work) {
      const { vault } = await step('wrong_key', () => openDataKeys(db, config));
      const masters = await step('wrong_key', () => readMasterKeys(config));
      return fromStorage(async () => {
        const { storage } = await backupStorage(db, vault, id);
        return withUnpacked(inStorage(storage, key), masters, work);
      });
    },
  };
}

/** Turns errors of a storage, and of an encrypted backup, into failures of a kind. */
async function fromStorage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupFailure || error instanceof StorageError)
      throw new DrillFailure('missing', error.message);
    if (error instanceof NoRoom) throw new DrillFailure('no_space', error.message);
    if (error instanceof WrongKey) throw new DrillFailure('wrong_key', error.message);
    if (error instanceof StartError) throw new DrillFailure('corrupted', error.message);
    throw error;
  }
}

function failureOf(
  error: unknown,
  { signal, timeout }: { readonly signal: AbortSignal; readonly timeout: AbortSignal },
): DrillFailure {
  if (error instanceof DrillFailure) return error;
  if (timeout.aborted) return new DrillFailure('timeout', 'The drill was stopped after 4 hours.');
  if (signal.aborted) return new DrillFailure('interrupted', 'The drill was stopped.');
  return new DrillFailure('failed', error instanceof Error ? error.message : String(error));
}

/** Runs a step, and turns sentences for the operator into failures of a kind. */
async function step<T>(problem: DrillFailure['problem'], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StartError
      ? new DrillFailure(problem, error.message.replace(/ Nothing was restored\.$/, ''))
      : error;
  }
}

/** Reads the manifest and compares its signature with the current keys. @throws DrillFailure */
async function readBackup(config: Config, folder: string): Promise<Manifest> {
  await stat(folder).catch(({ code }: NodeJS.ErrnoException) => {
    throw new DrillFailure(
      'missing',
      code === 'ENOENT'
        ? `${folder} does not exist.`
        : `The account of the server may not read ${folder} (${code}).`,
    );
  });
  const { manifest, isSignedBy } = await step('corrupted', () => readManifest(folder));
  const masters = await step('wrong_key', () => readMasterKeys(config));
  if (!(await isSignedBy(masters)))
    throw new DrillFailure(
      'wrong_key',
      'The manifest was not signed with the current key, or it was changed.',
    );
  return manifest;
}

async function verifyBackup(
  config: Config,
  folder: string,
  manifest: Manifest,
  { url, db, signal, say }: DrillOptions & { readonly signal: AbortSignal },
): Promise<DrillFacts> {
  const recordings = await step('corrupted', async () => {
    await assertDatabaseFiles(folder, manifest);
    return compareRecordings(folder, signal);
  });
  say(`files: as they were written; ${recordings} recordings compared`);
  await assertSpace(config, db, manifest);
  return withScratch(url, signal, async (scratch) => {
    const rows = await fillScratch(scratch, folder, manifest);
    say(`database: ${manifest.tables.length} tables, ${rows} rows restored`);
    const database = openDatabase(scratch, 2);
    try {
      const secrets = await verifyContents(config, database.db, folder);
      say(`audit logs: intact; ${secrets} secrets opened`);
      return { tables: manifest.tables.length, rows, recordings, secrets };
    } finally {
      await database.close().catch(() => undefined);
    }
  });
}

/** Compares a random sample of the recordings with their digests; returns their number. */
async function compareRecordings(folder: string, signal: AbortSignal): Promise<number> {
  const sample: KeptFile[] = [];
  let seen = 0;
  for await (const recording of copiedRecordings(folder)) {
    signal.throwIfAborted();
    seen += 1;
    if (sample.length < MAX_RECORDINGS) sample.push(recording);
    else {
      const place = Math.floor(Math.random() * seen);
      if (place < MAX_RECORDINGS) sample[place] = recording;
    }
  }
  let [compared, bytes] = [0, 0];
  for (const recording of sample) {
    signal.throwIfAborted();
    if (bytes + recording.bytes > MAX_RECORDING_BYTES) continue;
    bytes += recording.bytes;
    await assertWhole(folder, recording);
    compared += 1;
  }
  return compared;
}

/** The disk of an external database is not known to this server. @throws DrillFailure */
async function assertSpace(config: Config, db: Db, { tables }: Manifest): Promise<void> {
  if (config.databaseUrl !== undefined) return;
  const { rows } = await sql<{ size: number }>`
    select pg_database_size(current_database()) as size`.execute(db);
  const files = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  const needed = Math.max(rows[0]?.size ?? 0, files * GROWTH) + SPARE_BYTES;
  const { bavail, bsize } = await statfs(config.dataDirectory);
  const free = bavail * bsize;
  const mib = (bytes: number) => Math.ceil(bytes / 1_048_576);
  if (free < needed)
    throw new DrillFailure(
      'no_space',
      `The drill needs ${mib(needed)} MiB on the disk of ${config.dataDirectory}; ${mib(free)} MiB are free.`,
    );
}

/** Fills the scratch database and counts the rows of each table. @throws DrillFailure */
async function fillScratch(url: string, folder: string, manifest: Manifest): Promise<number> {
  return connected(url, 'drill', async (client) => {
    await client.query('begin');
    await step('rows', () => fillTables(client, folder, manifest));
    await client.query('commit');
    return countRows(client, manifest);
  });
}

/** Counts the rows of all tables, in one statement for any names. @throws DrillFailure */
async function countRows(client: pg.Client, { tables }: Manifest): Promise<number> {
  const { rows: counts } = await client.query<{ name: string; counted: string }>(
    `select name, query_to_xml(format('select count(*) as c from %I', name), false, false, '')::text
       as counted
     from unnest($1::text[]) as one (name)`,
    [tables.map(({ name }) => name)],
  );
  const byName = new Map(
    counts.map(({ name, counted }) => [name, Number(/<c>(\d+)<\/c>/.exec(counted)?.[1])]),
  );
  let total = 0;
  for (const { name, rows } of tables) {
    const count = byName.get(name);
    if (count !== rows)
      throw new DrillFailure('rows', `The table ${name} has ${count} rows instead of ${rows}.`);
    total += rows;
  }
  return total;
}

/** Verifies the audit logs and opens a sample of the secrets. @throws DrillFailure */
async function verifyContents(config: Config, db: Db, folder: string): Promise<number> {
  const { vault } = await step('wrong_key', () => openDataKeys(db, config));
  // The folder of the backup has the seals of its moment.
  const chains = createAuditChains({ db, vault, directory: folder, keepsFile: () => false });
  const broken = (await chains.verify()).find(({ first_break: row }) => row !== null);
  if (broken)
    throw new DrillFailure('audit', `${broken.log} is not intact at row ${broken.first_break}.`);
  const { opened, unreadable } = await openSample(db, vault);
  if (unreadable.length > 0)
    throw new DrillFailure('secret', `Not opened: ${unreadable.slice(0, 5).join(', ')}`);
  return opened;
}
