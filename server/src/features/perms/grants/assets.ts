import { type GrantedAsset, isUuid, MAX_ITEMS, type Problem } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { executePrepared } from '../../../platform/db/prepared.ts';
import { Invalid } from '../../../platform/errors.ts';
import type { Sql } from '../../../resources/hooks.ts';
import { type Counted, type Paging, readPaging } from '../../../resources/page.ts';
import { allOf } from '../../../resources/scope.ts';
import { wordsOf } from '../../../resources/search-terms.ts';
import { matchesTerm, matchesTerms, type Narrowing } from '../store.ts';
import { countGranted, grantedCandidates, isSmall } from './coverage.ts';
import type { GrantView } from './service.ts';

const COLUMNS = sql`a.id, a.hostname, a.ip, a.protocols, a.os, a.domain_id as domain,
  p.base as platform, a.comment, a.org_id,
  case when a.org_id = '' then 'DEFAULT'
    else (select o.name from organization o where o.id::text = a.org_id) end as org_name`;

const ORDERS: Readonly<Record<string, Sql>> = { hostname: sql`a.hostname`, ip: sql`a.ip` };

/** Searches for so many words, as people type them, are planned once. */
const MOST_PREPARED_TERMS = 2;

/** A first page of so many rows is remembered by their ids. */
const MOST_REMEMBERED = 100;

/** A granted-asset request, read. */
interface GrantedQuery extends Paging {
  /** Words that must all be found. */
  readonly terms: readonly string[];
  readonly where: Sql | undefined;
  /** The column that orders, with a minus for the other way; then both for the statement. */
  readonly order: string;
  readonly column: Sql;
  readonly direction: Sql;
}

function readQuery(query: URLSearchParams, sortBy: string): GrantedQuery {
  const problems: Record<string, Problem[]> = {};
  const text = (name: string) => (query.getAll(name).at(-1) ?? '').trim().slice(0, 256);
  for (const name of ['search', 'hostname', 'ip', 'comment', 'order'])
    if (text(name).includes('\u0000')) problems[name] = [{ code: 'nul_byte' }];
  const conditions: Sql[] = [];
  for (const name of ['hostname', 'ip', 'comment'])
    if (text(name)) conditions.push(sql`${sql.ref(`a.${name}`)} = ${text(name)}`);
  if (text('id')) {
    if (isUuid(text('id'))) conditions.push(sql`a.id = ${text('id')}`);
    else problems.id = [{ code: 'not_uuid', params: { value: text('id').slice(0, 64) } }];
  }
  const ids = (query.getAll('ids').at(-1) ?? '').split(',').map((id) => id.trim());
  if (ids.some((id) => id !== '')) {
    const wrong = ids.find((id) => !isUuid(id));
    if (wrong !== undefined)
      problems.ids = [{ code: 'not_uuid', params: { value: wrong.slice(0, 64) } }];
    else if (ids.length > MAX_ITEMS)
      problems.ids = [{ code: 'list_too_long', params: { max: MAX_ITEMS } }];
    else conditions.push(sql`a.id = any (${ids}::uuid[])`);
  }
  const wished = text('order') || sortBy;
  const column = wished.replace(/^-/, '');
  const order = Object.hasOwn(ORDERS, column) ? ORDERS[column] : undefined;
  if (!order) problems.order = [{ code: 'not_choice', params: { value: wished.slice(0, 64) } }];
  if (Object.keys(problems).length > 0 || !order) throw new Invalid(problems);
  return {
    terms: wordsOf(query.getAll('search').join(' ')),
    where: conditions.length > 0 ? allOf(conditions) : undefined,
    order: wished,
    column: order,
    direction: wished.startsWith('-') ? sql`desc` : sql`asc`,
    ...readPaging(query),
  };
}

/** Everything, or a page of it with the number of all. */
type Listed = GrantedAsset[] | Counted<GrantedAsset>;

const FROM = sql`from asset a join platform p on p.name = a.platform`;
const inOrder = ({ column, direction }: GrantedQuery): Sql =>
  sql`order by ${column} ${direction}, a.id ${direction}`;

/**
 * One page (or all) of the assets a user is granted, narrowed by the request, and to a place in the
 * tree or a chosen set.
 */
export async function listGrantedAssets(
  db: Db,
  view: GrantView,
  query: URLSearchParams,
  sortBy: string,
  narrowing?: Narrowing,
): Promise<Listed> {
  const asked = readQuery(query, sortBy);
  const { terms, where, limit, offset } = asked;
  const isSearch = terms.length > 0 || where !== undefined;
  const read = () =>
    (isSearch || isSmall(view.coverage) ? readFound : readWalked)(db, view, asked, narrowing);
  const isFirst = limit !== undefined && limit <= MOST_REMEMBERED && offset === 0;
  return isFirst && !isSearch && !narrowing ? rememberedPage(db, view, asked, read) : read();
}

/**
 * The page with which everybody begins. Which assets are on it changes with the grants only: what
 * orders assets counts as such a change.
 */
async function rememberedPage(
  db: Db,
  view: GrantView,
  asked: GrantedQuery,
  read: () => Promise<Listed>,
): Promise<Listed> {
  let fresh: Listed | undefined;
  const { count, ids } = await view.remember(`first ${asked.limit} by ${asked.order}`, async () => {
    fresh = await read();
    const { count: all, results } = Array.isArray(fresh)
      ? { count: fresh.length, results: fresh }
      : fresh;
    return { count: all, ids: results.map(({ id }) => id) };
  });
  if (fresh) return fresh;
  const rows = await executePrepared(
    sql<GrantedAsset>`select ${COLUMNS} ${FROM}
      where a.id = any (${ids}::uuid[]) ${inOrder(asked)}`,
    db,
  );
  return { count, results: [...rows] };
}

/**
 * Finds first and then counts: few granted assets, which are gathered, or those that a search finds
 * among many.
 */
async function readFound(
  db: Db,
  view: GrantView,
  asked: GrantedQuery,
  narrowing: Narrowing | undefined,
): Promise<Listed> {
  const { terms, where, column, direction, limit, offset } = asked;
  const { coverage } = view;
  const isPlain = !where && !narrowing;
  // Grams find short terms among all assets; few granted ones are gathered, and then each is
  // compared.
  const found = isSmall(coverage)
    ? terms.map((term) => matchesTerm(term))
    : matchesTerms(terms, isPlain);
  const narrowed = allOf([organizationCondition(view), where, ...found, narrowing?.condition]);
  // Only what orders them is read of those that are gathered: an index has it.
  const gathers = isSmall(coverage) || coverage.isEverything;
  const searched = gathers
    ? sql`with found as materialized (select a.id, ${column} as position from asset a
      where ${allOf([view.isGranted, narrowed])})`
    : sql`
      with candidate as materialized (select a.id, ${column} as position from asset a
        where ${allOf([sql`a.is_active`, narrowed])}),
        found as materialized (${grantedCandidates(coverage)})`;
  if (limit === undefined)
    return (
      await sql<GrantedAsset>`${searched} select ${COLUMNS} ${FROM}
        join found on found.id = a.id ${inOrder(asked)}`.execute(db)
    ).rows;
  // What is found has to be looked at for its number, so the page is taken from it. The number
  // comes alone when the page is empty.
  const reading = sql<GrantedAsset & { position: string; found_count: number }>`${searched},
      page as (select * from found order by position ${direction}, id ${direction}
        limit ${limit} offset ${offset}),
      shown as (select ${COLUMNS}, page.position ${FROM} join page on page.id = a.id)
    select shown.*, total.found_count from (select count(*) as found_count from found) total
      left join shown on true
    order by shown.position ${direction}, shown.id ${direction}`;
  // Planning it takes a tenth of the time. What is gathered is planned for the rules of each user,
  // and other conditions have many texts.
  const isPrepared = isPlain && !isSmall(coverage) && terms.length <= MOST_PREPARED_TERMS;
  const rows = isPrepared ? await executePrepared(reading, db) : (await reading.execute(db)).rows;
  const results = rows
    .filter(({ id }) => id !== null)
    .map(({ found_count, position, ...asset }) => asset);
  return { count: rows[0]?.found_count ?? 0, results };
}

/**
 * Walks through all assets in the order of the page, where so many are granted that it is soon
 * full.
 */
async function readWalked(
  db: Db,
  view: GrantView,
  asked: GrantedQuery,
  narrowing: Narrowing | undefined,
): Promise<Listed> {
  const { limit, offset } = asked;
  const all = sql`select ${COLUMNS} ${FROM}
    where ${allOf([view.isGranted, organizationCondition(view), narrowing?.condition])}
    ${inOrder(asked)}`;
  if (limit === undefined) return (await sql<GrantedAsset>`${all}`.execute(db)).rows;
  // What is remembered, or will be, is counted beside the page and not after it.
  const isRemembered = !narrowing || narrowing.place !== undefined;
  const reading = sql<GrantedAsset>`${all} limit ${limit} offset ${offset}`.execute(db);
  const [{ rows }, counted] = await Promise.all([
    reading,
    isRemembered ? countAll(db, view, narrowing) : undefined,
  ]);
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isLast) return { count: offset + rows.length, results: rows };
  return { count: counted ?? (await countAll(db, view, narrowing)), results: rows };
}

/**
 * Some of the granted assets for which a condition (alias `a`) holds, in no order and without a
 * count: those that are found first.
 */
export async function findGrantedAssets(
  db: Db,
  view: GrantView,
  condition: Sql,
  limit: number,
): Promise<GrantedAsset[]> {
  if (view.coverage.rules.length === 0) return [];
  const found = allOf([view.isGranted, organizationCondition(view), condition]);
  const { rows } =
    await sql<GrantedAsset>`select ${COLUMNS} ${FROM} where ${found} limit ${limit}`.execute(db);
  return rows;
}

/** How many assets a user is granted, remembered unless it depends on more than the grants. */
async function countAll(
  db: Db,
  view: GrantView,
  narrowing: Narrowing | undefined,
): Promise<number> {
  const { coverage } = view;
  const count = async (counting: Sql) =>
    (await sql<{ count: number }>`${counting}`.execute(db)).rows[0]?.count ?? 0;
  if (!narrowing) return view.remember('count', () => count(countGranted(coverage)));
  const { place, condition } = narrowing;
  if (place)
    return view.remember(`count ${place.name}`, () => count(countGranted(coverage, place.ids)));
  return count(countGranted(coverage, sql`select a.id from asset a where ${condition}`));
}

/**
 * Names the organizations of the rules, so that the index on organization and host name gives the
 * order.
 */
function organizationCondition(view: GrantView): Sql | undefined {
  const [only, ...others] = view.coverage.organizations;
  return only !== undefined && others.length === 0 ? sql`a.org_id = ${only}` : undefined;
}
