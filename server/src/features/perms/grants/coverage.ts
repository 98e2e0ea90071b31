import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { executePrepared } from '../../../platform/db/prepared.ts';
import type { Sql } from '../../../resources/hooks.ts';
import { ASSETS, type GrantKind, linksOf, ruleIn } from './kind.ts';

/** What a user's valid rules reach, before any asset is looked at. */
export interface Coverage {
  /** The valid rules of the user, directly or through groups. */
  readonly rules: readonly string[];
  /** The granted nodes that lie below no other granted node. */
  readonly nodes: readonly string[];
  /** Organizations the rules belong to. */
  readonly organizations: readonly string[];
  /** Whether the rules reach all assets of these organizations. */
  readonly isEverything: boolean;
  /** No more assets than this are reached; the true number is smaller when nodes share assets. */
  readonly atMost: number;
  /** The moment when a rule begins or ends, so that this is no longer true. */
  readonly validUntil: number;
}

/**
 * The rules that name a user or one of the groups the user is in; or, with `isGroup`, those that
 * name a group.
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

/** Rules (alias `p`) whose dates include a moment. */
export const datedAt = (moment: Sql): Sql =>
  sql`p.date_start <= ${moment} and p.date_expired > ${moment}`;

/** Rules (alias `p`) that are in force now. */
export const IN_FORCE: Sql = sql`p.is_active and ${datedAt(sql`now()`)}`;

/** Works out what a user's rules reach, in one organization or in all. */
export async function loadCoverage(
  db: Db,
  userId: string,
  organizationId: string | undefined,
  isGroup = false,
): Promise<Coverage> {
  const inOrganization =
    organizationId === undefined ? sql`true` : sql`p.org_id = ${organizationId}`;
  // Planned once: everybody's is worked out after each change, and planning took a third of the
  // time.
  const found = sql<{
    rules: string[] | null;
    nodes: string[] | null;
    organizations: string[] | null;
    is_everything: boolean;
    at_most: number;
    next_change: Date | null;
  }>`
    with named as materialized (
      select p.id, p.org_id, p.is_active, p.date_start, p.date_expired from asset_permission p
      where p.id in ${rulesNaming(userId, isGroup)} and ${inOrganization}
    ), rule as materialized (
      select p.id, p.org_id from named p where ${IN_FORCE}
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
      (select min(moment) from (
        select date_start as moment from named where is_active and date_start > now()
        union all select date_expired from named where is_active
          and date_expired > now()) moments) as next_change`;
  const [row] = await executePrepared(found, db);
  return {
    rules: row?.rules ?? [],
    nodes: row?.nodes ?? [],
    organizations: row?.organizations ?? [],
    isEverything: row?.is_everything ?? false,
    atMost: Number(row?.at_most ?? 0),
    validUntil: row?.next_change?.getTime() ?? Number.POSITIVE_INFINITY,
  };
}

/**
 * Up to here the granted assets are gathered first; beyond, assets are found in another way and
 * each is asked whether it is granted.
 */
const GATHER_UP_TO = 3_000;

/** Looking up one asset costs about as much as reading this many granted assets. */
const LOOKUP_COST = 25;

/** Whether the granted assets are so few that a list starts from them. */
export function isSmall({ rules, isEverything, atMost }: Coverage): boolean {
  return rules.length === 0 || (!isEverything && atMost <= GATHER_UP_TO);
}

const belowNodes = ({ nodes }: Coverage) =>
  sql`select below.asset_id from asset_ancestor below where below.node_id = any (${nodes}::uuid[])`;
const namedByRules = ({ rules }: Coverage) =>
  sql`select direct.asset_id from asset_permission_assets direct
    where direct.asset_permission_id = any (${rules}::uuid[])`;

/**
 * The condition that an asset (alias `a`) is active and granted; the granted assets are gathered.
 * As an array their ids are looked up in the order of the index, many on a page of it.
 */
function isGathered(coverage: Coverage): Sql {
  if (coverage.rules.length === 0) return sql`false`;
  if (coverage.isEverything)
    return sql`(a.is_active and a.org_id = any (${coverage.organizations}))`;
  return sql`(a.is_active and a.id = any (array(${belowNodes(coverage)}
    union all ${namedByRules(coverage)})))`;
}

/**
 * The condition that the asset with this id is reached, looked up for each asset alone. `limit 1`
 * keeps the planner from gathering all of them, and `offset 0` from looking for each node and each
 * rule in the index: what one asset hangs on is little, and is compared with all of them at once.
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
 * The condition that an asset (alias `a`) is active and granted, where few assets are asked: each
 * is looked up alone, and nothing is gathered.
 */
export function isGrantedAlone(coverage: Coverage): Sql {
  return coverage.isEverything || coverage.rules.length === 0
    ? isGathered(coverage)
    : sql`(a.is_active and ${isReached(sql`a.id`, coverage)})`;
}

/**
 * The same condition for a page in some order. For few granted assets they are gathered too; for
 * many each asset is asked, because a page of fifteen then needs to look at some fifteen only.
 */
export function isGranted(coverage: Coverage): Sql {
  return isSmall(coverage) ? isGathered(coverage) : isGrantedAlone(coverage);
}

/**
 * The query for what a search found, in the table `candidate`, of which everything is active, and
 * is granted, where not everything is granted. A few are looked up one by one. For many the granted
 * assets are read once, past the candidates: these are fewer than what is granted, so that less has
 * to be kept. Only one of both is executed.
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
 * How many active assets are granted, `within` a query for ids or altogether. The closure answers
 * without a look at the assets, of which only the inactive ones are read.
 */
export function countGranted(coverage: Coverage, within?: Sql): Sql {
  const { isEverything, organizations, rules } = coverage;
  if (rules.length === 0) return sql`select 0 as count`;
  const narrowed = (id: Sql) => (within ? sql`and ${id} in (${within})` : sql``);
  if (isEverything)
    return sql`select count(*) as count from asset a
      where a.is_active and a.org_id = any (${organizations}) ${narrowed(sql`a.id`)}`;
  return sql`
    select count(*) as count from (${belowNodes(coverage)} union ${namedByRules(coverage)}) reached
    where reached.asset_id not in (select a.id from asset a
      where not a.is_active) ${narrowed(sql`reached.asset_id`)}`;
}
