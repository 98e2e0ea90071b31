import { node, parseField } from '@sallyport/contract';
import { type Caller, mayUse } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { Forbidden, Invalid, invalid, Rejected } from '../../platform/errors.ts';
import { type AuditWriter, hooksFor, type Operation } from '../../resources/hooks.ts';
import { containsWords, pinyinPattern } from '../../resources/read/search.ts';
import { MADE_NODES } from '../../resources/write/imported-rows.ts';
import { addChild, assertFreeName, lockNode, MAX_DEPTH, rootOf } from './tree.ts';

/** Maximum number of nodes that one file creates. */
const MAX_NEW_NODES = 1_000;

/** A node by its name and the node above it. */
interface WantedNode {
  /** Id of the node above. */
  readonly parent: string;
  readonly value: string;
  /** Names from the root on, for the operate log. */
  readonly path: string;
  /** Id of a new node. */
  readonly id?: string | undefined;
  /** Called before the node is added; may throw. */
  readonly mayAdd?: () => void;
}

interface Adding {
  readonly caller: Caller;
  readonly tx: Tx;
  readonly audit: AuditWriter;
}

/** Returns the node with a name below another, and adds it if it is missing. @throws AppError */
export async function findOrAddNode(
  { parent: parentId, value, path, id, mayAdd }: WantedNode,
  { caller, tx, audit }: Adding,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const parent = await lockNode(parentId, caller, tx);
  const { rows } = await sql<{ id: string }>`
    select id from node where parent_id = ${parentId} and search_text = lower(${value})
    order by value <> ${value} limit 1`.execute(tx);
  const [existing] = rows;
  if (existing) return { id: existing.id, isNew: false };
  const parsed = parseField(node.fields.value, value);
  if ('problem' in parsed) throw new Invalid({ value: [parsed.problem] });
  mayAdd?.();
  const added = await addChild(parent, { value, id }, caller, tx);
  await audit(tx, caller, {
    action: 'create',
    resourceType: 'node',
    resource: path,
    resourceId: added,
  });
  return { id: added, isNew: true };
}

/**
 * Creates the missing nodes of a path below the root of the caller's organization, if the request
 * has `create_missing=node`. Returns the id of the last node; undefined if nothing may be created.
 * @throws Invalid
 */
async function createPath(
  names: readonly string[],
  operation: Operation,
  audit: AuditWriter,
): Promise<string | undefined> {
  const { caller, tx, query } = operation;
  if (query.get('create_missing') !== 'node' || !mayUse(caller.actor, node, 'create'))
    return undefined;
  const root = await rootOf(caller.actor.organization, tx);
  const [first, ...rest] = names;
  if (first?.toLowerCase() !== root.value.toLowerCase()) return undefined;
  if (names.length > MAX_DEPTH) throw invalid('value', 'node_too_deep', { max: MAX_DEPTH });
  let at = root.id;
  let path = root.value;
  for (const name of rest) {
    path = `${path} / ${name}`;
    const child = await findOrAddNode(
      {
        parent: at,
        path,
        value: name,
        mayAdd() {
          if (operation.get(MADE_NODES).length >= MAX_NEW_NODES)
            throw invalid('value', 'too_many_new', { max: MAX_NEW_NODES });
        },
      },
      { caller, tx, audit },
    );
    at = child.id;
    if (child.isNew) operation.get(MADE_NODES).push(at);
  }
  return at;
}

/** Readable path of a node (alias `t`). */
const FULL_VALUE = sql`(select string_agg(above.value, ' / ' order by length(above.key))
  from node above where above.id = any (t.ancestors))`;

/** Splits words at slashes, which separate the names of a path. */
function namesIn(words: readonly string[]): string[] {
  return words.flatMap((word) => word.split('/')).filter(Boolean);
}

/**
 * True if names in the path of a node (alias `t`) match all words, in any order, and its own name
 * at least one: `eu prod` finds the node prod below eu.
 */
export function inPath(words: readonly string[]): Sql {
  const names = namesIn(words);
  if (names.length === 0) return sql`true`;
  const contains = (name: string, text: Sql, pairs: boolean) =>
    sql.join(containsWords([name], text, pairs));
  const own = sql.join(
    names.map(
      (name) =>
        sql`${contains(name, sql`t.search_text`, true)} or t.pinyin like ${pinyinPattern(name)}`,
    ),
    sql` or `,
  );
  const above = names.map(
    (name) =>
      sql`exists (select 1 from node above where above.id = any (t.ancestors)
        and (${contains(name, sql`above.search_text`, false)}
        or above.pinyin like ${pinyinPattern(name)}))`,
  );
  return sql`((${own}) and ${sql.join(above, sql` and `)})`;
}

/** Path of a node in files, such as `/Default/Shanghai`; its id if a name contains a slash. */
const FILE_PATH = sql`(select case when bool_or(above.value like '%/%') then t.id::text
  else '/' || string_agg(above.value, '/' order by length(above.key)) end
  from node above where above.id = any (t.ancestors))`;

const namesOfPath = (path: string) =>
  path
    .split('/')
    .map((name) => name.trim())
    .filter(Boolean);

export interface NodeHookOptions {
  readonly audit: AuditWriter;
}

export const createNodeHooks = ({ audit }: NodeHookOptions) =>
  hooksFor(node, {
    search: inPath,
    inFiles: {
      name: FILE_PATH,
      read: (text) => `/${namesOfPath(text).join('/')}`,
      among: (paths) =>
        sql`t.search_text = any (select lower(value)
          from unnest(${paths.map((path) => namesOfPath(path).at(-1) ?? '')}::text[]) value)`,
      create: (path, operation) => createPath(namesOfPath(path), operation, audit),
    },
    columns: { name: () => sql`t.value`, full_value: () => FULL_VALUE },
    async insert(values, { caller, tx }) {
      const root = await rootOf(caller.actor.organization, tx);
      return addChild(root, values, caller, tx);
    },
    async beforeSave(values, previous, { caller, tx }) {
      if (!previous || values.value === undefined) return;
      const { rows } = await sql<{
        parent_id: string | null;
      }>`select parent_id from node where id = ${previous.id}`.execute(tx);
      const parent = rows[0]?.parent_id;
      // A root has the name of its organization.
      if (!parent && caller.actor.organization.id !== '' && values.value !== previous.value)
        throw new Rejected('node_root');
      if (values.value === '') delete values.value;
      else if (parent) await assertFreeName(parent, String(values.value), String(previous.id), tx);
    },
    async beforeDelete(row, { tx }) {
      const { rows } = await sql<{ is_root: boolean; is_used: boolean }>`
      select parent_id is null as is_root,
        exists (select 1 from node child where child.parent_id = node.id)
          or exists (select 1 from node_assets held where held.node_id = node.id) as is_used
      from node where id = ${row.id}`.execute(tx);
      if (rows[0]?.is_root) throw new Forbidden('node_root');
      if (rows[0]?.is_used) throw new Forbidden('node_not_empty');
    },
  });
