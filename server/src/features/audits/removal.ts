import type { ChainedLog } from '@sallyport/contract';
import { DEFAULT_ORGANIZATION } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { writeOperateLog } from './operate-log.ts';
import type { ChainState } from './seal-store.ts';

const DAY = 86_400_000;

/** Returns the state of the end of a log. */
export async function headOf(tx: Tx, log: ChainedLog): Promise<ChainState | undefined> {
  const { rows } = await sql<ChainState>`
    select sequence, encode(digest, 'hex') as digest, removed_sequence,
      encode(removed_digest, 'hex') as removed_digest from audit_chain where log = ${log}`.execute(
    tx,
  );
  return rows[0];
}

/** The date of the first row of a log in UTC. */
async function oldestOf(tx: Tx, log: ChainedLog): Promise<string | null> {
  const { rows } = await sql<{ oldest: Date | null }>`
    select datetime as oldest from ${sql.table(log)} order by sequence limit 1`.execute(tx);
  return rows[0]?.oldest?.toISOString() ?? null;
}

interface Removal {
  readonly before: ChainState;
  readonly after: ChainState;
  readonly removed: number;
  readonly oldest: string | null;
  readonly days: number;
}

/**
 * Writes a removal by retention to the operate log: the chain then proves that the log was
 * shortened, how far, and by how many rows.
 */
async function logRemoval(
  tx: Tx,
  log: ChainedLog,
  { before, after, removed, oldest, days }: Removal,
): Promise<void> {
  const until = new Date(Date.now() - days * DAY).toISOString();
  await writeOperateLog(
    tx,
    {
      actor: {
        name: 'System',
        username: '',
        organization: DEFAULT_ORGANIZATION,
        remoteAddress: '',
      },
    },
    {
      action: 'delete',
      resourceType: 'audit_log',
      resource: log,
      resourceId: '',
      changes: {
        removed_rows: [removed, null],
        removed_until: [oldest, until],
        removed_sequence: [before.removed_sequence, after.removed_sequence],
        removed_digest: [before.removed_digest, after.removed_digest],
      },
    },
  );
}

/**
 * Removes rows older than `days` from the beginning of a log, with their seals, and writes the
 * entry about it. Returns the number of rows, and the new end to seal unless no row is old enough.
 */
export async function removeRows(
  tx: Tx,
  log: ChainedLog,
  days: number,
): Promise<{ readonly removed: number; readonly head: ChainState | undefined }> {
  const before = await headOf(tx, log);
  const oldest = await oldestOf(tx, log);
  const { rows } = await sql<{
    gone: number;
  }>`select audit_forget(${log}, now() - make_interval(days => ${days})) as gone`.execute(tx);
  const removed = rows[0]?.gone ?? 0;
  const after = removed > 0 ? await headOf(tx, log) : undefined;
  if (!before || !after) return { removed: 0, head: undefined };
  await logRemoval(tx, log, { before, after, removed, oldest, days });
  // The entry may have extended this log.
  const head = (await headOf(tx, log)) ?? after;
  await sql`delete from audit_seal
    where log = ${log} and sequence <= ${head.removed_sequence}`.execute(tx);
  // The digest of the last removed row stays: the next one continues it.
  await sql`delete from audit_sm3
    where log = ${log} and sequence < ${head.removed_sequence}`.execute(tx);
  return { removed, head };
}
