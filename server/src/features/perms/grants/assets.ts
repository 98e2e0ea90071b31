import { type GrantedAsset, isUuid, MAX_ITEMS, type Page, type Problem } from '@sallyport/contract';
import { sql } from 'kysely';
import { type Paging, readPaging } from '../../../http/page.ts';
import { Invalid } from '../../../http/problem.ts';
import type { Sql } from '../../../http/resource/hooks.ts';
import { likePattern } from '../../../http/resource/list-query.ts';
import { allOf } from '../../../http/resource/scope.ts';
import type { Db } from '../../../platform/db/database.ts';
import { isGathered, isLookedUp } from './coverage.ts';
import type { GrantView } from './service.ts';

const COLUMNS = sql`a.id, a.hostname, a.ip, a.protocols, a.os, a.domain_id as domain, p.base as platform, a.comment, a.org_id,
  case when a.org_id = '' then 'DEFAULT' else (select o.name from organization o where o.id::text = a.org_id) end as org_name`;

const ORDERS: Readonly<Record<string, Sql>> = { hostname: sql`a.hostname`, ip: sql`a.ip` };

/** A granted-asset request, read. */
interface GrantedQuery extends Paging {
  readonly where: Sql | undefined;
  /** The column that orders, and which way. */
  readonly column: Sql;
  readonly direction: Sql;
}

function readQuery(query: URLSearchParams, sortBy: string): GrantedQuery {
  const problems: Record<string, Problem[]> = {};
  const text = (name: string) => (query.getAll(name).at(-1) ?? '').trim().slice(0, 256);
  for (const name of ['search', 'hostname', 'ip', 'comment', 'order']) if (text(name).includes('\u0000')) problems[name] = [{ code: 'nul_byte' }];
  const conditions: (Sql | undefined)[] = query
    .getAll('search')
    .join(' ')
    .slice(0, 256)
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, 10)
    .map((term) => sql`a.search_text like ${likePattern(term)}`);
  for (const name of ['hostname', 'ip', 'comment']) if (text(name)) conditions.push(sql`${sql.ref(`a.${name}`)} = ${text(name)}`);
  if (text('id')) {
    if (isUuid(text('id'))) conditions.push(sql`a.id = ${text('id')}`);
    else problems.id = [{ code: 'not_uuid', params: { value: text('id').slice(0, 64) } }];
  }
  const ids = (query.getAll('ids').at(-1) ?? '').split(',').map((id) => id.trim());
  if (ids.some((id) => id !== '')) {
    const wrong = ids.find((id) => !isUuid(id));
    if (wrong !== undefined) problems.ids = [{ code: 'not_uuid', params: { value: wrong.slice(0, 64) } }];
    else if (ids.length > MAX_ITEMS) problems.ids = [{ code: 'list_too_long', params: { max: MAX_ITEMS } }];
    else conditions.push(sql`a.id = any (${ids}::uuid[])`);
  }
  const wished = text('order') || sortBy;
  const column = wished.replace(/^-/, '');
  const order = Object.hasOwn(ORDERS, column) ? ORDERS[column] : undefined;
  if (!order) problems.order = [{ code: 'not_choice', params: { value: wished.slice(0, 64) } }];
  if (Object.keys(problems).length > 0 || !order) throw new Invalid(problems);
  return {
    where: conditions.length > 0 ? allOf(conditions) : undefined,
    column: order,
    direction: wished.startsWith('-') ? sql`desc` : sql`asc`,
    ...readPaging(query),
  };
}

/** One page (or all) of the assets a user is granted, narrowed by the request; `onNode` narrows to a place in the tree. */
export async function listGrantedAssets(
  db: Db,
  view: GrantView,
  query: URLSearchParams,
  sortBy: string,
  onNode?: Sql,
): Promise<GrantedAsset[] | Page<GrantedAsset>> {
  const { where, column, direction, limit, offset } = readQuery(query, sortBy);
  const among = (granted: Sql) => allOf([granted, organizationCondition(view), where, onNode]);
  const condition = among(where ? isLookedUp(view.coverage) : view.isGranted);
  const from = sql`from asset a join platform p on p.name = a.platform`;
  const order = sql`order by ${column} ${direction}, a.id ${direction}`;
  if (limit === undefined) return (await sql<GrantedAsset>`select ${COLUMNS} ${from} where ${condition} ${order}`.execute(db)).rows;
  if (where) {
    // A search has to look at all it finds to count it, so the page is taken from what was found for that.
    const { rows } = await sql<{ count: number; results: GrantedAsset[] }>`
      with found as materialized (select a.id, ${column} as position from asset a where ${condition}),
        page as (select * from found order by position ${direction}, id ${direction} limit ${limit} offset ${offset}),
        shown as (select ${COLUMNS}, page.position ${from} join page on page.id = a.id)
      select (select count(*) from found) as count,
        coalesce((select json_agg(to_jsonb(shown) - 'position' order by position ${direction}, id ${direction}) from shown), '[]') as results`.execute(db);
    return { count: rows[0]?.count ?? 0, next: null, previous: null, results: rows[0]?.results ?? [] };
  }
  const { rows } = await sql<GrantedAsset>`select ${COLUMNS} ${from} where ${condition} ${order} limit ${limit} offset ${offset}`.execute(db);
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isLast) return { count: offset + rows.length, next: null, previous: null, results: rows };
  const countAll = async () => {
    const counting = among(onNode ? isLookedUp(view.coverage) : isGathered(view.coverage));
    const counted = await sql<{ count: number }>`select count(*) as count from asset a where ${counting}`.execute(db);
    return counted.rows[0]?.count ?? 0;
  };
  return { count: onNode ? await countAll() : await view.remember('count', countAll), next: null, previous: null, results: rows };
}

/** Names the organizations of the rules, so that the index on organization and host name gives the order. */
function organizationCondition(view: GrantView): Sql | undefined {
  const [only, ...others] = view.coverage.organizations;
  return only !== undefined && others.length === 0 ? sql`a.org_id = ${only}` : undefined;
}
