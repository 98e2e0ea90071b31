import { UNUSED_KINDS, type UnusedKind } from '@sallyport/contract';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { userName } from '../../../resources/relations/named-objects.ts';
import { IN_FORCE } from '../grants/coverage.ts';

export const daysAgo = (days: number): Sql => sql`now() - make_interval(days => ${days}::integer)`;

/**
 * True if a permission (alias `p`) has granted access for at least this many days. Newer
 * permissions cannot be judged.
 */
export const isOld = (days: number): Sql =>
  sql`greatest(p.date_start, p.date_created) <= ${daysAgo(days)}`;

/** True if a permission (alias `p`) was used in the last `days`. */
export const isUsed = (days: number): Sql => sql`exists (select 1 from permission_use use
  where use.permission_id = p.id and use.last_used >= ${daysAgo(days)})`;

export interface UnusedQuestion {
  readonly organizationId: string;
  readonly days: number;
  /** Absent: all kinds. */
  readonly kind: UnusedKind | undefined;
  /** Pattern (`ilike`) for the name of the permission or member. Absent: all. */
  readonly search: string | undefined;
}

/** Tables of a kind of member. */
interface MemberKind {
  readonly links: string;
  readonly column: string;
  readonly table: string;
  /** Name of the member (alias `m`). */
  readonly name: Sql;
  /** Preselects members (alias `m`) by an index. */
  readonly indexed: (pattern: string) => Sql;
  /** True if a use (alias `use`) belongs to a member. */
  readonly isUseOf: (member: Sql) => Sql;
}

const BY_ALL = () => sql`true`;
const MEMBERS: Readonly<Record<Exclude<UnusedKind, 'permission'>, MemberKind>> = {
  user: {
    links: 'asset_permission_users',
    column: 'user_id',
    table: 'account',
    name: userName('m'),
    indexed: BY_ALL,
    isUseOf: (member) => sql`use.user_id = ${member}`,
  },
  user_group: {
    links: 'asset_permission_user_groups',
    column: 'user_group_id',
    table: 'user_group',
    name: sql`m.name`,
    indexed: BY_ALL,
    // The offset keeps one look-up for each user of a group: a join reads all uses.
    isUseOf: (member) =>
      sql`use.user_id in (select inside.user_id from user_group_users inside
        where inside.user_group_id = ${member} offset 0)`,
  },
  asset: {
    links: 'asset_permission_assets',
    column: 'asset_id',
    table: 'asset',
    name: sql`m.hostname`,
    indexed: (pattern) => sql`m.search_text like lower(${pattern})`,
    isUseOf: (member) => sql`use.asset_id = ${member}`,
  },
  node: {
    links: 'asset_permission_nodes',
    column: 'node_id',
    table: 'node',
    name: sql`m.value`,
    indexed: BY_ALL,
    isUseOf: (member) => sql`use.node_id = ${member}`,
  },
};
const MEMBER_KINDS = Object.keys(MEMBERS) as (keyof typeof MEMBERS)[];

/** The members of a kind (alias `m`) whose name matches. */
const matching = ({ table, name, indexed }: MemberKind, pattern: string): Sql => sql`
  (select m.id from ${sql.table(table)} m where ${indexed(pattern)} and ${name} ilike ${pattern})`;

/** Permissions that a search matches, by their name or that of a member. */
function matchingRules(kinds: readonly UnusedKind[], pattern: string): Sql {
  const byMember = MEMBER_KINDS.filter((kind) => kinds.includes(kind)).map((kind) => {
    const { links, column } = MEMBERS[kind];
    return sql`select link.asset_permission_id from ${matching(MEMBERS[kind], pattern)} m
      join ${sql.table(links)} link on ${sql.ref(`link.${column}`)} = m.id`;
  });
  return sql`(${sql.join(
    [
      sql`select named.id from asset_permission named
        where named.search_text like lower(${pattern}) and named.name ilike ${pattern}`,
      ...byMember,
    ],
    sql` union `,
  )})`;
}

/** Query for the unused rows of a kind, over the table `rule`. */
function rowsOf(kind: UnusedKind, { days, search }: UnusedQuestion): Sql {
  if (kind === 'permission')
    return sql`
      select 'permission' as kind, rule.id as permission, rule.name as permission_name,
        null::uuid as member, rule.since, rule.date_expired
      from rule where not rule.is_used and rule.is_named`;
  const { links, column } = MEMBERS[kind];
  const member = sql.ref(`link.${column}`);
  const matched =
    search === undefined
      ? sql``
      : sql`left join ${matching(MEMBERS[kind], search)} matched on matched.id = ${member}`;
  return sql`
    select ${sql.lit(kind)}::text as kind, rule.id as permission, rule.name as permission_name,
      ${member} as member, greatest(rule.since, link.date_added) as since, rule.date_expired
    from rule join ${sql.table(links)} link on link.asset_permission_id = rule.id
      and link.date_added <= ${daysAgo(days)} ${matched}
    where rule.is_used ${search === undefined ? sql`` : sql`and (rule.is_named or matched.id is not null)`}
      and not exists (${usesBy(kind, member, days)})`;
}

/** The uses of a permission by a member in the last `days`. */
function usesBy(kind: keyof typeof MEMBERS, member: Sql, days: number): Sql {
  const since = sql`use.last_used >= ${daysAgo(days)}`;
  if (kind !== 'user_group')
    return sql`select 1 from permission_use use
      where use.permission_id = link.asset_permission_id and ${MEMBERS[kind].isUseOf(member)}
        and ${since}`;
  return sql`select 1 from user_group_users inside where inside.user_group_id = ${member}
    and exists (select 1 from permission_use use where use.user_id = inside.user_id
      and use.permission_id = link.asset_permission_id and ${since} offset 0)`;
}

/** True for permissions (alias `p`) that the report judges. */
export const isJudged = ({ organizationId, days }: UnusedQuestion): Sql =>
  sql`p.org_id = ${organizationId} and ${IN_FORCE} and ${isOld(days)}`;

/**
 * The table `rule`, and a query for the unused rows of its permissions, without names of members.
 * `some` orders and limits the permissions, which the search does not preselect then.
 */
export function unusedRows(
  question: UnusedQuestion,
  some?: Sql,
): { readonly rule: Sql; readonly rows: Sql } {
  const { days, kind, search } = question;
  const kinds = kind ? [kind] : UNUSED_KINDS;
  const preselected =
    some || search === undefined ? sql`` : sql`and p.id in ${matchingRules(kinds, search)}`;
  return {
    rule: sql`rule as materialized (
      select p.id, p.name, p.date_expired, greatest(p.date_start, p.date_created) as since,
        ${isUsed(days)} as is_used,
        ${search === undefined ? sql`true` : sql`p.name ilike ${search}`} as is_named
      from asset_permission p where ${isJudged(question)} ${preselected} ${some ?? sql``})`,
    rows: sql.join(
      kinds.map((one) => rowsOf(one, question)),
      sql` union all `,
    ),
  };
}

/** Last use of the permission or member of a row (alias `row`). */
export const LAST_USED_OF_ROW: Sql = sql`case row.kind
  when 'permission' then (select max(use.last_used) from permission_use use
    where use.permission_id = row.permission)
  ${sql.join(
    MEMBER_KINDS.map(
      (kind) => sql`when ${sql.lit(kind)} then (
        select max(use.last_used) from permission_use use
        where use.permission_id = row.permission and ${MEMBERS[kind].isUseOf(sql`row.member`)})`,
    ),
    sql` `,
  )} end`;

/** Name of the member of a row (alias `row`). */
export const NAME_OF_ROW: Sql = sql`case row.kind ${sql.join(
  MEMBER_KINDS.map((kind) => {
    const { table, name } = MEMBERS[kind];
    return sql`when ${sql.lit(kind)} then (
      select ${name}::text from ${sql.table(table)} m where m.id = row.member)`;
  }),
  sql` `,
)} end`;

/** Name of the member of a row (alias `row`), which has the column `member_name`, with its path. */
export const LONG_NAME_OF_ROW: Sql = sql`coalesce((
  select string_agg(above.value, ' / ' order by length(above.key)) from node place
    join node above on above.id = any (place.ancestors)
  where row.kind = 'node' and place.id = row.member), row.member_name)`;
