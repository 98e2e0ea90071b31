import { CHAINED_LOGS, type ChainedLog } from '@sallyport/contract';
import { DEFAULT_ORGANIZATION } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { type DatabaseInstance, inWords } from './database-instance.ts';
import { writeOperateLog } from './operate-log.ts';
import type { ChainState } from './seal-store.ts';

export type Head = Pick<ChainState, 'sequence' | 'digest'>;
export type Heads = Readonly<Partial<Record<ChainedLog, Head>>>;

/** A failover to an older state, as the operate log declares it. */
export interface DeclaredFailover {
  readonly date: Date;
  /** The database that was left, as `inWords` says it. */
  readonly before: string;
  /** The last rows that a server had seen, and the last rows that the new primary had. */
  readonly from: Heads;
  readonly to: Heads;
}

/** Distinguishes these entries from others about the logs. */
const RESOURCE = 'failover';
const fieldOf = (log: ChainedLog) => `failover_${log}`;
const textOf = (head: Head | undefined) => (head ? `${head.sequence} ${head.digest}` : null);

/** Declares in the operate log that the database went back, with the last rows of these logs. */
export async function declareFailover(
  tx: Tx,
  { before, after }: { readonly before: DatabaseInstance; readonly after: DatabaseInstance },
  { from, to }: Pick<DeclaredFailover, 'from' | 'to'>,
): Promise<void> {
  const heads = CHAINED_LOGS.filter((log) => from[log]).map((log) => [
    fieldOf(log),
    [textOf(from[log]), textOf(to[log])],
  ]);
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
      action: 'update',
      resourceType: 'audit_log',
      resource: RESOURCE,
      resourceId: '',
      changes: {
        database_instance: [inWords(before), inWords(after)],
        ...Object.fromEntries(heads),
      },
    },
  );
}

/** Returns the ends of logs that lack these rows, without newer rows that took their numbers. */
export async function endsBefore(tx: Db | Tx, lost: Heads): Promise<Heads> {
  const ends: [ChainedLog, Head][] = [];
  for (const log of CHAINED_LOGS) {
    const head = lost[log];
    if (!head) continue;
    const { rows } = await sql<Head>`
      select sequence, encode(digest, 'hex') as digest from ${sql.table(log)}
      where sequence < ${head.sequence} order by sequence desc limit 1`.execute(tx);
    if (rows[0]) ends.push([log, rows[0]]);
  }
  return Object.fromEntries(ends);
}

/** Reads the declared failovers, oldest first. */
export async function readFailovers(db: Db | Tx): Promise<readonly DeclaredFailover[]> {
  const { rows } = await sql<{ date: Date; changes: Record<string, unknown> }>`
    select datetime as date, coalesce(changes, '{}'::jsonb) as changes from operate_log
    where resource_id = '' and resource_type = 'audit_log' and resource = ${RESOURCE}
      and changes ? 'database_instance'
    order by sequence`.execute(db);
  return rows.map(({ date, changes }) => ({
    date,
    before: sideOf(changes.database_instance, 0),
    from: headsOf(changes, 0),
    to: headsOf(changes, 1),
  }));
}

const sideOf = (change: unknown, side: 0 | 1): string => {
  const text: unknown = Array.isArray(change) ? change[side] : undefined;
  return typeof text === 'string' ? text : '';
};

const headsOf = (changes: Record<string, unknown>, side: 0 | 1): Heads =>
  Object.fromEntries(
    CHAINED_LOGS.flatMap((log) => {
      const [sequence = '', digest = ''] = sideOf(changes[fieldOf(log)], side).split(' ');
      return sequence === '' ? [] : [[log, { sequence: Number(sequence), digest }]];
    }),
  );
