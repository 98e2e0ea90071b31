import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { BATCH } from './store.ts';

/** Returns self-test sessions of a server, latest first, without the latest `kept`. */
export async function earlierCanaries(
  db: Db,
  holder: string,
  kept: number,
): Promise<readonly { readonly id: string; readonly startedAt: Date }[]> {
  const { rows } = await sql<{ id: string; startedAt: Date }>`
    select id, date_start as "startedAt" from session where is_canary and is_finished
      and holder = ${holder} order by date_start desc offset ${kept} limit ${BATCH}`.execute(db);
  return rows;
}

/** Deletes sessions of the self-test. Ignores ids of other sessions. */
export async function removeCanaries(db: Db, ids: readonly string[]): Promise<void> {
  await sql`delete from session where is_canary and id = any (${ids}::uuid[])`.execute(db);
}

/**
 * Deletes sessions that began more than `days` ago, with their commands. Keeps live sessions and
 * those that the chain of `session_digest` still proves. Command storages delete their texts soon
 * after. Returns the number of deleted sessions.
 */
export async function removeFinishedSessions(db: Db, days: number): Promise<number> {
  let removed = 0;
  // Each batch starts after the one before: index entries of deleted rows stay until a vacuum.
  for (let after: Oldest | undefined; ; ) {
    const batch = await oldSessions(db, days, after);
    after = batch.at(-1);
    if (!after) return removed;
    const ids = batch.map(({ id }) => id);
    await removeCommands(db, ids);
    // A late entry of a journal may have added commands: they are deleted with their session.
    removed += (await sql`delete from session where id = any (${ids}::uuid[])`.execute(db))
      .rowCount;
  }
}

interface Oldest {
  readonly id: string;
  /** Text, because dates of JavaScript end at milliseconds. */
  readonly began: string;
}

async function oldSessions(db: Db, days: number, after?: Oldest): Promise<readonly Oldest[]> {
  const { rows } = await sql<Oldest>`
    select id, date_start::text as began from session s
    where date_start < now() - make_interval(days => ${days})
      and date_start >= ${after?.began ?? '-infinity'}::timestamptz and is_finished
      and not exists (select 1 from session_digest d where d.session = s.id)
    order by date_start limit ${BATCH}`.execute(db);
  return rows;
}

/** Commands of one statement: a session of a database client has millions. */
const COMMANDS = 10_000;

/** Deletes the commands of sessions, and names the sessions to the storages that keep texts. */
async function removeCommands(db: Db, sessions: readonly string[]): Promise<void> {
  let after = { session: '00000000-0000-0000-0000-000000000000', sequence: -1 };
  for (;;) {
    const among = sql`c.session = any (${sessions}::uuid[])
      and (c.session, c.sequence) > (${after.session}::uuid, ${after.sequence}::integer)`;
    // By key, because the places of rows (ctid) repeat in the partitions of a table.
    const { rows } = await sql<{ session: string; sequence: number }>`
      with oldest as materialized (
        select c.session, c.sequence, coalesce(c.stored_in, c.queued_for) as storage
        from command c where ${among} order by c.session, c.sequence limit ${COMMANDS}),
      newest as materialized (
        select session, sequence from oldest order by session desc, sequence desc limit 1),
      elsewhere as (
        insert into command_removal (storage, session)
        select distinct storage, session from oldest where storage is not null
        on conflict do nothing),
      gone as (delete from command c using newest
        where ${among} and (c.session, c.sequence) <= (newest.session, newest.sequence))
      select session, sequence from newest`.execute(db);
    const [last] = rows;
    if (!last) return;
    after = last;
  }
}
