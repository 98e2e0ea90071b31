import { isUuid } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../platform/actor.ts';
import type { Db } from '../platform/db/database.ts';
import { invalid } from '../platform/errors.ts';
import type { Sql } from './hooks.ts';

/** Long enough for a dialog, short enough that it still contains what the user saw. */
const LIFE_SECONDS = 3_600;
/** Sets that one person has at a time; the oldest go first. */
const MOST_KEPT = 100;

/** Stores a set of ids for one person and returns its name. */
export async function storeSet(ids: readonly unknown[], userId: string, db: Db): Promise<string | undefined> {
  await sql`
    delete from resource_set where date_expired < now() or id in (
      select kept.id from resource_set kept where kept.user_id = ${userId} order by kept.date_expired desc offset ${MOST_KEPT - 1})`.execute(db);
  const { rows } = await sql<{ id: string }>`
    insert into resource_set (user_id, ids, date_expired) values (${userId}, ${ids}::uuid[], now() + make_interval(secs => ${LIFE_SECONDS})) returning id`.execute(
    db,
  );
  return rows[0]?.id;
}

/** The condition that a request's `spm` sets. @throws Invalid for a set that is unknown, expired or another user's: never ignored, because it may limit a deletion */
export async function setCondition(query: URLSearchParams, { actor }: Caller, db: Db, id = sql`t.id`): Promise<Sql | undefined> {
  const spm = query.get('spm');
  if (!spm) return undefined;
  const known = isUuid(spm)
    ? await sql`select 1 from resource_set where id = ${spm} and user_id = ${actor.userId} and date_expired > now()`.execute(db)
    : { rows: [] };
  if (known.rows.length === 0) throw invalid('spm', 'unknown_set');
  return sql`${id} in (select unnest(chosen.ids) from resource_set chosen where chosen.id = ${spm})`;
}
