import { type GrantedAsset, isUuid, type Page, type Problem } from '@sallyport/contract';
import { sql } from 'kysely';
import { Invalid } from '../../../http/problem.ts';
import type { Sql } from '../../../http/resource/hooks.ts';
import { likePattern } from '../../../http/resource/list-query.ts';
import { allOf } from '../../../http/resource/scope.ts';
import type { Db } from '../../../platform/db/database.ts';
import { isGathered } from './coverage.ts';
import type { GrantView } from './service.ts';

const COLUMNS = sql`a.id, a.hostname, a.ip, a.protocols, a.os, a.domain_id as domain, p.base as platform, a.comment, a.org_id,
  case when a.org_id = '' then 'DEFAULT' else (select o.name from organization o where o.id::text = a.org_id) end as org_name`;

const ORDERS: Readonly<Record<string, Sql>> = { hostname: sql`a.hostname`, ip: sql`a.ip` };

/** A granted-asset request, read. */
interface GrantedQuery {
  readonly where: Sql | undefined;
  readonly order: Sql;
  readonly limit: number | undefined;
  readonly offset: number;
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
  const wished = text('order') || sortBy;
  const column = wished.replace(/^-/, '');
  const order = Object.hasOwn(ORDERS, column) ? ORDERS[column] : undefined;
  if (!order) problems.order = [{ code: 'not_choice', params: { value: wished.slice(0, 64) } }];
  if (Object.keys(problems).length > 0 || !order) throw new Invalid(problems);
  const limit = Number(text('limit'));
  const offset = Number(text('offset'));
  return {
    where: conditions.length > 0 ? allOf(conditions) : undefined,
    order: wished.startsWith('-') ? sql`${order} desc, a.id desc` : sql`${order}, a.id`,
    limit: Number.isSafeInteger(limit) && limit > 0 ? Math.min(limit, 10_000) : undefined,
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
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
  const { where, order, limit, offset } = readQuery(query, sortBy);
  const condition = allOf([view.isGranted, organizationCondition(view), where, onNode]);
  const paging = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
  const { rows } = await sql<GrantedAsset>`
    select ${COLUMNS} from asset a join platform p on p.name = a.platform where ${condition} order by ${order} ${paging}`.execute(db);
  if (limit === undefined) return rows;
  const countAll = async () => {
    const counting = allOf([isGathered(view.coverage), organizationCondition(view), where, onNode]);
    const counted = await sql<{ count: number }>`select count(*) as count from asset a where ${counting}`.execute(db);
    return counted.rows[0]?.count ?? 0;
  };
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  const count = isLast ? offset + rows.length : where || onNode ? await countAll() : await view.remember('count', countAll);
  return { count, next: null, previous: null, results: rows };
}

/** Names the organizations of the rules, so that the index on organization and host name gives the order. */
function organizationCondition(view: GrantView): Sql | undefined {
  const [only, ...others] = view.coverage.organizations;
  return only !== undefined && others.length === 0 ? sql`a.org_id = ${only}` : undefined;
}
