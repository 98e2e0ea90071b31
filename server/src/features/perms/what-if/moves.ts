import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Plan } from './plan.ts';

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
export async function movesOf(
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
export function linesBetween(moves: readonly Move[]): string[] {
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
