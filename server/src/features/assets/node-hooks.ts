import { sql } from 'kysely';
import { Refusal } from '../../http/problem.ts';
import type { ResourceHooks } from '../../http/resource/hooks.ts';
import { addChild, assertFreeName, rootOf } from './tree.ts';

/** The path of a node as people read it; a root is its own name. */
const FULL_VALUE = sql`(select string_agg(above.value, ' / ' order by length(above.key)) from node above where above.id = any (t.ancestors))`;

/** What is particular to nodes (assets reference §4). */
export const nodeHooks: ResourceHooks = {
  columns: { name: () => sql`t.value`, full_value: () => FULL_VALUE },
  async insert(values, context, tx) {
    const root = await rootOf(context.actor.organization, tx);
    return addChild(root, values.value as string | undefined, context, tx, values.id as string | undefined);
  },
  async beforeSave(values, previous, context, tx) {
    if (!previous || values.value === undefined) return;
    const { rows } = await sql<{ parent_id: string | null }>`select parent_id from node where id = ${previous.id}`.execute(tx);
    const parent = rows[0]?.parent_id;
    // A root bears the name of its organization.
    if (!parent && context.actor.organization.id !== '' && values.value !== previous.value) throw new Refusal(400, 'node_root');
    if (values.value === '') delete values.value;
    else if (parent) await assertFreeName(parent, String(values.value), String(previous.id), tx);
  },
  async beforeDelete(row, _context, tx) {
    const { rows } = await sql<{ is_root: boolean; is_used: boolean }>`
      select parent_id is null as is_root,
        exists (select 1 from node child where child.parent_id = node.id) or exists (select 1 from node_assets held where held.node_id = node.id) as is_used
      from node where id = ${row.id}`.execute(tx);
    if (rows[0]?.is_root) throw new Refusal(403, 'node_root');
    if (rows[0]?.is_used) throw new Refusal(403, 'node_not_empty');
  },
};
