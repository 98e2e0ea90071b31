import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { type Config, StartError } from '../../config.ts';
import { declareRestore } from '../../features/audits/index.ts';
import { writeNewServerId } from '../../features/servers/index.ts';
import { moveSessions } from '../../features/sessions/index.ts';
import { moveTerminal } from '../../features/storages/index.ts';
import { MODULES } from '../../modules.ts';
import { hasSecretKey, localMasterKey, readMasterKeys } from '../../platform/crypto/master-key.ts';
import { startEmbedded } from '../../platform/db/embedded.ts';
import { applyMigrations, unknownMigration } from '../../platform/db/migrate.ts';
import { endLostJobs } from '../../platform/jobs/attach.ts';
import { claimFolder } from '../../platform/process/folder-lock.ts';
import { COMMAND } from '../../platform/release.ts';
import { inFolderOf } from '../../platform/storage/files.ts';
import { StorageError } from '../../platform/storage/storage.ts';
import { assertEmptyDatabase, connected } from './connect.ts';
import { assertWhole } from './files.ts';
import { placeKeys, readKeys } from './keys.ts';
import { type Manifest, RECORDINGS, readManifest, SEALS } from './manifest.ts';
import { copiedRecordings } from './recordings.ts';
import { assertTables, copyIn, fillFromFile, inWords } from './tables.ts';
import { namedSource, withUnpacked } from './unpacked.ts';

export interface RestoreOptions {
  /** Folder of the backup, file of an encrypted one, or its address in a bucket. */
  readonly folder: string;
  /** Variables with the account of the bucket. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Key file; absent: the configuration has the secret key. */
  readonly keys: string | undefined;
  readonly say: (line: string) => void;
}

/**
 * Restores a backup into an empty or missing data folder and an empty database. Verifies everything
 * before it writes.
 *
 * @throws StartError with one sentence for the operator; folder and database are then empty again
 */
export async function restoreBackup(
  config: Config,
  { folder: name, environment = {}, keys: keysFile, say }: RestoreOptions,
): Promise<void> {
  const source = await namedSource(name, environment);
  if (!source) return restoreFolder(config, resolve(name), { keysFile, say });
  await assertEmpty(config.dataDirectory);
  const { masters } = await keysOf(config, keysFile);
  try {
    await withUnpacked(source, masters, (folder) =>
      restoreFolder(config, folder, { keysFile, say }),
    );
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new StartError(`${name} cannot be read: ${error.message}`);
  }
}

/** Reads the keys of an operator, and the master keys that they are. @throws StartError */
async function keysOf(config: Config, keysFile: string | undefined) {
  const keys = keysFile === undefined ? undefined : readKeys(keysFile);
  if (!keys && !hasSecretKey(config))
    throw new StartError(
      'The keys are missing: nothing in the backup can be opened without them. Add --keys=FILE, or name the key: SALLYPORT_SECRET_KEY_FILE',
    );
  if (keys && (config.secretKey || config.secretKeyFile || config.secretKeyCommand))
    throw new StartError(
      'Both --keys and SALLYPORT_SECRET_KEY, its _FILE or its _COMMAND name a key; keep one of them.',
    );
  // The keys of a backup from before the service are read next to it.
  const masters = [
    ...(keys
      ? [keys.secretKey, ...keys.earlierKeys].map((key) => localMasterKey(Buffer.from(key, 'hex')))
      : []),
    ...(!keys || config.transit ? await readMasterKeys(config) : []),
  ];
  return { keys, masters };
}

async function restoreFolder(
  config: Config,
  folder: string,
  { keysFile, say }: { readonly keysFile: string | undefined; say(line: string): void },
): Promise<void> {
  const { manifest, isSignedBy } = await readManifest(folder);
  await assertEmpty(config.dataDirectory);
  const { keys, masters } = await keysOf(config, keysFile);
  if (!(await isSignedBy(masters)))
    throw new StartError(
      'The manifest was not signed with this key: it is the key of another installation, or the manifest was changed. Nothing was restored.',
    );
  await verify(folder, manifest);
  say(
    `backup: of ${manifest.date}, made by Sallyport ${manifest.product}; every file is as it was written`,
  );

  const wasThere = existsSync(config.dataDirectory);
  await mkdir(config.dataDirectory, { recursive: true, mode: 0o711 });
  const release = claimFolder(config.dataDirectory);
  try {
    const embedded =
      config.databaseUrl === undefined ? await startEmbedded(config.dataDirectory) : undefined;
    try {
      await fill(
        config.databaseUrl ?? embedded?.url ?? '',
        { folder, manifest, holder: await writeNewServerId(config) },
        async () => {
          await placeRecordings(folder, join(config.dataDirectory, RECORDINGS));
          if (keys) await placeKeys(keys, config.dataDirectory);
          if (manifest.seals) await place(join(folder, SEALS), join(config.dataDirectory, SEALS));
        },
      );
    } finally {
      await embedded?.stop();
    }
  } catch (error) {
    for (const entry of await readdir(config.dataDirectory))
      await rm(join(config.dataDirectory, entry), { recursive: true, force: true });
    if (!wasThere) await rm(config.dataDirectory, { recursive: true, force: true });
    throw error;
  }
  release();
  report(manifest, say);
}

async function assertEmpty(dataDirectory: string): Promise<void> {
  const entries = await readdir(dataDirectory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new StartError(`The data folder ${dataDirectory} cannot be read (${error.code}).`);
  });
  if (entries.length > 0)
    throw new StartError(
      `The data folder ${dataDirectory} is not empty, and a backup is never put over what is there. Name another: SALLYPORT_DATA_DIR='/var/lib/sallyport-restored'`,
    );
}

/** Compares all files but recordings with the manifest. @throws StartError */
export async function assertDatabaseFiles(folder: string, manifest: Manifest): Promise<void> {
  const unknown = unknownMigration(manifest.migrations);
  if (unknown)
    throw new StartError(
      `This backup was made by a newer Sallyport, or another one (${manifest.product}; it has ${unknown}). Restore it with that version.`,
    );
  assertTables(manifest.tables);
  for (const table of manifest.tables) await assertWhole(folder, table);
  if (manifest.seals) await assertWhole(folder, { ...manifest.seals, file: SEALS });
  await assertWhole(folder, manifest.recordings.index);
}

/** Compares all files with the manifest. @throws StartError */
async function verify(folder: string, manifest: Manifest): Promise<void> {
  await assertDatabaseFiles(folder, manifest);
  let copied = 0;
  for await (const recording of copiedRecordings(folder)) {
    await assertWhole(folder, recording);
    copied += 1;
  }
  if (copied !== manifest.recordings.copied)
    throw new StartError(
      'The index of the recordings is not the one of the manifest. Nothing was restored.',
    );
}

interface Restored {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Id of this server. */
  readonly holder: string;
}

/** Creates and fills the tables, runs dependent steps, and commits; all or nothing. */
async function fill(
  url: string,
  { folder, manifest, holder }: Restored,
  besides: () => Promise<void>,
): Promise<void> {
  await connected(url, 'restore', async (client) => {
    await assertEmptyDatabase(client);
    await client.query('begin');
    await fillTables(client, folder, manifest);
    await endLostJobs(client);
    await moveSessions(client, manifest.holder, holder);
    await moveTerminal(client, manifest.holder, holder);
    let droppedEvents = 0;
    for (const { dropAfterRestore } of MODULES)
      droppedEvents += (await dropAfterRestore?.(client)) ?? 0;
    await declareRestore(client, { backup: manifest.date, droppedEvents });
    await besides();
    await client.query('commit');
    // COPY does not update the planner's statistics.
    await client.query('analyze');
  });
}

/** Creates and fills the tables of a backup in an empty database, in the client's transaction. */
export async function fillTables(
  client: pg.Client,
  folder: string,
  manifest: Manifest,
): Promise<void> {
  await applyMigrations(client, manifest.migrations);
  await copyIn(client, manifest, (table) => fillFromFile(client, folder, table));
}

async function placeRecordings(backup: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 });
  for await (const { file, key } of copiedRecordings(backup))
    await place(join(backup, file), join(target, key));
}

/** Copies a file, durable on return and readable by this account only. */
async function place(source: string, target: string): Promise<void> {
  await inFolderOf(target, () => copyFile(source, target));
  const file = await open(target, 'r+');
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}

function report({ tables, recordings }: Manifest, say: (line: string) => void): void {
  const { copied, left, elsewhere, missing } = recordings;
  say(inWords(tables));
  say(`recordings: ${copied} restored`);
  if (left > 0)
    say(
      `recordings: ${left} are NOT in this backup (it was made without --recordings): copy the folder recordings from the old data folder`,
    );
  if (elsewhere > 0)
    say(`recordings: ${elsewhere} stay where they were, in buckets or on other servers`);
  if (missing > 0) say(`recordings: ${missing} were missing when the backup was made`);
  say(`Start the server, then verify: ${COMMAND} audit verify`);
}
