import { DEFAULT_UNUSED_DAYS, UNUSED_KINDS, type UnusedKind } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { userName } from '../../../resources/relations/named-objects.ts';
import { IN_FORCE } from '../grants/coverage.ts';
import { IS_VALID_USER } from '../grants/paths.ts';

const daysAgo = (days: number): Sql => sql`now() - make_interval(days => ${days}::integer)`;

/** Last use of a permission (alias `p`). */
const LAST_USED: Sql = sql`(select max(use.last_used) from permission_use use
  where use.permission_id = p.id)`;

/**
 * True if a permission (alias `p`) has granted access for at least this many days. Newer
 * permissions cannot be judged.
 */
const isOld = (days: number): Sql =>
  sql`greatest(p.date_start, p.date_created) <= ${daysAgo(days)}`;

/** True if a permission (alias `p`) is in force and unused for this many days. */
export const isUnused = (days = DEFAULT_UNUSED_DAYS): Sql => sql`${IN_FORCE} and ${isOld(days)}
  and not exists (select 1 from permission_use use
    where use.permission_id = p.id and use.last_used >= ${daysAgo(days)})`;

export interface UnusedQuery {
  readonly organizationId: string;
  readonly days: number;
  /** Absent: all kinds. */
  readonly kind: UnusedKind | undefined;
  /** Pattern (`ilike`) for the name of the permission or member. */
  readonly search: string;
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

/** Tables of a kind of member, and the condition that a use (alias `use`) belongs to a member. */
interface MemberKind {
  readonly links: string;
  readonly column: string;
  readonly table: string;
  readonly name: Sql;
  readonly isUseOf: (member: Sql) => Sql;
}

const MEMBERS: Readonly<Record<Exclude<UnusedKind, 'permission'>, MemberKind>> = {
  user: {
    links: 'asset_permission_users',
    column: 'user_id',
    table: 'account',
    name: userName('m'),
    isUseOf: (member) => sql`use.user_id = ${member}`,
  },
  user_group: {
    links: 'asset_permission_user_groups',
    column: 'user_group_id',
    table: 'user_group',
    name: sql`m.name`,
    isUseOf: (member) =>
      sql`use.user_id in (select inside.user_id from user_group_users inside
        where inside.user_group_id = ${member})`,
  },
  asset: {
    links: 'asset_permission_assets',
    column: 'asset_id',
    table: 'asset',
    name: sql`m.hostname`,
    isUseOf: (member) => sql`use.asset_id = ${member}`,
  },
  node: {
    links: 'asset_permission_nodes',
    column: 'node_id',
    table: 'node',
    name: sql`m.value`,
    isUseOf: (member) => sql`use.node_id = ${member}`,
  },
};

/** Recent uses with the groups of their users. Joined once for all groups. */
const RECENT_OF_GROUPS: Sql = sql`(
  select recent.permission_id, inside.user_group_id from recent
    join user_group_users inside on inside.user_id = recent.user_id) use`;

/** Query for the unused rows of a kind, over the tables `rule` and `recent`. */
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

/** Last use of the permission or member of a row (alias `row`). */
const LAST_USED_OF_ROW: Sql = sql`case row.kind
  when 'permission' then (select max(use.last_used) from permission_use use
    where use.permission_id = row.permission)
  ${sql.join(
    Object.entries(MEMBERS).map(
      ([kind, { isUseOf }]) => sql`when ${sql.lit(kind)} then (
        select max(use.last_used) from permission_use use
        where use.permission_id = row.permission and ${isUseOf(sql`row.member`)})`,
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
 * Returns a page of permissions and members without use in the last `days`, and their total. Omits
 * those granted more recently than that. Members are users, groups, assets and nodes of permissions
 * that were used through others.
 */
export async function findUnused(
  { organizationId, days, kind, search, order, limit, offset }: UnusedQuery,
  db: Db,
): Promise<{ readonly count: number; readonly rows: readonly UnusedRow[] }> {
  const since = sql`(select moment from period)`;
  const kinds = kind ? [kind] : UNUSED_KINDS;
  const direction = order.descending ? sql`desc nulls last` : sql`asc nulls first`;
  const ordered = sql`order by ${sql.ref(COLUMNS[order.by])} ${direction}, permission_name, kind,
    member_name, member`;
  // Looks up the last use for the rows of the page only, unless it is the order.
  const isByUse = order.by === 'last_used';
  const dated = (rows: Sql) => sql`select row.*, ${LAST_USED_OF_ROW} from ${rows} row`;
  const page = sql`select * from found ${ordered} limit ${limit} offset ${offset}`;
  // An empty page still returns the count.
  const { rows } = await sql<UnusedRow & { count: number }>`
    with period as materialized (select ${daysAgo(days)} as moment), recent as materialized (
      select use.permission_id, use.user_id, use.asset_id, use.node_id from permission_use use
        join asset_permission p on p.id = use.permission_id
      where p.org_id = ${organizationId} and use.last_used >= ${since}
    ), rule as materialized (
      select p.id, p.name, p.date_expired, greatest(p.date_start, p.date_created) as since,
        p.id in (select recent.permission_id from recent) as is_used
      from asset_permission p where p.org_id = ${organizationId} and ${IN_FORCE} and ${isOld(days)}
    ), members as materialized (
      select * from (${sql.join(
        kinds.map((one) => rowsOf(one, since)),
        sql` union all `,
      )}) every_row
      where permission_name ilike ${search} or member_name ilike ${search}
    ), found as materialized (${isByUse ? dated(sql`members`) : sql`select * from members`}
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
