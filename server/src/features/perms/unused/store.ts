import { DEFAULT_UNUSED_DAYS, UNUSED_KINDS, type UnusedKind } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { Sql } from '../../../resources/hooks.ts';
import { userName } from '../../../resources/object-name.ts';
import { IN_FORCE } from '../grants/coverage.ts';
import { IS_VALID_USER } from '../grants/paths.ts';

/** The moment so many days ago, at which a period begins. */
const daysAgo = (days: number): Sql => sql`now() - make_interval(days => ${days}::integer)`;

/** When a permission (alias `p`) was last used. */
const LAST_USED: Sql = sql`(select max(use.last_used) from permission_use use
  where use.permission_id = p.id)`;

/**
 * Whether a permission (alias `p`) has granted something for so many days: before, nobody can say
 * that it is not needed.
 */
const isOld = (days: number): Sql =>
  sql`greatest(p.date_start, p.date_created) <= ${daysAgo(days)}`;

/** The condition that a permission (alias `p`) is in force and nobody used it for so many days. */
export const isUnused = (days = DEFAULT_UNUSED_DAYS): Sql => sql`${IN_FORCE} and ${isOld(days)}
  and not exists (select 1 from permission_use use
    where use.permission_id = p.id and use.last_used >= ${daysAgo(days)})`;

/** What is read of unused access. */
export interface UnusedQuery {
  readonly organizationId: string;
  readonly days: number;
  /** Absent: all of them. */
  readonly kind: UnusedKind | undefined;
  /** A pattern that the name of the permission or of its member contains. */
  readonly search: string;
  readonly order: UnusedOrder;
  readonly limit: number;
  readonly offset: number;
}

/** What the rows are ordered by. */
export type UnusedOrder = {
  readonly by: 'permission' | 'since' | 'last_used' | 'valid_until';
  readonly descending: boolean;
};

/** One row: a permission that nobody used, or a member of a used one. */
export interface FoundUnused {
  readonly kind: UnusedKind;
  readonly permission: string;
  readonly permissionName: string;
  readonly member: string | null;
  readonly memberName: string | null;
  readonly since: Date;
  readonly lastUsed: Date | null;
  readonly validUntil: Date;
}

/**
 * How a kind of member is found: the table of its links, its own table and name, and whether a use
 * (alias `use`) of the permission is one of it.
 */
interface MemberKind {
  readonly links: string;
  readonly column: string;
  readonly table: string;
  readonly name: Sql;
  readonly isIts: (member: Sql) => Sql;
}

const MEMBERS: Readonly<Record<Exclude<UnusedKind, 'permission'>, MemberKind>> = {
  user: {
    links: 'asset_permission_users',
    column: 'user_id',
    table: 'account',
    name: userName('m'),
    isIts: (member) => sql`use.user_id = ${member}`,
  },
  user_group: {
    links: 'asset_permission_user_groups',
    column: 'user_group_id',
    table: 'user_group',
    name: sql`m.name`,
    isIts: (member) =>
      sql`use.user_id in (select inside.user_id from user_group_users inside
        where inside.user_group_id = ${member})`,
  },
  asset: {
    links: 'asset_permission_assets',
    column: 'asset_id',
    table: 'asset',
    name: sql`m.hostname`,
    isIts: (member) => sql`use.asset_id = ${member}`,
  },
  node: {
    links: 'asset_permission_nodes',
    column: 'node_id',
    table: 'node',
    name: sql`m.value`,
    isIts: (member) => sql`use.node_id = ${member}`,
  },
};

/** Recent uses together with the groups of their users, so that groups are compared all at once. */
const RECENT_OF_GROUPS: Sql = sql`(
  select recent.permission_id, inside.user_group_id from recent
    join user_group_users inside on inside.user_id = recent.user_id) use`;

/**
 * The rows of a kind, of the permissions in the table `rule` and their uses in the table `recent`.
 */
function rowsOf(kind: UnusedKind, since: Sql): Sql {
  if (kind === 'permission')
    return sql`
      select 'permission' as kind, rule.id as permission, rule.name as permission_name,
        null::uuid as member, null::text as member_name,
        rule.since, rule.date_expired
      from rule where not rule.is_used`;
  const { links, column, table, name } = MEMBERS[kind];
  const member = sql.ref(`link.${column}`);
  const uses = kind === 'user_group' ? RECENT_OF_GROUPS : sql`recent use`;
  return sql`
    select ${sql.lit(kind)}::text as kind, rule.id as permission, rule.name as permission_name,
      m.id as member, ${name}::text as member_name,
      greatest(rule.since, link.date_added) as since, rule.date_expired
    from rule join ${sql.table(links)} link on link.asset_permission_id = rule.id
      and link.date_added <= ${since}
      join ${sql.table(table)} m on m.id = ${member}
    where rule.is_used and not exists (
      select 1 from ${uses} where use.permission_id = link.asset_permission_id
        and ${sql.ref(`use.${column}`)} = ${member})`;
}

/** When what a row (alias `row`) is about was last used. */
const LAST_USED_OF_ROW: Sql = sql`case row.kind
  when 'permission' then (select max(use.last_used) from permission_use use
    where use.permission_id = row.permission)
  ${sql.join(
    Object.entries(MEMBERS).map(
      ([kind, { isIts }]) => sql`when ${sql.lit(kind)} then (
        select max(use.last_used) from permission_use use
        where use.permission_id = row.permission and ${isIts(sql`row.member`)})`,
    ),
    sql` `,
  )} end as last_used`;

const COLUMNS = {
  permission: 'permission_name',
  since: 'since',
  last_used: 'last_used',
  valid_until: 'date_expired',
} as const;

/**
 * What permissions of an organization grant now and nobody used for so many days: permissions as a
 * whole, and users, groups, assets and nodes of those that were used otherwise. What is granted for
 * less than that is left out. A page of it, and how many rows there are.
 */
export async function findUnused(
  { organizationId, days, kind, search, order, limit, offset }: UnusedQuery,
  db: Db,
): Promise<{ readonly count: number; readonly rows: readonly FoundUnused[] }> {
  const since = sql`(select moment from period)`;
  const kinds = kind ? [kind] : UNUSED_KINDS;
  const direction = order.descending ? sql`desc nulls last` : sql`asc nulls first`;
  const ordered = sql`order by ${sql.ref(COLUMNS[order.by])} ${direction}, permission_name, kind,
    member_name, member`;
  // The last use is looked up for the rows of the page only, unless they are ordered by it.
  const isByUse = order.by === 'last_used';
  const dated = (rows: Sql) => sql`select row.*, ${LAST_USED_OF_ROW} from ${rows} row`;
  const page = sql`select * from found ${ordered} limit ${limit} offset ${offset}`;
  // The number comes alone when the page is empty.
  const { rows } = await sql<FoundUnused & { count: number }>`
    with period as materialized (select ${daysAgo(days)} as moment), recent as materialized (
      select use.permission_id, use.user_id, use.asset_id, use.node_id from permission_use use
        join asset_permission p on p.id = use.permission_id
      where p.org_id = ${organizationId} and use.last_used >= ${since}
    ), rule as materialized (
      select p.id, p.name, p.date_expired, greatest(p.date_start, p.date_created) as since,
        p.id in (select recent.permission_id from recent) as is_used
      from asset_permission p where p.org_id = ${organizationId} and ${IN_FORCE} and ${isOld(days)}
    ), named as materialized (
      select * from (${sql.join(
        kinds.map((one) => rowsOf(one, since)),
        sql` union all `,
      )}) every_row
      where permission_name ilike ${search} or member_name ilike ${search}
    ), found as materialized (${isByUse ? dated(sql`named`) : sql`select * from named`}
    ), page as materialized (${isByUse ? page : dated(sql`(${page})`)})
    select page.kind, page.permission, page.permission_name as "permissionName", page.member,
      page.since, page.last_used as "lastUsed",
      page.date_expired as "validUntil", total.count::integer as count,
      coalesce((
        select string_agg(above.value, ' / ' order by length(above.key)) from node place
          join node above on above.id = any (place.ancestors)
        where page.kind = 'node' and place.id = page.member), page.member_name) as "memberName"
    from (select count(*) as count from found) total left join page on true ${ordered}`.execute(db);
  return {
    count: rows[0]?.count ?? 0,
    rows: rows.flatMap(({ count: _count, ...row }) => (row.kind === null ? [] : [row])),
  };
}

/**
 * How much a permission is used: when last, by how many of the users whom it names now, and whether
 * it is too new to say.
 */
export async function useOf(
  permissionId: string,
  days: number,
  db: Db,
): Promise<{
  readonly lastUsed: Date | null;
  readonly users: number;
  readonly named: number;
  readonly isNew: boolean;
}> {
  const { rows } = await sql<{
    lastUsed: Date | null;
    users: number;
    named: number;
    isNew: boolean;
  }>`
    with named as materialized (
      select u.id from account u where ${IS_VALID_USER} and u.id in (
        select link.user_id from asset_permission_users link
        where link.asset_permission_id = ${permissionId}
        union all
        select member.user_id from asset_permission_user_groups link
          join user_group_users member on member.user_group_id = link.user_group_id
        where link.asset_permission_id = ${permissionId})
    )
    select ${LAST_USED} as "lastUsed", not (${isOld(days)}) as "isNew",
      (select count(*)::integer from named) as named,
      (select count(*)::integer from named where exists (
        select 1 from permission_use use where use.permission_id = p.id and use.user_id = named.id
          and use.last_used >= ${daysAgo(days)})) as users
    from asset_permission p where p.id = ${permissionId}`.execute(db);
  return rows[0] ?? { lastUsed: null, users: 0, named: 0, isNew: true };
}
