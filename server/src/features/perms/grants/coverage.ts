import type { Db } from '../../../platform/db/database.ts';
import { executePrepared, type Sql, sql } from '../../../platform/db/sql.ts';
import { INACTIVE } from './inactive.ts';
import { ASSETS, type GrantKind, linksOf, ruleIn } from './kind.ts';

/** The assets that a user's permissions in force reach, described without listing them. */
export interface Coverage {
  /** Permissions in force that name the user, directly or through groups. */
  readonly rules: readonly string[];
  /** Granted nodes without a granted node above them. */
  readonly nodes: readonly string[];
  /** Organizations of these permissions. */
  readonly organizations: readonly string[];
  /** True if the permissions reach all assets of these organizations. */
  readonly isEverything: boolean;
  /** Upper bound of the number of assets. Assets on several nodes count repeatedly. */
  readonly atMost: number;
  /** True if one of the permissions has a condition. */
  readonly hasConditions: boolean;
  /** Time (ms) when the next permission begins or ends. */
  readonly validUntil: number;
}

/**
 * Permissions that name a user, directly or through groups. With `isGroup`, those that name the
 * group.
 */
export function rulesNaming(userId: string, isGroup = false, kind: GrantKind = ASSETS): Sql {
  const [named, byGroup] = [ruleIn(kind, 'named'), linksOf(kind, 'user_groups')];
  if (isGroup)
    return sql`(select ${named} from ${byGroup} named where named.user_group_id = ${userId})`;
  return sql`(
    select ${named} from ${linksOf(kind, 'users')} named where named.user_id = ${userId}
    union
    select ${named} from user_group_users member
      join ${byGroup} named on named.user_group_id = member.user_group_id
    where member.user_id = ${userId}
  )`;
}

/** True if the dates of a permission (alias `p`) include a moment. */
export const datedAt = (moment: Sql): Sql =>
  sql`p.date_start <= ${moment} and p.date_expired > ${moment}`;

/** True if a permission (alias `p`) is in force now. */
export const IN_FORCE: Sql = sql`p.is_active and ${datedAt(sql`now()`)}`;

/**
 * Parts of the condition of a permission (alias `p`); null without one. A condition without
 * readable parts is never null, because it denies.
 */
export const TERMS: Sql = sql`case when p.condition_id is not null
  then coalesce(condition_terms(p.condition_id), '{}') end`;

/** Computes what a user's permissions reach, in one organization or in all. */
export async function loadCoverage(
  db: Db,
  userId: string,
  organizationId: string | undefined,
  isGroup = false,
): Promise<Coverage> {
  const inOrganization =
    organizationId === undefined ? sql`true` : sql`p.org_id = ${organizationId}`;
  // A prepared statement: every change to grants recomputes the coverage of all active users, and
  // planning took a third of the time.
  const query = sql<{
    rules: string[] | null;
    nodes: string[] | null;
    organizations: string[] | null;
    is_everything: boolean;
    at_most: number;
    has_conditions: boolean;
    next_change: Date | null;
  }>`
    with named as materialized (
      select p.id, p.org_id, p.is_active, p.date_start, p.date_expired, p.condition_id
      from asset_permission p where p.id in ${rulesNaming(userId, isGroup)} and ${inOrganization}
    ), rule as materialized (
      select p.id, p.org_id, p.condition_id from named p where ${IN_FORCE}
    ), granted as materialized (
      select distinct n.id, n.ancestors, n.assets_amount from rule
        join asset_permission_nodes link on link.asset_permission_id = rule.id
      join node n on n.id = link.node_id
    ), top as materialized (
      select id, assets_amount from granted where not exists (
        select 1 from granted above where above.id <> granted.id
          and above.id = any (granted.ancestors))
    ), root as materialized (
      select n.org_id, n.assets_amount from granted join node n on n.id = granted.id
      where n.parent_id is null
    ), whole as materialized (
      -- The root is granted and every asset is in the tree. Counted for roots only: the count
      -- visits every asset.
      select org_id from root where assets_amount = (select count(*) from asset a
        where a.org_id = root.org_id)
    )
    select
      (select array_agg(id) from rule) as rules,
      (select array_agg(id) from top) as nodes,
      (select array_agg(distinct org_id) from rule) as organizations,
      not exists (select 1 from rule
        where rule.org_id not in (select org_id from whole)) as is_everything,
      (select coalesce(sum(assets_amount), 0) from top)
        + (select count(*) from asset_permission_assets direct
          where direct.asset_permission_id in (select id from rule)) as at_most,
      exists (select 1 from rule where condition_id is not null) as has_conditions,
      (select min(moment) from (
        select date_start as moment from named where is_active and date_start > now()
        union all select date_expired from named where is_active
          and date_expired > now()) moments) as next_change`;
  const [row] = await executePrepared(query, db);
  return {
    rules: row?.rules ?? [],
    nodes: row?.nodes ?? [],
    organizations: row?.organizations ?? [],
    isEverything: row?.is_everything ?? false,
    atMost: Number(row?.at_most ?? 0),
    hasConditions: row?.has_conditions ?? false,
    validUntil: row?.next_change?.getTime() ?? Number.POSITIVE_INFINITY,
  };
}

/**
 * Up to this number the granted assets are gathered first. Above it, a query finds assets first and
 * checks each for a grant.
 */
const GATHER_UP_TO = 3_000;

/** Checking one asset costs as much as reading this many granted assets. */
const LOOKUP_COST = 25;

/** Returns true if the granted assets are few enough to gather them. */
export function isSmall({ rules, isEverything, atMost }: Coverage): boolean {
  return rules.length === 0 || (!isEverything && atMost <= GATHER_UP_TO);
}

const belowNodes = ({ nodes }: Coverage) =>
  sql`select below.asset_id from asset_ancestor below where below.node_id = any (${nodes}::uuid[])`;
const namedByRules = ({ rules }: Coverage) =>
  sql`select direct.asset_id from asset_permission_assets direct
    where direct.asset_permission_id = any (${rules}::uuid[])`;

/**
 * True if an asset (alias `a`) is active and granted; gathers the granted assets. An array of ids
 * is looked up in index order, many per page.
 */
function isGathered(coverage: Coverage): Sql {
  if (coverage.rules.length === 0) return sql`false`;
  if (coverage.isEverything)
    return sql`(a.is_active and a.org_id = any (${coverage.organizations}))`;
  return sql`(a.is_active and a.id = any (array(${belowNodes(coverage)}
    union all ${namedByRules(coverage)})))`;
}

/**
 * True if the asset with this id is reached; checks each asset alone. `limit 1` keeps the planner
 * from gathering all assets. `offset 0` keeps it from probing the index per node and permission,
 * because one asset has few of both.
 */
function isReached(id: Sql, { nodes, rules }: Coverage): Sql {
  return sql`(
    (select true from (select node_id from asset_ancestor where asset_id = ${id} offset 0) above
      where above.node_id = any (${nodes}::uuid[]) limit 1) is true
    or (select true from (select asset_permission_id as id from asset_permission_assets
      where asset_id = ${id} offset 0) direct where direct.id = any (${rules}::uuid[])
    limit 1) is true)`;
}

/**
 * True if an asset (alias `a`) is active and granted; checks each asset alone. For queries that
 * test few assets.
 */
export function isGrantedAlone(coverage: Coverage): Sql {
  return coverage.isEverything || coverage.rules.length === 0
    ? isGathered(coverage)
    : sql`(a.is_active and ${isReached(sql`a.id`, coverage)})`;
}

/**
 * True if an asset (alias `a`) is active and granted; for a page in some order. With many granted
 * assets each asset is checked alone, because a page of 15 then visits about 15.
 */
export function isGranted(coverage: Coverage): Sql {
  return isSmall(coverage) ? isGathered(coverage) : isGrantedAlone(coverage);
}

/**
 * True if an asset (alias `a`) is active and granted; for queries that read all granted assets.
 * Reads the inactive assets instead of testing each, so that indexes alone answer.
 */
export function isReachedInBulk(coverage: Coverage): Sql {
  if (coverage.isEverything)
    return sql`(a.org_id = any (${coverage.organizations}) and a.id not in (${INACTIVE}))`;
  return sql`(a.is_active and a.id in (${belowNodes(coverage)}
    union all ${namedByRules(coverage)}))`;
}

/**
 * Query for the granted rows of a search, which are active assets in the table `candidate`. Not for
 * users who are granted everything. A few candidates are checked one by one. For many, the granted
 * assets are read once and joined. Only one branch of the union runs.
 */
export function grantedCandidates(coverage: Coverage): Sql {
  const { atMost } = coverage;
  const areFew = sql`(select are_few from number)`;
  return sql`
    with number as materialized (select count(*) * ${LOOKUP_COST}::integer <
      ${atMost}::bigint as are_few from candidate)
    select candidate.id, candidate.position from candidate
    where ${areFew} and ${isReached(sql`candidate.id`, coverage)}
    union all
    select distinct candidate.id, candidate.position
    from (${belowNodes(coverage)} union all ${namedByRules(coverage)}) reached
      join candidate on candidate.id = reached.asset_id where not ${areFew}`;
}

/**
 * Query for the granted assets among those of a query for ids (`asset_id`). Not for users who are
 * granted everything. A few granted assets are looked up there one by one, else both are read once.
 */
export function grantedAmong(coverage: Coverage, ids: Sql): Sql {
  const isAmong = isSmall(coverage)
    ? sql`(select true from (${ids}) held where held.asset_id = reached.asset_id limit 1) is true`
    : sql`reached.asset_id in (${ids})`;
  return sql`
    select reached.asset_id
    from (${belowNodes(coverage)} union all ${namedByRules(coverage)}) reached where ${isAmong}`;
}

/**
 * Query that counts the active granted assets, optionally `within` a query for ids. It uses the
 * closure table and reads only the inactive assets.
 */
export function countGranted(coverage: Coverage, within?: Sql): Sql {
  const { isEverything, organizations, rules } = coverage;
  if (rules.length === 0) return sql`select 0 as count`;
  const narrowed = (id: Sql) => (within ? sql`and ${id} in (${within})` : sql``);
  if (isEverything && !within)
    return sql`select (select coalesce(sum(assets), 0)::bigint from asset_tally
        where org_id = any (${organizations}) and day is null)
      - (select count(*) from asset a
        where not a.is_active and a.org_id = any (${organizations})) as count`;
  if (isEverything)
    return sql`select count(*) as count from asset a
      where a.is_active and a.org_id = any (${organizations}) ${narrowed(sql`a.id`)}`;
  return sql`
    select count(*) as count from (${belowNodes(coverage)} union ${namedByRules(coverage)}) reached
    where reached.asset_id not in (${INACTIVE}) ${narrowed(sql`reached.asset_id`)}`;
}
