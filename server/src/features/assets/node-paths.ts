import { allows, node, parseField } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { Invalid, invalid } from '../../platform/errors.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { MADE_NODES } from '../../resources/write/imported-rows.ts';
import type { Operation } from '../../resources/write/operation.ts';
import { addChild, lockNode, MAX_DEPTH, rootOf } from './tree.ts';

/** Maximum number of nodes that one file creates. */
const MAX_NEW_NODES = 1_000;

/**
 * Creates the missing nodes of a path below the root of the caller's organization, if the request
 * has `create_missing=node`. Returns the id of the last node; undefined if nothing may be created.
 * @throws Invalid
 */
export async function createPath(
  names: readonly string[],
  operation: Operation,
  audit: AuditWriter,
): Promise<string | undefined> {
  const { caller, tx, query } = operation;
  const { create } = node.access;
  if (
    query.get('create_missing') !== 'node' ||
    create === undefined ||
    !allows(caller.actor.permissions, create)
  )
    return undefined;
  const root = await rootOf(caller.actor.organization, tx);
  const [first, ...rest] = names;
  if (first?.toLowerCase() !== root.value.toLowerCase()) return undefined;
  if (names.length > MAX_DEPTH) throw invalid('value', 'node_too_deep', { max: MAX_DEPTH });
  let at = root.id;
  let path = root.value;
  for (const name of rest) {
    path = `${path} / ${name}`;
    const parent = await lockNode(at, caller, tx);
    const { rows } = await sql<{ id: string; value: string }>`
      select id, value from node where parent_id = ${at} and search_text = lower(${name})
      order by value <> ${name} limit 1`.execute(tx);
    const [existing] = rows;
    if (existing) {
      at = existing.id;
      continue;
    }
    const parsed = parseField(node.fields.value, name);
    if ('problem' in parsed) throw new Invalid({ value: [parsed.problem] });
    const created = operation.get(MADE_NODES);
    if (created.length >= MAX_NEW_NODES)
      throw invalid('value', 'too_many_new', { max: MAX_NEW_NODES });
    at = await addChild(parent, { value: name }, caller, tx);
    created.push(at);
    await audit(tx, caller, {
      action: 'create',
      resourceType: 'node',
      resource: path,
      resourceId: at,
    });
  }
  return at;
}
