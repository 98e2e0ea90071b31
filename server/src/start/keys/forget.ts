import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, StartError } from '../../config.ts';
import { createAuditChains, writeOperateLog } from '../../features/audits/index.ts';
import { DEAD_AFTER_SECONDS } from '../../features/servers/index.ts';
import { systemCaller } from '../../platform/actor.ts';
import { openDataKeys, replaceDataKeys } from '../../platform/crypto/data-keys.ts';
import {
  hasSecretKey,
  KeyLost,
  keyPlaceOf,
  readMasterKeys,
} from '../../platform/crypto/master-key.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { isClaimed } from '../../platform/process/folder-lock.ts';
import { COMMAND } from '../../platform/release.ts';
import { SEALS } from '../backup/manifest.ts';
import { withDatabase } from '../with-database.ts';
import { countSealed, SEALED_COLUMNS } from './sealed-columns.ts';
import { sealedRecordings } from './status.ts';

/** The word that confirms. */
const CONFIRMATION = 'forget';

export interface ForgetOptions {
  readonly confirmation: string | undefined;
  readonly say: (line: string) => void;
}

/**
 * Lets a database start whose secret key is lost: removes all sealed values, stores new keys, and
 * seals the logs as they are. Without the confirmation it only says what it would do.
 *
 * @returns true if the values were removed
 * @throws StartError if the key is not lost, or a server runs
 */
export async function forgetKeys(
  config: Config,
  { confirmation, say }: ForgetOptions,
): Promise<boolean> {
  if (isClaimed(config.dataDirectory))
    throw new StartError('A server runs in this data folder, so its key is not lost.');
  return withDatabase(config, async ({ db }) => {
    if (await isHalfForgotten(db, config)) {
      await sealAgain(db, config);
      return true;
    }
    const values = [...(await countSealed(db)).values()].reduce((sum, count) => sum + count, 0);
    if (confirmation !== CONFIRMATION) {
      const recordings = [...(await sealedRecordings(config)).values()];
      const lost = recordings.reduce((sum, count) => sum + count, 0);
      for (const line of warning(values, lost)) say(line);
      return false;
    }
    const masters = await readMasterKeys(config, !hasSecretKey(config));
    const seals = join(config.dataDirectory, SEALS);
    // The seals of the lost key fit no log any more. They stay as evidence.
    if (existsSync(seals)) renameSync(seals, `${seals}.lost-key`);
    await db.transaction(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx);
      for (const { table, column, json, isRow = false } of SEALED_COLUMNS)
        await sql`select forget_sealed(${table}, ${column}, ${json ?? null}, ${isRow}) as amount`.execute(
          tx,
        );
      await sql`delete from audit_seal`.execute(tx);
      await replaceDataKeys(tx, masters);
      await writeOperateLog(tx, systemCaller('Command line', '127.0.0.1'), {
        action: 'delete',
        resourceType: 'data_key',
        resource: masters[0]?.id ?? '',
        resourceId: masters[0]?.id ?? '',
        changes: { forgotten: [values, null] },
      });
    });
    await sealAgain(db, config);
    say(`${values} sealed values were removed. The key of this database is ${keyPlaceOf(config)}.`);
    say(
      `On other servers, ${config.transit ? '' : 'copy that file, and '}move ${SEALS} away from the data folder.`,
    );
    say(`Start the server, then compare the logs: ${COMMAND} audit verify`);
    return true;
  });
}

async function sealAgain(db: Db, config: Config): Promise<void> {
  const { vault } = await openDataKeys(db, config);
  const { dataDirectory: directory, suite } = config;
  await createAuditChains({ db, vault, directory, isFirst: true, suite }).seal();
}

/**
 * Returns true if a killed command has only left the seals out.
 * @throws StartError if the key is not lost
 */
async function isHalfForgotten(db: Db, config: Config): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id from server
      where date_seen > now() - make_interval(secs => ${DEAD_AFTER_SECONDS})`.execute(db);
  if (rows[0])
    throw new StartError(
      `The server ${rows[0].id} runs, so the key is not lost: its key file opens this database. Copy it, or stop all servers first.`,
    );
  const isOpen = await openDataKeys(db, config).then(
    () => true,
    (error: unknown) => {
      if (error instanceof KeyLost) return false;
      throw error;
    },
  );
  if (!isOpen) return false;
  const { rows: sealed } = await sql<{ is: boolean }>`
    select exists (select from audit_seal) as is`.execute(db);
  if (sealed[0]?.is) throw new StartError('The secret key opens this database: nothing is lost.');
  return true;
}

const warning = (values: number, recordings: number): readonly string[] => [
  `WARNING: this removes ${values} sealed values for good, because no key opens them: passwords and`,
  'keys of system users, admin users, gateways and storages, authenticators of users, access keys,',
  'host keys of the SSH listener, undo scripts, and secrets of mail, directories and providers.',
  `Encrypted recordings can never be replayed again: ${recordings} in this data folder, and those in buckets`,
  'and on other servers. Their files stay. Sessions, other recordings, commands and logs stay, too.',
  'Seals of the logs begin anew: what was changed before this moment is found by the chain alone.',
  'First look for a copy of the key: a --keys file of a backup, a secret store, another server.',
  'Copy the data folder and the database, then confirm with:',
  `  ${COMMAND} key forget --confirm=${CONFIRMATION}`,
];
