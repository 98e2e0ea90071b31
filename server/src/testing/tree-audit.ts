import { expect } from 'vitest';
import type { Db } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

interface Node {
  readonly id: string;
  readonly parent_id: string | null;
  readonly key: string;
  readonly value: string;
  readonly ancestors: readonly string[];
  readonly assets_amount: number;
}

/**
 * Recounts an organization's tree from parents and placements, and compares it with the stored
 * counts.
 */
export async function assertTreeIsExact(db: Db, organization: string): Promise<void> {
  const { rows: nodes } =
    await sql<Node>`select id, parent_id, key, value, ancestors, assets_amount from node where org_id = ${organization}`.execute(
      db,
    );
  const { rows: placed } = await sql<{ node_id: string; asset_id: string }>`
    select held.node_id, held.asset_id from node_assets held join node n on n.id = held.node_id
    where n.org_id = ${organization}`.execute(db);
  const { rows: stored } = await sql<{ node_id: string; asset_id: string; times: number }>`
    select below.node_id, below.asset_id, below.times from asset_ancestor below
    join node n on n.id = below.node_id where n.org_id = ${organization}`.execute(db);
  const { rows: stray } = await sql<{ id: string }>`
    select id from asset a where org_id = ${organization} and not exists (select 1
    from node_assets held where held.asset_id = a.id)`.execute(db);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const chain = (id: string): Node[] => {
    const above: Node[] = [];
    for (
      let at = byId.get(id);
      at;
      at = at.parent_id === null ? undefined : byId.get(at.parent_id)
    ) {
      above.push(at);
      if (above.length > nodes.length) throw new Error('the tree has a circle');
    }
    return above;
  };
  const times = new Map<string, number>();
  for (const { node_id, asset_id } of placed)
    for (const { id } of chain(node_id))
      times.set(`${id} ${asset_id}`, (times.get(`${id} ${asset_id}`) ?? 0) + 1);
  const amountOf = (id: string) => [...times.keys()].filter((pair) => pair.startsWith(id)).length;

  expect(
    Object.fromEntries(stored.map((row) => [`${row.node_id} ${row.asset_id}`, row.times])),
  ).toEqual(Object.fromEntries(times));
  expect(nodes.map((node) => [node.key, node.assets_amount])).toEqual(
    nodes.map((node) => [node.key, amountOf(node.id)]),
  );
  expect(nodes.map((node) => [...node.ancestors].sort())).toEqual(
    nodes.map((node) =>
      chain(node.id)
        .map((above) => above.id)
        .sort(),
    ),
  );
  for (const node of nodes) {
    const parent = node.parent_id === null ? undefined : byId.get(node.parent_id);
    if (parent) expect(node.key).toMatch(new RegExp(`^${parent.key}:\\d+$`));
  }
  expect(new Set(nodes.map((node) => node.key)).size).toBe(nodes.length);
  expect(new Set(nodes.map((node) => `${node.parent_id} ${node.value}`)).size).toBe(nodes.length);
  expect(nodes.filter((node) => node.parent_id === null).length).toBeLessThanOrEqual(1);
  expect(stray).toEqual([]);
}
