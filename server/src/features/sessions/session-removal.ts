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
  for (;;) {
    const { rowCount } = await sql`
      with old as (
        select id from session s where date_start < now() - make_interval(days => ${days})
          and is_finished
          and not exists (select 1 from session_digest d where d.session = s.id)
        order by date_start limit ${BATCH}),
      elsewhere as (
        insert into command_removal (storage, session)
        select distinct coalesce(c.stored_in, c.queued_for), c.session from command c
          join old on old.id = c.session
        where coalesce(c.stored_in, c.queued_for) is not null on conflict do nothing)
      delete from session where id in (select id from old)`.execute(db);
    removed += rowCount;
    if (rowCount < BATCH) return removed;
  }
}
