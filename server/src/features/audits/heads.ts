import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHAINED_LOGS, type ChainedLog } from '@sallyport/contract';
import { type Db, sqlState } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Logger } from '../../platform/log.ts';
import { COMMAND } from '../../platform/release.ts';
import {
  type DatabaseInstance,
  declareFailover,
  endsBefore,
  type Head,
  type Heads,
} from './failovers.ts';
import { readRestores } from './restores.ts';

/** File of the newest rows that this server has seen. */
const FILE = 'audit-heads.json';

/** The newest rows of the logs, and the database that had them. */
export interface SeenHeads {
  readonly heads: Heads;
  /** Renewed by a restore, which declares its step back itself. */
  readonly epoch: string;
  /** Null if the database does not tell it. */
  readonly instance: DatabaseInstance | null;
}

/** Reads the newest rows that a server has seen; undefined without a readable file. */
export function seenHeads(directory: string): SeenHeads | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, FILE), 'utf8')) as SeenHeads;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return undefined;
    throw error;
  }
}

/** Returns the system and the timeline of the database; null where it does not tell them. */
export async function instanceOf(db: Db): Promise<DatabaseInstance | null> {
  try {
    const { rows } = await sql<DatabaseInstance>`
      select system_identifier::text as system,
        left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline
      from pg_control_system()`.execute(db);
    return rows[0] ?? null;
  } catch (error) {
    // Services that are no plain PostgreSQL lack the functions, or refuse them.
    if (['42883', '42501', '0A000'].includes(sqlState(error)?.code ?? '')) return null;
    throw error;
  }
}

const EPOCH_AND_HEADS = sql`
  select (select id from database_epoch)::text as epoch, (select jsonb_object_agg(log,
    jsonb_build_object('sequence', sequence, 'digest', encode(digest, 'hex'),
      'removed', removed_sequence)) from audit_chain) as heads`;

type Current = Head & { readonly removed: number };

interface CurrentLogs {
  readonly epoch: string;
  readonly heads: Readonly<Partial<Record<ChainedLog, Current>>>;
}

/** Returns the logs that lack a row that this server has seen. */
async function missing(
  db: Db,
  seen: Heads,
  current: CurrentLogs['heads'],
): Promise<readonly ChainedLog[]> {
  const logs: ChainedLog[] = [];
  for (const log of CHAINED_LOGS) {
    const [before, now] = [seen[log], current[log]];
    if (!before || (before.sequence === now?.sequence && before.digest === now.digest)) continue;
    if (now && before.sequence <= now.removed) continue;
    const { rows } = await sql<{ digest: string }>`
      select encode(digest, 'hex') as digest from ${sql.table(log)}
      where sequence = ${before.sequence}`.execute(db);
    if (rows[0]?.digest !== before.digest) logs.push(log);
  }
  return logs;
}

/** Returns the newer of the seen and the sealed row of each log. */
const newest = (seen: Heads, sealed: WatchOptions['sealed']): Heads =>
  Object.fromEntries(
    CHAINED_LOGS.flatMap((log) => {
      const [one, other] = [seen[log], sealed(log)];
      const newer = other && other.sequence > (one?.sequence ?? 0) ? other : one;
      return newer ? [[log, { sequence: newer.sequence, digest: newer.digest }]] : [];
    }),
  );

interface WatchOptions {
  readonly db: Db;
  readonly directory: string;
  readonly log: Logger;
  /** Returns the newest sealed row of a log outside of the database. */
  readonly sealed: (log: ChainedLog) => Head | undefined;
  /** Accepts the ends of logs after a declared failover, instead of the sealed ones. */
  readonly accept: (logs: readonly ChainedLog[]) => Promise<void>;
}

/**
 * Creates the watch over the newest rows of the logs. It keeps them outside of the database, and
 * compares them. After a failover, it declares that the database went back. A log that is shorter
 * without a failover was cut: the file then keeps the newest row as a proof.
 */
export function createHeadWatch({ db, directory, log, sealed, accept }: WatchOptions) {
  const path = join(directory, FILE);
  let seen = seenHeads(directory);
  const reported = new Set<ChainedLog>();
  const keep = async (next: SeenHeads) => {
    if (JSON.stringify(next) === JSON.stringify(seen)) return;
    const file = `${path}.${randomBytes(6).toString('hex')}.new`;
    await writeFile(file, `${JSON.stringify(next, undefined, 2)}\n`, { mode: 0o600 });
    await rename(file, path);
    seen = next;
  };
  return async (): Promise<void> => {
    // One connection: a failover between the two questions would mix two databases.
    const [row, instance] = await db.together(async (one) => [
      (await sql<CurrentLogs>`${EPOCH_AND_HEADS}`.execute(one)).rows[0],
      await instanceOf(one),
    ]);
    if (!row) return;
    const { epoch, heads: current } = row;
    // Only a restore renews the epoch, and declares it.
    const before =
      seen && (seen.epoch === epoch || (await readRestores(db)).length === 0)
        ? { ...seen, heads: newest(seen.heads, sealed) }
        : undefined;
    const lacking = before ? await missing(db, before.heads, current) : [];
    const known = before?.instance;
    const isFailover =
      known &&
      instance &&
      (known.system !== instance.system || known.timeline !== instance.timeline);
    if (before && lacking.length > 0 && isFailover) {
      const from = Object.fromEntries(lacking.map((one) => [one, before.heads[one]]));
      const step = { from, to: await endsBefore(db, from) };
      log.error(
        step,
        'the database went back: a standby has taken over that lacks rows of the logs',
      );
      await db.transaction((tx) => declareFailover(tx, { before: known, after: instance }, step));
      await accept(lacking);
      return keep({ epoch, instance, heads: headsOf(current) });
    }
    for (const one of lacking)
      if (!reported.has(one)) {
        reported.add(one);
        log.error(
          { log: one, seen: before?.heads[one] },
          `an audit log lacks rows that this server has seen; run: ${COMMAND} audit verify`,
        );
      }
    const kept = Object.fromEntries(lacking.map((one) => [one, before?.heads[one]]));
    await keep({ epoch, instance, heads: { ...headsOf(current), ...kept } });
  };
}

const headsOf = (current: CurrentLogs['heads']): Heads =>
  Object.fromEntries(
    CHAINED_LOGS.flatMap((log) => {
      const head = current[log];
      return head && head.sequence > 0
        ? [[log, { sequence: head.sequence, digest: head.digest }]]
        : [];
    }),
  );
