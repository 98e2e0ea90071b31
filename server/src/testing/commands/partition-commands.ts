import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Indexes of `command` that partitions have too. Each partition has its own unique indexes. */
const INDEXES = [
  '(org_id, date desc, sequence desc)',
  'using gin (search_text gin_trgm_ops)',
  '(org_id, risk_level desc, date desc) where (risk_level > 0)',
  '(queued_for, id) where (queued_for is not null)',
  '(stored_in) where (stored_in is not null)',
];

/**
 * Makes `command` a table partitioned by date, as docs/performance.md describes it: the existing
 * rows become the partition up to the first bound, and a default partition takes the dates after
 * the last one.
 */
export async function partitionCommands(db: Db, bounds: readonly Date[]): Promise<void> {
  const [first, ...others] = bounds.map((bound) => bound.toISOString());
  const statements = [
    'alter table command rename to command_past',
    'drop trigger queue_for_alerts on command_past',
    'create table command (like command_past including defaults including generated) partition by range (date)',
    ...INDEXES.map((columns) => `create index on command ${columns}`),
    'alter table command add foreign key (session) references session (id) on delete cascade',
    'alter table command add foreign key (queued_for) references command_storage (id)',
    'alter table command add foreign key (stored_in) references command_storage (id)',
    `create trigger queue_for_alerts after insert on command for each row
       when (new.is_denied) execute function queue_for_alerts()`,
    `alter table command_past add constraint command_past_date check (date < '${first}') not valid`,
    'alter table command_past validate constraint command_past_date',
    `alter table command attach partition command_past for values from (minvalue) to ('${first}')`,
    ...others.map(
      (to, at) => `create table command_${at} partition of command
        for values from ('${at === 0 ? first : others[at - 1]}') to ('${to}')`,
    ),
    'create table command_other partition of command default',
    ...[...others.map((_, at) => at), 'other'].map(
      (name) => `alter table command_${name} add primary key (id), add unique (session, sequence)`,
    ),
  ];
  await db.transaction(async (tx) => {
    for (const text of statements) await sql.raw(text).execute(tx);
  });
}
