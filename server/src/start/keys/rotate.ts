import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Config, StartError } from '../../config.ts';
import { writeOperateLog } from '../../features/audits/index.ts';
import { DEAD_AFTER_SECONDS, serverIdOf, serverOf } from '../../features/servers/index.ts';
import { systemCaller } from '../../platform/actor.ts';
import {
  type DataKeys,
  lockDataKeys,
  newDataKey,
  openDataKey,
  openDataKeys,
  readDataKeys,
  rewrapDataKey,
  storeDataKey,
} from '../../platform/crypto/data-keys.ts';
import { DATA_KEYS_CHANNEL } from '../../platform/crypto/follow-data-keys.ts';
import { keyPlaceOf, type MasterKey, readMasterKeys } from '../../platform/crypto/master-key.ts';
import { PURPOSES } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { isClaimed } from '../../platform/process/folder-lock.ts';
import { COMMAND } from '../../platform/release.ts';
import { withDatabase } from '../with-database.ts';
import { addMasterKey, dropOldMasterKeys } from './key-file.ts';
import { resealAll } from './sealed-columns.ts';

const OPERATOR = systemCaller('Command line', '127.0.0.1');
const POLL_MS = 500;
const REPORT_MS = 10_000;

/** The services and keys of a rotation. */
interface Rotation {
  readonly config: Config;
  readonly db: Db;
  readonly keys: DataKeys;
  /** The new master key first. */
  readonly masters: readonly MasterKey[];
  readonly say: (line: string) => void;
  /** The id of the running server that owns the database of the data folder. */
  readonly alone: string | undefined;
}

/**
 * Gives the installation a new master key and new data keys, and seals every secret again, while
 * the servers run. An interrupted rotation continues with the next call.
 *
 * @throws StartError with one sentence for the operator
 */
export async function rotateKeys(config: Config, say: (line: string) => void): Promise<void> {
  if (config.secretKey && !config.transit)
    throw new StartError(
      "SALLYPORT_SECRET_KEY cannot change while a server runs. Write the key into a file of the server's account with mode 600, and name it instead: SALLYPORT_SECRET_KEY_FILE='/etc/sallyport/secret.key'",
    );
  const isRunning = isClaimed(config.dataDirectory);
  await withDatabase(config, async ({ db, pool }) => {
    const client = await pool.connect();
    try {
      await assertFirst(client);
      const keys = await openDataKeys(db, config);
      const masters = await chooseMasters(config, db, say);
      const alone = config.databaseUrl === undefined && isRunning ? serverIdOf(config) : undefined;
      const rotation: Rotation = { config, db, keys, masters, say, alone };
      if (await mustActivate(rotation)) await activateNewKeys(rotation);
      await keys.reload();
      await waitForServers(
        rotation,
        'seals with the old key',
        ({ sealing }) => sealing === keys.active('secrets').id,
      );
      await resealEverything(rotation);
    } finally {
      client.release(true);
    }
  });
}

/** Rotations take turns. The lock ends with the connection. */
async function assertFirst(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(
    "select pg_try_advisory_lock(hashtext('sallyport key rotation')) as locked",
  );
  if (!rows[0]?.locked)
    throw new StartError('Another rotation of keys is running. Wait for its end.');
}

/** Returns the ids of the master keys that wrap active data keys. */
async function activeMasters(db: Db | Tx): Promise<ReadonlySet<string>> {
  const active = (await readDataKeys(db)).filter(({ state }) => state === 'active');
  return new Set(active.map(({ master_id: id }) => id));
}

/** Returns the master keys with a new first one, which an interrupted rotation may have made. */
async function chooseMasters(
  config: Config,
  db: Db,
  say: (line: string) => void,
): Promise<readonly MasterKey[]> {
  const masters = await readMasterKeys(config);
  const [first, ...old] = masters;
  const active = await activeMasters(db);
  // A service keeps its earlier versions; a file holds two keys in an interrupted rotation only.
  const isInterrupted = config.transit ? old.some(({ id }) => active.has(id)) : old.length > 0;
  if (!first || !active.has(first.id) || isInterrupted) return masters;
  const added = await addMasterKey(config);
  say(`master key: ${added[0]?.id} is new, in ${keyPlaceOf(config)}; it replaces ${first.id}`);
  return added;
}

/** Returns false if an interrupted rotation has only values left to seal again. */
async function mustActivate({ db, masters }: Rotation): Promise<boolean> {
  const rows = await readDataKeys(db);
  return (
    rows.some(({ state }) => state === 'coming') ||
    !(await activeMasters(db)).has(newest(masters).id)
  );
}

function newest([master]: readonly MasterKey[]): MasterKey {
  if (!master) throw new Error('there is no master key');
  return master;
}

async function activateNewKeys(rotation: Rotation): Promise<void> {
  const { db, masters, keys } = rotation;
  await db.transaction(async (tx) => {
    await lockDataKeys(tx);
    const rows = await readDataKeys(tx);
    for (const purpose of PURPOSES)
      if (!rows.some((row) => row.purpose === purpose && row.state === 'coming'))
        await storeDataKey(tx, newest(masters), newDataKey(), { purpose, state: 'coming' });
  });
  await keys.reload();
  const coming = keys
    .stored()
    .filter(({ state }) => state === 'coming')
    .map(({ purpose, id }) => `${purpose} ${id}`);
  await waitForServers(rotation, 'does not have the new secret key', ({ opened }) =>
    coming.every((key) => opened.includes(key)),
  );
  await db.transaction(async (tx) => {
    await lockDataKeys(tx);
    for (const row of await readDataKeys(tx)) {
      if (row.master_id === newest(masters).id) continue;
      const bytes = await openDataKey(masters, row);
      if (!bytes)
        throw new StartError(
          `No key in ${keyPlaceOf(rotation.config)} opens the data key ${row.id} of ${row.date_created.toISOString()}. Nothing was changed.`,
        );
      await rewrapDataKey(tx, newest(masters), { ...row, bytes });
    }
    await sql`update data_key set state = 'retired' where state = 'active'`.execute(tx);
    await sql`update data_key set state = 'active' where state = 'coming'`.execute(tx);
    await record(tx, newest(masters).id, {
      key_state: [null, 'active'],
    });
  });
  rotation.say('data keys: the new ones are in use');
}

interface Report {
  readonly opened: readonly string[];
  readonly sealing: string;
}

/** Waits until each running server fulfils a condition; says which one does not. */
async function waitForServers(
  { db, config, say, alone }: Rotation,
  problem: string,
  isDone: (report: Report) => boolean,
): Promise<void> {
  let nextReport = performance.now() + POLL_MS * 4;
  for (;;) {
    await sql`select pg_notify(${DATA_KEYS_CHANNEL}, '')`.execute(db);
    await sleep(POLL_MS);
    const { rows } = await sql<Partial<Report> & { readonly server: string }>`
      with running as (
        select id from server
        where date_seen > now() - make_interval(secs => ${DEAD_AFTER_SECONDS}))
      select coalesce(t.name, s.id) as server, k.opened, k.sealing from (
        select id from running
        -- A server that has just started. The numbers of its processes change with each upgrade.
        union select ${alone ?? null}::text where ${alone ?? null}::text is not null
          and not exists (select from running r where ${serverOf(sql`r.id`)} = ${alone ?? null})) s
        left join data_key_server k on k.server = s.id
        left join terminal t on t.holder = ${serverOf(sql`s.id`)} order by 1`.execute(db);
    const late = rows.filter(
      ({ opened, sealing }) => !opened || sealing === undefined || !isDone({ opened, sealing }),
    );
    if (late.length === 0) return;
    if (performance.now() < nextReport) continue;
    nextReport = performance.now() + REPORT_MS;
    say(
      `waiting: ${late.map(({ server }) => server).join(', ')} ${problem}. ${config.transit ? `Each needs SALLYPORT_VAULT_URL and access to ${keyPlaceOf(config)}.` : `Where servers do not share it, copy ${keyPlaceOf(config)} to each.`} Interrupted, the command continues later.`,
    );
  }
}

async function resealEverything({ config, db, keys, masters, say }: Rotation): Promise<void> {
  const { id } = keys.active('secrets');
  let sealed = 0;
  for (;;) {
    const { changed, unreadable } = await resealAll(db, keys.vault, id);
    sealed += changed;
    // A request that began before the new keys may have written meanwhile.
    if (changed > 0) continue;
    for (const place of unreadable) say(`unreadable: no data key opens ${place}`);
    break;
  }
  say(`sealed again: ${sealed} values`);
  await record(db, newest(masters).id, { resealed: [null, sealed] });
  const advice = await dropOldMasterKeys(config);
  if (advice) say(`master key: ${advice}`);
  say(`The rotation is complete. Make a backup: ${COMMAND} backup FOLDER --keys=FILE`);
}

/** Writes an entry of the operate log. */
const record = (
  tx: Db | Tx,
  master: string,
  changes: Readonly<Record<string, readonly [unknown, unknown]>>,
) =>
  writeOperateLog(tx, OPERATOR, {
    action: 'update',
    resourceType: 'data_key',
    resource: master,
    resourceId: master,
    changes,
  });
