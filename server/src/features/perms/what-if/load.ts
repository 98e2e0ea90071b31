import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { datedAt } from '../grants/coverage.ts';
import { ASSETS, type GrantKind, linksOf, ruleIn } from '../grants/kind.ts';
import type { Known, Plan } from './plan.ts';
import { momentOf, type Touched } from './touched.ts';

/**
 * A stored permission with the keys of its nodes. `accounts` are indexes into the touched system
 * users.
 */
export interface LoadedRule {
  readonly id: string;
  readonly mask: number;
  /** In seconds. */
  readonly until: number;
  readonly isActive: boolean;
  readonly accounts: readonly number[];
  readonly nodes: readonly string[];
}

/** Users with the same permissions. */
export interface LoadedUsers {
  readonly ids: readonly string[];
  /** Indexes of the permissions that name them. */
  readonly rules: readonly number[];
  /** Those that name them other than through the groups of the plan. */
  readonly others: readonly number[];
  readonly planned: boolean;
  readonly joins: boolean;
  readonly leaves: boolean;
}

/** Active assets with the same places and protocols. */
export interface PlaceGroup {
  /** Keys of their nodes in order, with spaces between them. */
  readonly places: string;
  /** Protocols with ports, as one text. */
  readonly offered: string;
  readonly weight: number;
}

/** An atom: an application, an asset, or assets that no permission distinguishes. */
export interface PlacedAtom {
  /** Null for several assets. */
  readonly id: string | null;
  readonly weight: number;
  /** Keys of their nodes, or of the nearest nodes above them that permissions name. */
  readonly places: readonly string[];
  /** Protocols with ports, as one text. */
  readonly offered: string;
  /** Indexes of the permissions that name the asset directly. */
  readonly rules: readonly number[];
  readonly planned: boolean;
  /** The assets of an atom without an id. */
  readonly groups?: readonly PlaceGroup[];
}

export interface LoadedRules {
  readonly rules: readonly LoadedRule[];
  readonly users: readonly LoadedUsers[];
  /** Protocols of the touched system users, in their order. */
  readonly protocols: readonly string[];
  /** Keys of the nodes of the planned permission. */
  readonly plannedNodes: readonly string[];
}

const NONE: readonly string[] = [];

/** The objects of one kind of target that a plan touches. */
export interface TouchedScope {
  readonly plan: Plan;
  readonly kind: GrantKind;
  readonly touched: Touched;
  readonly db: Db;
}

/** Reads the permissions that connect touched users with touched system users. */
export async function loadRules(
  { plan, kind, touched, db }: TouchedScope,
  known: Known,
): Promise<LoadedRules> {
  const { organizationId, enabled = NONE, planned, members } = plan;
  const moment = momentOf(plan);
  const [users, groups, accounts] = [
    linksOf(kind, 'users'),
    linksOf(kind, 'user_groups'),
    linksOf(kind, 'system_users'),
  ];
  const nodes =
    kind === ASSETS
      ? sql`array(select n.key from asset_permission_nodes link join node n on n.id = link.node_id
        where link.asset_permission_id = rule.id)`
      : sql`'[]'::json`;
  const { rows } = await sql<{ [key in keyof LoadedRules]: LoadedRules[key] | null }>`
    with person as materialized (
      select t.id, t.id = any (${members?.joining ?? NONE}::uuid[]) as joins,
        t.id = any (${members?.leaving ?? NONE}::uuid[]) as leaves,
        t.id = any (${planned?.users ?? NONE}::uuid[])
          or t.id in (select member.user_id from user_group_users member
            where member.user_group_id = any (${planned?.user_groups ?? NONE}::uuid[])) as planned
      from account t where t.id = any (${touched.users}::uuid[]) and t.is_active
        and coalesce(t.date_expired > ${moment}, true) and ${known}
    ), link as materialized (
      select direct.user_id, ${ruleIn(kind, 'direct')} as rule_id, true as stays
      from ${users} direct where direct.user_id in (select id from person)
      union all
      select member.user_id, ${ruleIn(kind, 'named')},
        member.user_group_id <> all (${members?.groups ?? NONE}::uuid[])
      from user_group_users member
        join ${groups} named on named.user_group_id = member.user_group_id
      where member.user_id in (select id from person)
    ), named as materialized (
      select rule_id from link union select id from unnest(${touched.rules}::uuid[]) id
    ), valid as materialized (
      select p.id, p.is_active, ${kind.actions} as actions, p.date_expired
      from ${sql.table(kind.rule)} p
      where p.id = any (array(select rule_id from named)) and p.org_id = ${organizationId}
        and ${datedAt(moment)} and (p.is_active or p.id = any (${enabled}::uuid[]))
    ), used as materialized (
      select ${ruleIn(kind, 'link')} as rule_id, json_agg(list.place - 1) as accounts
      from ${accounts} link join unnest(${touched.accounts}::uuid[])
      with ordinality list (id, place) on list.id = link.system_user_id
      where ${ruleIn(kind, 'link')} = any (array(select id from valid)) group by 1
    ), rule as materialized (
      select valid.*, used.accounts, row_number() over (order by valid.id) - 1 as place from valid
        join used on used.rule_id = valid.id
    ), held as (
      select link.user_id, array_agg(distinct rule.place) as rules,
        coalesce(array_agg(distinct rule.place) filter (where link.stays), '{}') as others
      from link join rule on rule.id = link.rule_id group by 1
    ), alike as (
      select json_agg(person.id) as ids, coalesce(held.rules, '{}') as rules,
        coalesce(held.others, '{}') as others, person.planned, person.joins, person.leaves
      from person left join held on held.user_id = person.id
      group by held.rules, held.others, person.planned, person.joins, person.leaves
    )
    select
      (select json_agg(json_build_object(
        'id', rule.id, 'mask', rule.actions, 'until', floor(extract(epoch from rule.date_expired)),
          'isActive', rule.is_active, 'accounts', rule.accounts,
        'nodes', ${nodes}) order by rule.place)
        from rule) as rules,
      (select json_agg(alike) from alike) as users,
      (select json_agg(s.protocol order by list.place) from unnest(${touched.accounts}::uuid[])
        with ordinality list (id, place) join system_account s on s.id = list.id) as protocols,
      (select json_agg(n.key) from node n
        where n.id = any (${planned?.nodes ?? NONE}::uuid[])) as "plannedNodes"`.execute(db);
  const [row] = rows;
  return {
    rules: row?.rules ?? [],
    users: row?.users ?? [],
    protocols: row?.protocols ?? [],
    plannedNodes: row?.plannedNodes ?? [],
  };
}

/** Reads the touched active assets that permissions or the plan name directly. */
export async function loadNamed(
  { plan: { planned }, touched, db }: TouchedScope,
  rules: readonly LoadedRule[],
): Promise<PlacedAtom[]> {
  const list = sql`unnest(${rules.map(({ id }) => id)}::uuid[]) with ordinality list (id, place)`;
  const { rows } = await sql<PlacedAtom>`
    with link as materialized (
      select link.asset_id as id, (list.place - 1)::integer as rule from ${list}
        join asset_permission_assets link on link.asset_permission_id = list.id
    ), named as materialized (
      select link.id, array_agg(link.rule) as rules from link
      where link.id = any (${touched.assets}::uuid[])
        or exists (select 1 from asset_ancestor below
        where below.asset_id = link.id and below.node_id = any (${touched.nodes}::uuid[]))
      group by 1
      union all
      select id, '{}' from unnest(${planned?.assets ?? NONE}::uuid[]) id
      where id not in (select id from link)
    )
    select a.id, 1 as weight,
      array(select n.key from node_assets held join node n on n.id = held.node_id
      where held.asset_id = a.id order by n.key) as places,
      array_to_string(a.protocols, ' ') as offered, named.rules,
        a.id = any (${planned?.assets ?? NONE}::uuid[]) as planned
    from named join asset a on a.id = named.id and a.is_active`.execute(db);
  return rows;
}

/** Reads the touched usable applications. Permissions always name them directly. */
export async function loadApps(
  { plan: { planned }, kind, touched, db }: TouchedScope,
  rules: readonly LoadedRule[],
): Promise<PlacedAtom[]> {
  const { rows } = await sql<PlacedAtom>`
    select a.id, 1 as weight, '{}'::text[] as places, ${kind.offered} as offered,
      a.id = any (${planned?.assets ?? NONE}::uuid[]) as planned,
      array(select (list.place - 1)::integer from unnest(${rules.map(({ id }) => id)}::uuid[])
        with ordinality list (id, place)
        join ${sql.table(`${kind.rule}_${kind.target}s`)} link on ${ruleIn(kind, 'link')} = list.id
          and ${sql.ref(`link.${kind.target}_id`)} = a.id) as rules
    from ${sql.table(kind.target)} a where a.id = any (${touched.assets}::uuid[])
      and ${kind.isUsable}`.execute(db);
  return rows;
}
