import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { datedAt } from '../grants/coverage.ts';
import { ASSETS, type GrantKind, linksOf, ruleIn } from '../grants/kind.ts';
import type { Plan } from './plan.ts';

/** The objects that a plan can affect. Nothing else is compared. */
export interface Touched {
  /** Permissions in force whose users or targets change. */
  readonly rules: readonly string[];
  readonly users: readonly string[];
  /** All assets at or below these nodes count, in addition to `assets`. */
  readonly nodes: readonly string[];
  readonly assets: readonly string[];
  readonly accounts: readonly string[];
  readonly moves: readonly Move[];
}

const NONE: readonly string[] = [];

export const momentOf = ({ at }: Plan) => (at ? sql`${at.toISOString()}::timestamptz` : sql`now()`);

/** Changed permissions as an array, so that the planner reads their links by index. */
const changed = sql`array(select id from changed)`;

/** Users that the changed permissions or the plan name, directly or through a group. */
function usersOf({ planned }: Plan, kind: GrantKind): Sql {
  const rule = ruleIn(kind, 'link');
  return sql`(select array_agg(distinct user_id) from (
        select link.user_id from ${linksOf(kind, 'users')} link where ${rule} = any (${changed})
        union all
        select member.user_id from ${linksOf(kind, 'user_groups')} link
          join user_group_users member on member.user_group_id = link.user_group_id
          where ${rule} = any (${changed})
        union all
        select member.user_id from user_group_users member
        where member.user_group_id = any (${planned?.user_groups ?? NONE}::uuid[])
      ) named)`;
}

export async function touchedBy(plan: Plan, kind: GrantKind, db: Db): Promise<Touched> {
  const { organizationId, gone = NONE, enabled = NONE, planned, members, moved } = plan;
  const moves = moved ? await movesOf(moved, organizationId, db) : [];
  const lines = linesBetween(moves);
  const [rule, groups, accounts] = [
    ruleIn(kind, 'link'),
    linksOf(kind, 'user_groups'),
    linksOf(kind, 'system_users'),
  ];
  const { rows } = await sql<{
    [key in 'rules' | 'users' | 'nodes' | 'assets' | 'accounts']: string[] | null;
  }>`
    with candidate as materialized (
      select id from unnest(${gone}::uuid[]) id
      union
      select ${rule} from ${groups} link
      where link.user_group_id = any (${members?.groups ?? NONE}::uuid[])
      ${
        kind === ASSETS
          ? sql`union select link.asset_permission_id from asset_permission_nodes link
        where link.node_id = any (${lines}::uuid[])`
          : sql``
      }
    ), changed as materialized (
      select p.id from candidate join ${sql.table(kind.rule)} p on p.id = candidate.id
      where p.org_id = ${organizationId} and ${datedAt(momentOf(plan))} and p.is_active
      union all
      select p.id from ${sql.table(kind.rule)} p
      where p.id = any (${enabled}::uuid[]) and p.org_id = ${organizationId}
        and ${datedAt(momentOf(plan))} and not p.is_active
    )
    select ${changed} as rules,
      ${members ? sql`null::uuid[]` : usersOf(plan, kind)} as users,
      ${
        kind === ASSETS
          ? sql`(select array_agg(distinct link.node_id)
        from asset_permission_nodes link
        where link.asset_permission_id = any (${changed}))`
          : sql`null::uuid[]`
      } as nodes,
      (select array_agg(distinct ${sql.ref(`link.${kind.target}_id`)})
        from ${sql.table(`${kind.rule}_${kind.target}s`)} link
      where ${rule} = any (${changed})) as assets,
      (select array_agg(distinct link.system_user_id) from ${accounts} link
        where ${rule} = any (${changed})) as accounts`.execute(db);
  const [row] = rows;
  const joined = (
    field: 'users' | 'nodes' | 'assets' | 'accounts',
    more: readonly string[] = NONE,
  ) => [...new Set([...(row?.[field] ?? NONE), ...more])];
  return {
    rules: row?.rules ?? NONE,
    users: members ? [...members.joining, ...members.leaving] : joined('users', planned?.users),
    nodes: moved ? moved.nodes : joined('nodes', planned?.nodes),
    assets: moved ? NONE : joined('assets', planned?.assets),
    accounts: joined('accounts', planned?.system_users),
    moves,
  };
}

/**
 * A node that moves with its subtree. `above` and `targetAbove` are its ancestors before and after.
 */
export interface Move {
  readonly id: string;
  readonly key: string;
  readonly targetKey: string;
  readonly above: readonly string[];
  readonly targetAbove: readonly string[];
}

/** Returns the effective moves of a plan, without rejected moves and no-ops. */
async function movesOf(
  { nodes, target }: NonNullable<Plan['moved']>,
  organizationId: string,
  db: Db,
): Promise<Move[]> {
  const { rows } = await sql<Move>`
    select n.id, n.key, target.key as "targetKey", array_remove(n.ancestors, n.id) as above,
      target.ancestors as "targetAbove"
    from node n, node target where target.id = ${target} and n.id = any (${nodes}::uuid[])
      and n.org_id = ${organizationId} and target.org_id = n.org_id
      and n.parent_id is not null and n.parent_id <> target.id
        and not n.id = any (target.ancestors)`.execute(db);
  return rows;
}

/** Nodes above only one of the two places. Only their permissions can matter. */
function linesBetween(moves: readonly Move[]): string[] {
  const lines = new Set<string>();
  for (const { above, targetAbove } of moves) {
    for (const id of above) if (!targetAbove.includes(id)) lines.add(id);
    for (const id of targetAbove) if (!above.includes(id)) lines.add(id);
  }
  return [...lines];
}

/** Keys of a node and its ancestors. */
export function lineOf(key: string): string[] {
  const line = [key];
  for (let end = key.lastIndexOf(':'); end > 0; end = key.lastIndexOf(':', end - 1))
    line.push(key.slice(0, end));
  return line;
}

/**
 * Keys of a node and its ancestors after the moves. If several ancestors move, the nearest decides,
 * in any order of moves.
 */
export function lineAfter(key: string, moves: readonly Move[]): string[] {
  const line = lineOf(key);
  const depth = (move: Move) => line.indexOf(move.key);
  const [nearest] = moves.filter((move) => depth(move) >= 0).sort((a, b) => depth(a) - depth(b));
  return nearest ? [...line.slice(0, depth(nearest) + 1), ...lineOf(nearest.targetKey)] : line;
}
