import { isUuid, type NamedSet, SET_MAX } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';

/** Lifetime of a set: long enough for a dialog, short enough to match what the user saw. */
const LIFE_SECONDS = 3_600;
/** Maximum sets per user; the oldest are deleted first. */
const MOST_KEPT = 100;

/** Maximum characters of a name; longer texts match nothing. */
const MAX_NAME = 128;

/** Stores a set of ids and of names for one user. Returns its id. */
export async function storeSet(
  members: readonly unknown[],
  userId: string,
  db: Db,
): Promise<string | undefined> {
  const texts = members.map(String);
  const ids = texts.filter((text) => isUuid(text));
  const names = texts.filter(
    (text) =>
      !isUuid(text) && text.length <= MAX_NAME && !text.includes('\u0000') && text.isWellFormed(),
  );
  await sql`
    delete from resource_set where date_expired < now() or id in (
      select kept.id from resource_set kept where kept.user_id = ${userId}
      order by kept.date_expired desc offset ${MOST_KEPT - 1})`.execute(db);
  const { rows } = await sql<{ id: string }>`
    insert into resource_set (user_id, ids, names, date_expired)
    values (${userId}, ${ids}::uuid[], ${names}::text[], now() + make_interval(secs =>
    ${LIFE_SECONDS})) returning id`.execute(db);
  return rows[0]?.id;
}

/** Stores the result of an id query as a set. @throws Invalid if a set cannot hold it */
export async function storeQuery(query: Sql, userId: string, db: Db): Promise<NamedSet> {
  const { rows } = await sql<{
    ids: string[] | null;
  }>`select array_agg(id) as ids from (${query} limit ${SET_MAX + 1}) matching`.execute(db);
  const ids = rows[0]?.ids ?? [];
  if (ids.length > SET_MAX) throw invalid('query', 'list_too_long', { max: SET_MAX });
  return { spm: (await storeSet(ids, userId, db)) ?? '', count: ids.length };
}

/**
 * Copies a set for a job, which may outlive it. @returns the id of the copy; undefined if the set
 * does not exist
 */
export async function keepSet(
  spm: string,
  userId: string,
  db: Db | Tx,
): Promise<NamedSet | undefined> {
  const { rows } = await sql<NamedSet>`
    insert into resource_set (user_id, ids, date_expired)
    select user_id, ids, now() + interval '1 day' from resource_set
    where id = ${spm} and user_id = ${userId} and date_expired > now()
    returning id as spm, cardinality(ids) as count`.execute(db);
  return rows[0];
}

/** Returns a slice of a set, from index `start`. */
export async function partOfSet(
  spm: string,
  start: number,
  count: number,
  db: Db,
): Promise<readonly string[]> {
  const { rows } = await sql<{
    ids: string[];
  }>`select ids[${start + 1}:${start + count}] as ids from resource_set where id = ${spm}`.execute(
    db,
  );
  return rows[0]?.ids ?? [];
}

export async function dropSet(spm: string, db: Db): Promise<void> {
  await sql`delete from resource_set where id = ${spm}`.execute(db);
}

/**
 * Returns the condition of the parameter `spm`: by id and, for objects with a `name` column, by
 * name. @throws Invalid for an unknown, expired or foreign set; ignoring it could delete too much
 */
export async function setCondition(
  query: URLSearchParams,
  { actor }: Caller,
  db: Db,
  { id = sql`t.id`, name }: { readonly id?: Sql; readonly name?: Sql | undefined } = {},
): Promise<Sql | undefined> {
  const spm = query.get('spm');
  if (!spm) return undefined;
  const known = isUuid(spm)
    ? await sql`select 1 from resource_set where id = ${spm} and user_id = ${actor.userId} and date_expired > now()`.execute(
        db,
      )
    : { rows: [] };
  if (known.rows.length === 0) throw invalid('spm', 'unknown_set');
  const byId = sql`${id} in (select unnest(chosen.ids) from resource_set chosen where chosen.id = ${spm})`;
  return name
    ? sql`(${byId} or ${name} in (select unnest(chosen.names) from resource_set chosen where chosen.id = ${spm}))`
    : byId;
}
