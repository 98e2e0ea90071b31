import type { Tx } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import { PLACES, PLAYGROUND } from './places.ts';

interface SampleNode {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly parent: SampleNode | undefined;
  readonly ancestors: readonly string[];
  childMark: number;
}

/** Joins node names to a key. */
export function pathName(path: readonly string[]): string {
  return path.join('/');
}

/** Inserts the sample tree below the root; returns node ids by path. */
export async function fillTree(tx: Tx, random: Random): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; key: string; child_mark: number }>`
    select id, key, child_mark from node where org_id = '' and parent_id is null
    for update`.execute(tx);
  const [stored] = rows;
  if (!stored) throw new Error('the default organization has no root node');
  const root: SampleNode = {
    id: stored.id,
    key: stored.key,
    value: '',
    parent: undefined,
    ancestors: [stored.id],
    childMark: stored.child_mark,
  };
  const nodes = new Map<string, SampleNode>();
  for (const path of [...PLACES.map((place) => place.path), [PLAYGROUND]]) {
    let parent = root;
    for (const [depth, value] of path.entries()) {
      const name = pathName(path.slice(0, depth + 1));
      let node = nodes.get(name);
      if (!node) {
        const id = random.uuid();
        parent.childMark += 1;
        node = {
          id,
          key: `${parent.key}:${parent.childMark}`,
          value,
          parent,
          ancestors: [id, ...parent.ancestors],
          childMark: 0,
        };
        nodes.set(name, node);
      }
      parent = node;
    }
  }
  await sql`update node set child_mark = ${root.childMark} where id = ${root.id}`.execute(tx);
  await insertRows(
    tx,
    'node',
    [...nodes.values()].map(({ id, key, value, parent, ancestors, childMark }) => ({
      id,
      key,
      value,
      parent_id: parent?.id,
      ancestors,
      child_mark: childMark,
    })),
  );
  return new Map([...nodes].map(([name, node]) => [name, node.id]));
}
