import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHAINED_LOGS, type ChainedLog } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Logger } from '../../platform/log.ts';
import { COMMAND } from '../../platform/release.ts';
import { type DatabaseInstance, instanceOf, isAnother } from './database-instance.ts';
import { declareFailover, endsBefore, type Head, type Heads, readFailovers } from './failovers.ts';
import { readRestores } from './restores.ts';
import type { KeptSeal } from './seal-store.ts';

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
  tx: Tx,
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
      where sequence = ${before.sequence}`.execute(tx);
    if (rows[0]?.digest !== before.digest) logs.push(log);
  }
  return logs;
}

/** Returns the newer of the seen and the sealed row of each log, of the database that had both. */
const newest = ({ heads, instance }: SeenHeads, sealed: WatchOptions['sealed']): Heads =>
  Object.fromEntries(
    CHAINED_LOGS.flatMap((log) => {
      const [one, seal] = [heads[log], sealed(log)];
      const isOther = seal?.instance && instance && isAnother(seal.instance, instance);
      const other = isOther ? undefined : seal;
      const newer = other && other.sequence > (one?.sequence ?? 0) ? other : one;
      return newer ? [[log, { sequence: newer.sequence, digest: newer.digest }]] : [];
    }),
  );

interface WatchOptions {
  readonly db: Db;
  readonly directory: string;
  readonly log: Logger;
  /** Returns the newest sealed row of a log outside of the database. */
  readonly sealed: (log: ChainedLog) => KeptSeal | undefined;
  /** Accepts the ends of logs of a database after a failover, instead of the sealed ones. */
  readonly accept: (logs: readonly ChainedLog[], instance: DatabaseInstance) => Promise<void>;
}

/** The comparison of the seen rows with the database. */
interface Look {
  readonly current: CurrentLogs;
  readonly instance: DatabaseInstance | null;
  readonly before: SeenHeads | undefined;
  readonly lacking: readonly ChainedLog[];
  /** The declared failover that explains the missing rows. */
  readonly failover?: { readonly from: Heads; readonly to: Heads };
}

/** Declares a failover, unless an interrupted look has declared it. */
async function declareOnce(
  tx: Tx,
  instances: { readonly before: DatabaseInstance; readonly after: DatabaseInstance },
  from: Heads,
): Promise<Heads> {
  const text = JSON.stringify(from);
  const earlier = (await readFailovers(tx)).find((one) => JSON.stringify(one.from) === text);
  if (earlier) return earlier.to;
  const to = await endsBefore(tx, from);
  await declareFailover(tx, instances, { from, to });
  return to;
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
  /** Everything in one transaction: while a failover runs, two databases may answer. */
  const look = (): Promise<Look | undefined> =>
    db.transaction(async (tx) => {
      const [current] = (await sql<CurrentLogs>`${EPOCH_AND_HEADS}`.execute(tx)).rows;
      const instance = await instanceOf(tx);
      if (!current) return undefined;
      // Only a restore renews the epoch, and declares it.
      const before =
        seen && (seen.epoch === current.epoch || (await readRestores(tx)).length === 0)
          ? { ...seen, heads: newest(seen, sealed) }
          : undefined;
      const lacking = before ? await missing(tx, before.heads, current.heads) : [];
      const compared = { current, instance, before, lacking };
      const known = before?.instance;
      if (lacking.length === 0 || !known || !instance || !isAnother(known, instance))
        return compared;
      const from = Object.fromEntries(lacking.map((one) => [one, before.heads[one]]));
      const to = await declareOnce(tx, { before: known, after: instance }, from);
      return { ...compared, failover: { from, to } };
    });
  return async (): Promise<void> => {
    const compared = await look();
    if (!compared) return;
    const { current, instance, before, lacking, failover } = compared;
    const { epoch } = current;
    const heads = headsOf(current.heads);
    if (failover && instance) {
      log.error(
        failover,
        'the database went back: a standby has taken over that lacks rows of the logs',
      );
      await accept(lacking, instance);
      return keep({ epoch, instance, heads });
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
    await keep({ epoch, instance, heads: { ...heads, ...kept } });
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
