import { DEFAULT_UNUSED_DAYS, type UnusedKind } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';
import { ListMemory, type Total } from '../../../resources/read/count.ts';
import { IN_FORCE } from '../grants/coverage.ts';
import { IS_VALID_USER } from '../grants/paths.ts';
import {
  daysAgo,
  isJudged,
  isOld,
  isUsed,
  LAST_USED_OF_ROW,
  LONG_NAME_OF_ROW,
  NAME_OF_ROW,
  type UnusedQuestion,
  unusedRows,
} from './rows.ts';

/** Limits of one page. Tests lower them. */
export const UNUSED_LIMITS = {
  /** Permissions up to which all rows are counted and sorted for each page. */
  fewRules: 2_000,
  /** Permissions from which the number of rows is projected: about 50 ms. */
  sampledRules: 300,
  /** Projected rows up to which they are sorted by a column of the member: a few seconds. */
  sortedRows: 100_000,
};
/** The page is expected among this many times the permissions that hold it on average. */
const MARGIN = 2;

/** Last use of a permission (alias `p`). */
const LAST_USED: Sql = sql`(select max(use.last_used) from permission_use use
  where use.permission_id = p.id)`;

/** True if a permission (alias `p`) is in force and unused for this many days. */
export const isUnused = (days = DEFAULT_UNUSED_DAYS): Sql =>
  sql`${IN_FORCE} and ${isOld(days)} and not ${isUsed(days)}`;

export interface UnusedQuery extends UnusedQuestion {
  readonly order: UnusedOrder;
  readonly limit: number;
  readonly offset: number;
}

export type UnusedOrder = {
  readonly by: 'permission' | 'since' | 'last_used' | 'valid_until';
  readonly descending: boolean;
};

/** An unused permission, or an unused member of a used permission. */
export interface UnusedRow {
  readonly kind: UnusedKind;
  readonly permission: string;
  readonly permissionName: string;
  readonly member: string | null;
  readonly memberName: string | null;
  readonly since: Date;
  readonly lastUsed: Date | null;
  readonly validUntil: Date;
}

const COLUMNS = {
  permission: sql`row.permission_name`,
  since: sql`row.since`,
  last_used: LAST_USED_OF_ROW,
  valid_until: sql`row.date_expired`,
} as const;

/** The same orders for permissions; the others depend on the member. */
const RULE_COLUMNS: Readonly<Partial<Record<UnusedOrder['by'], Sql>>> = {
  permission: sql`p.name`,
  valid_until: sql`p.date_expired`,
};

const directionOf = ({ descending }: UnusedOrder): Sql =>
  descending ? sql`desc nulls last` : sql`asc nulls first`;

/** Rows of a query in their order; with a page, the rows of the page. */
function ordered(
  order: UnusedOrder,
  rows: Sql,
  page?: { readonly limit: number; readonly offset: number },
): Sql {
  const direction = directionOf(order);
  // Members are named, and their uses looked up, after the first rows were selected.
  const first = page
    ? sql`fetch first (${page.offset}::bigint + ${page.limit}::bigint) rows with ties`
    : sql``;
  const paging = page ? sql`limit ${page.limit} offset ${page.offset}` : sql``;
  return sql`select row.kind, row.permission, row.permission_name as "permissionName", row.member,
      row.since, ${LAST_USED_OF_ROW} as "lastUsed", row.date_expired as "validUntil",
      ${LONG_NAME_OF_ROW} as "memberName"
    from (select row.*, ${NAME_OF_ROW} as member_name from (
      select row.*, ${COLUMNS[order.by]} as place from (${rows}) row
      order by place ${direction}, permission_name, kind ${first}) row) row
    order by row.place ${direction}, row.permission_name, row.kind, row.member_name, row.member
    ${paging}`;
}

/** All unused rows of a question, in their order. */
export function allUnused(question: UnusedQuestion, order: UnusedOrder): Sql<UnusedRow> {
  const { rule, rows } = unusedRows(question);
  return sql<UnusedRow>`with ${rule} ${ordered(order, rows)}`;
}

/** Projected totals, for a while. They decide no access. */
const memory = new ListMemory();

/**
 * Returns a page of permissions and members without use in the last `days`, and their total. Omits
 * those granted more recently than that. Members are users, groups, assets and nodes of permissions
 * that were used through others. With many permissions the total of a full page is projected, and
 * a page is searched in its part of the permissions first.
 *
 * @throws Invalid for an order that needs too many rows
 */
export async function findUnused(
  query: UnusedQuery,
  db: Db,
  { fewRules, sampledRules, sortedRows } = UNUSED_LIMITS,
): Promise<{ readonly count: number; readonly rows: readonly UnusedRow[] }> {
  const { order, limit, offset } = query;
  const rules = await countRules(query, db);
  const column = RULE_COLUMNS[order.by];
  if (rules <= fewRules) return pageOfAll(query, db);
  const { count } = await projectedCount(query, { rules, sampledRules }, db);
  if (!column && count > sortedRows) throw invalid('order', 'unused_too_many', { max: sortedRows });
  if (!column) return pageOfAll(query, db);
  const rowsWanted = offset + limit;
  const rulesWanted = Math.ceil((MARGIN * rowsWanted * rules) / Math.max(count, 1));
  if (rulesWanted > rules / 2) return pageOfAll(query, db);
  const some = sql`order by ${column} ${directionOf(order)}, p.name
    limit ${Math.max(sampledRules, rulesWanted)}`;
  const { rule, rows } = unusedRows(query, some);
  const page = await sql<UnusedRow>`with ${rule} ${ordered(order, rows, query)}`.execute(db);
  if (page.rows.length < limit) return pageOfAll(query, db);
  return { count: Math.max(count, rowsWanted + 1), rows: page.rows };
}

async function pageOfAll(
  query: UnusedQuery,
  db: Db,
): Promise<{ readonly count: number; readonly rows: readonly UnusedRow[] }> {
  const { rule, rows } = unusedRows(query);
  // An empty page still returns the count.
  const answer = await sql<UnusedRow & { count: number }>`
    with ${rule}, every_row as materialized (${rows})
    select page.*, total.count::integer as count
    from (select count(*) as count from every_row) total left join (
      ${ordered(query.order, sql`select * from every_row`, query)}
    ) page on true`.execute(db);
  return {
    count: answer.rows[0]?.count ?? 0,
    rows: answer.rows.flatMap(({ count: _count, ...row }) => (row.kind === null ? [] : [row])),
  };
}

/** Counts the permissions that the report judges. */
async function countRules(query: UnusedQuestion, db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from asset_permission p where ${isJudged(query)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Projects the number of rows from permissions with the lowest ids, which are random. */
async function projectedCount(
  query: UnusedQuestion,
  { rules, sampledRules }: { readonly rules: number; readonly sampledRules: number },
  db: Db,
): Promise<Total> {
  const { rule, rows } = unusedRows(query, sql`order by p.id limit ${sampledRules}`);
  const sample = sql<{ count: number }>`with ${rule} select count(*)::integer as count
    from (${rows}) row`;
  const known = memory.projected(sample);
  if (known) return known;
  const counted = (await sample.execute(db)).rows[0]?.count ?? 0;
  const total = { count: Math.round((counted * rules) / sampledRules), isExact: false };
  memory.learnTotal(sample, total);
  return total;
}

/**
 * Returns the last use of a permission, the number of users it names, and how many used it in the
 * last `days`. `isNew` means that it is too recent to judge.
 */
export async function useOf(
  permissionId: string,
  days: number,
  db: Db,
): Promise<{
  readonly lastUsed: Date | null;
  readonly users: number;
  readonly members: number;
  readonly isNew: boolean;
}> {
  const { rows } = await sql<{
    lastUsed: Date | null;
    users: number;
    members: number;
    isNew: boolean;
  }>`
    with members as materialized (
      select u.id from account u where ${IS_VALID_USER} and u.id in (
        select link.user_id from asset_permission_users link
        where link.asset_permission_id = ${permissionId}
        union all
        select member.user_id from asset_permission_user_groups link
          join user_group_users member on member.user_group_id = link.user_group_id
        where link.asset_permission_id = ${permissionId})
    )
    select ${LAST_USED} as "lastUsed", not (${isOld(days)}) as "isNew",
      (select count(*)::integer from members) as members,
      (select count(*)::integer from members where exists (
        select 1 from permission_use use where use.permission_id = p.id and use.user_id = members.id
          and use.last_used >= ${daysAgo(days)})) as users
    from asset_permission p where p.id = ${permissionId}`.execute(db);
  return rows[0] ?? { lastUsed: null, users: 0, members: 0, isNew: true };
}
