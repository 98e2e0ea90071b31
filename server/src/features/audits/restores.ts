import { CHAINED_LOGS, type ChainedLog } from '@sallyport/contract';
import type pg from 'pg';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { ChainState } from './seal-store.ts';

type Head = Pick<ChainState, 'sequence' | 'digest'>;

/** A restore, as the entry in the operate log declares it. */
export interface DeclaredRestore {
  readonly date: Date;
  /** Date of the backup. */
  readonly backup: string;
  /** The last rows of the logs in the backup. The logs continue after them. */
  readonly heads: Readonly<Partial<Record<ChainedLog, Head>>>;
}

/** Distinguishes these entries from others about the logs. */
const RESOURCE = 'restore';
const fieldOf = (log: ChainedLog) => `restored_${log}`;

/**
 * Declares in the operate log, whose chain then proves it, that the database steps back to a
 * backup, with the last row of each log. Rows after those belong to the state that was left.
 */
export async function declareRestore(
  client: Pick<pg.ClientBase, 'query'>,
  { backup, droppedEvents }: { readonly backup: string; readonly droppedEvents: number },
): Promise<void> {
  const { rows } = await client.query<Head & { log: string }>(
    "select log, sequence::int8, encode(digest, 'hex') as digest from audit_chain",
  );
  const heads = rows.flatMap(({ log, sequence, digest }) => {
    const known = CHAINED_LOGS.find((one) => one === log);
    return known ? [[fieldOf(known), [null, `${sequence} ${digest}`]]] : [];
  });
  // A backup of an earlier version has no epoch. It gets one at the next start.
  const { rows: tables } = await client.query<{ present: boolean }>(
    "select to_regclass('public.database_epoch') is not null as present",
  );
  if (tables[0]?.present) await client.query('update database_epoch set id = gen_random_uuid()');
  const changes = {
    restored_backup: [null, backup],
    ...Object.fromEntries(heads),
    ...(droppedEvents > 0 && { dropped_events: [null, droppedEvents] }),
  };
  await client.query(
    `insert into operate_log ("user", action, resource_type, resource, remote_addr, changes)
    values ('System', 'update', 'audit_log', $1, '', $2::jsonb)`,
    [RESOURCE, JSON.stringify(changes)],
  );
}

/** Reads the declared restores, oldest first. */
export async function readRestores(db: Db | Tx): Promise<readonly DeclaredRestore[]> {
  const { rows } = await sql<{ date: Date; changes: Record<string, unknown> }>`
    select datetime as date, coalesce(changes, '{}'::jsonb) as changes from operate_log
    where resource_id = '' and resource_type = 'audit_log' and resource = ${RESOURCE}
      and changes ? 'restored_backup'
    order by sequence`.execute(db);
  return rows.map(({ date, changes }) => ({
    date,
    backup: newValue(changes.restored_backup),
    heads: Object.fromEntries(
      CHAINED_LOGS.flatMap((log) => {
        const [sequence = '', digest = ''] = newValue(changes[fieldOf(log)]).split(' ');
        return sequence === '' ? [] : [[log, { sequence: Number(sequence), digest }]];
      }),
    ),
  }));
}

const newValue = (change: unknown): string =>
  Array.isArray(change) && typeof change[1] === 'string' ? change[1] : '';
