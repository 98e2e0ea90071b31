import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.ts';
import {
  asynchronousStandbys,
  createDatabaseProbe,
  createReplicationReader,
  isUnseen,
  LAG_SECONDS,
  type Standby,
} from '../../features/health/index.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseAddress } from '../../platform/db/hosts.ts';
import { tryHosts } from '../../platform/db/open-client.ts';
import { journalFolder } from '../../platform/journal/folder.ts';
import { MAX_KEPT } from '../../platform/journal/journal.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { StorageProblem } from '../../platform/storage/storage.ts';
import { type Finding, fine, problem, warning } from './finding.ts';

const MEBIBYTE = 1_048_576;
const MINUTE = 60_000;
/** A slow database is another finding. */
const PATIENCE_SECONDS = 60;
/** Part of the limit of kept bytes above which the next entries push out the oldest. */
const NEARLY_FULL = 0.9;

const namesOf = (standbys: readonly Standby[]) => standbys.map(({ name }) => name).join(', ');

/** Connects to each host of the database: one that does not answer cannot take over. */
export async function examineDatabaseHosts({ databaseUrl }: Config): Promise<Finding[]> {
  if (databaseUrl === undefined || databaseAddress(databaseUrl).hosts.length === 1) return [];
  return (await tryHosts(databaseUrl)).map(({ host, problem: reason }) =>
    reason === undefined
      ? fine('database', `The host ${host} of SALLYPORT_DATABASE_URL answers`)
      : warning(
          'database',
          `The host ${host} of SALLYPORT_DATABASE_URL does not answer: ${reason}`,
          'Start PostgreSQL there, or correct the host in SALLYPORT_DATABASE_URL',
        ),
  );
}

/** Connects to the standby that serves reads. */
export async function examineStandbyReads({ databaseReadUrl }: Config): Promise<Finding[]> {
  if (databaseReadUrl === undefined) return [];
  return (await tryHosts(databaseReadUrl)).map(({ host, problem: reason }) =>
    reason === undefined
      ? fine('standby-reads', `The standby ${host} of SALLYPORT_DATABASE_READ_URL answers`)
      : warning(
          'standby-reads',
          `The standby ${host} of SALLYPORT_DATABASE_READ_URL does not answer, so the primary does: ${reason}`,
          'Start PostgreSQL there, or correct or remove SALLYPORT_DATABASE_READ_URL',
        ),
  );
}

/** Checks what a failover of the database would lose. */
export async function examineFailover(
  db: Db,
  settings: SettingsService,
  config: Config,
): Promise<Finding[]> {
  const replication =
    config.databaseUrl === undefined ? undefined : await createReplicationReader(db)();
  const standbys = replication?.standbys ?? [];
  if (!replication || standbys.length === 0) return [];
  return [
    synchrony(asynchronousStandbys(replication), standbys),
    ...lag(standbys),
    ...(await journal(settings, config)),
  ];
}

function synchrony(asynchronous: readonly Standby[], all: readonly Standby[]): Finding {
  return asynchronous.length > 0
    ? warning(
        'standby',
        `The database acknowledges changes that a standby does not have yet (${namesOf(asynchronous)}): a failover loses the newest`,
        'With Patroni: patronictl edit-config -s synchronous_mode=true. Without it, set synchronous_standby_names at the primary to names of connected standbys: a name without a standby stops every change',
      )
    : fine(
        'standby',
        `The database waits for a standby (${namesOf(all)}): a failover loses nothing`,
      );
}

function lag(standbys: readonly Standby[]): Finding[] {
  const unseen = standbys.filter(isUnseen);
  const late = standbys.filter(({ seconds }) => seconds > LAG_SECONDS);
  const inWords = ({ name, seconds, bytes }: Standby) => `${name}: ${seconds} s, ${bytes} bytes`;
  const seen = standbys.filter((one) => !isUnseen(one));
  return [
    ...(unseen.length > 0
      ? [
          warning(
            'standby-lag',
            `The role of Sallyport may not see how far these standbys are behind: ${namesOf(unseen)}`,
            'As superuser of the database: grant pg_monitor to the role of SALLYPORT_DATABASE_URL',
          ),
        ]
      : []),
    ...(seen.length === 0
      ? []
      : [
          late.length > 0
            ? warning(
                'standby-lag',
                `Standbys of the database are behind (${late.map(inWords).join('; ')})`,
                'Look at the network and the disk of the standby, and at its log',
              )
            : fine('standby-lag', `The standbys follow (${seen.map(inWords).join('; ')})`),
        ]),
  ];
}

/** Reads how far back the servers of this folder can send again what a failover took. */
async function journal(settings: SettingsService, { dataDirectory }: Config): Promise<Finding[]> {
  const minutes = settings.get('TERMINAL_JOURNAL_KEEP_TIME');
  const fix = 'Settings > Terminal > Keep records for a database failover';
  if (minutes === 0)
    return [warning('journal', 'Nothing is kept for a failover of the database', fix)];
  const recordings = dirname(journalFolder(dataDirectory, 1));
  const folders = (await readdir(recordings).catch(() => [])).filter((name) =>
    /^\.journal(-\d+)?$/.test(name),
  );
  const findings = await Promise.all(
    folders.map((name) => folder(join(recordings, name), minutes)),
  );
  const short = findings.filter(({ isShort }) => isShort);
  const bytes = findings.reduce((sum, one) => sum + one.bytes, 0);
  const oldest = Math.min(...findings.map((one) => one.oldest));
  const since = Number.isFinite(oldest) ? `, since ${new Date(oldest).toISOString()}` : '';
  const text = `Records of the last ${minutes} minutes are kept for a failover: ${Math.ceil(bytes / MEBIBYTE)} MiB${since}`;
  return [
    short.length === 0
      ? fine('journal', text)
      : warning(
          'journal',
          `Records for a failover reach back only to ${new Date(Math.max(...short.map((one) => one.oldest))).toISOString()}, less than ${minutes} minutes: a process keeps at most ${MAX_KEPT / MEBIBYTE} MiB`,
          'Add a process or a server, so that each writes less; and let the database wait for a standby',
        ),
  ];
}

async function folder(path: string, minutes: number) {
  const names = (await readdir(path)).filter((name) => /^\d{10}-/.test(name));
  // A running server deletes old files meanwhile.
  const sizes = await Promise.all(
    names.map((name) => stat(join(path, name)).catch(() => undefined)),
  );
  const files = sizes.filter((one) => one !== undefined);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const oldest = Math.min(...files.map(({ birthtimeMs }) => birthtimeMs));
  const isShort = bytes > NEARLY_FULL * MAX_KEPT && oldest > Date.now() - minutes * MINUTE;
  return { bytes, oldest, isShort };
}

/** Tries what a change needs: room on the disk of the database, and the right to write. */
export async function examineDatabaseWriting(db: Db): Promise<Finding[]> {
  const code = await createDatabaseProbe(db, () => PATIENCE_SECONDS)();
  return code === undefined
    ? []
    : [
        problem(
          'database',
          `The database takes no changes: ${DATABASE_PROBLEMS[code] ?? 'its disk does not answer'}`,
          'Look at its log and at df, df -i and dmesg of its machine',
        ),
      ];
}

const DATABASE_PROBLEMS: Readonly<Partial<Record<StorageProblem, string>>> = {
  full: 'its disk is full',
  refused: 'it is read-only',
  unavailable: 'its disk fails',
};
