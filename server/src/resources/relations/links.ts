import { type Problem, targetOf } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { MountedResource, Operation, Registry, ResourceSource, Values } from '../hooks.ts';
import { type LinkTable, linkOf } from '../read/columns.ts';
import { targetScopeOf } from '../read/scope.ts';

/** A link field with the target ids of each body. */
interface Wanted {
  readonly name: string;
  readonly target: MountedResource;
  readonly byBody: readonly (readonly string[])[];
  readonly all: readonly string[];
}

function wantedLinks(
  { resource }: MountedResource,
  bodies: readonly Values[],
  registry: Registry,
): Wanted[] {
  return Object.entries(resource.fields).flatMap(([name, field]): Wanted[] => {
    const target =
      field.kind === 'reference' || field.kind === 'many' ? registry.get(field.target) : undefined;
    if (!target) return [];
    const byBody = bodies.map((values) =>
      name in values ? ([values[name]].flat().filter((id) => id !== null) as string[]) : [],
    );
    const all = [...new Set(byBody.flat())];
    return all.length > 0 ? [{ name, target, byBody, all }] : [];
  });
}

/**
 * Returns the problems of the links of several bodies: targets that are outside the caller's
 * organization or must not be linked. Names the first of each field.
 */
export async function unknownReferences(
  mounted: MountedResource,
  bodies: readonly Values[],
  registry: Registry,
  operation: Operation,
): Promise<Map<number, Record<string, Problem[]>>> {
  const problems = new Map<number, Record<string, Problem[]>>();
  const fields = wantedLinks(mounted, bodies, registry);
  const targets = await findTargets(mounted, fields, operation);
  for (const { name, byBody } of fields) {
    const known = targets.get(name) ?? new Set<string>();
    const refused =
      (await mounted.hooks.refuseLinks?.(name, [...known], operation)) ??
      new Map<string, Problem>();
    for (const [index, ids] of byBody.entries()) {
      const missing = ids.find((id) => !known.has(id));
      const problem =
        missing === undefined
          ? ids.flatMap((id) => refused.get(id) ?? [])[0]
          : { code: 'unknown_object' as const, params: { value: missing } };
      if (problem) problems.set(index, { ...problems.get(index), [name]: [problem] });
    }
  }
  return problems;
}

/** Returns the existing targets by field, with one query for all fields. */
async function findTargets(
  mounted: MountedResource,
  fields: readonly Wanted[],
  { caller, tx }: Operation,
): Promise<Map<string, Set<string>>> {
  const targets = new Map(fields.map(({ name }) => [name, new Set<string>()]));
  if (fields.length === 0) return targets;
  // `for key share` keeps targets from being deleted before the link is written.
  const parts = fields.map(
    ({ name, target, all }) => sql`${sql.ref(`of_${name}`)} as (
      select t.id from ${sql.table(target.resource.table)} t
      where t.id = any (${all}::uuid[]) and ${targetScopeOf(mounted, name, target, caller)}
      order by t.id for key share of t)`,
  );
  const selects = fields.map(
    ({ name }) => sql`select ${name}::text as field, id from ${sql.ref(`of_${name}`)}`,
  );
  const { rows } = await sql<{
    field: string;
    id: string;
  }>`with ${sql.join(parts)} ${sql.join(selects, sql` union all `)}`.execute(tx);
  for (const { field, id } of rows) targets.get(field)?.add(id);
  return targets;
}

/** The complete links of one row. */
export interface WantedLinks {
  readonly own: string;
  readonly others: readonly string[];
  /** True for a new row, which has no links to remove. */
  readonly isNew: boolean;
}

/** A field with the links that rows get in it. */
export interface FieldLinks {
  readonly name: string;
  readonly rows: readonly WantedLinks[];
}

/**
 * Replaces the links of rows, except links that the caller cannot see. One statement writes the
 * link tables of all fields.
 */
export async function replaceManyLinks(
  source: ResourceSource,
  fields: readonly FieldLinks[],
  { caller, tx }: Operation,
): Promise<void> {
  const parts: Sql[] = [];
  for (const { name, rows } of fields) {
    if (rows.every(({ others, isNew }) => isNew && others.length === 0)) continue;
    const link = linkOf(source.mounted.resource, name, source.registry);
    const changes = {
      known: rows.filter((links) => !links.isNew).map((links) => links.own),
      pairs: sql`unnest(
        ${rows.flatMap(({ own, others }) => others.map(() => own))}::uuid[],
        ${rows.flatMap(({ others }) => others)}::uuid[]) as pair (own, other)`,
    };
    if (link.reverse) await pointBack(link, changes, tx);
    else parts.push(...linkParts(source, name, changes, caller));
  }
  if (parts.length > 0) await sql`with ${sql.join(parts)} select 1`.execute(tx);
}

/** Changes of the links in one field. */
interface LinkChanges {
  /** Rows that may have other links. */
  readonly known: readonly string[];
  /** The wanted pairs, as `pair (own, other)`. */
  readonly pairs: Sql;
}

/** Changes links that are columns of the other objects. */
async function pointBack(link: LinkTable, { known, pairs }: LinkChanges, tx: Tx): Promise<void> {
  const [table, column, own] = [
    sql.table(link.table),
    sql.ref(link.own),
    sql.ref(`link.${link.own}`),
  ];
  await sql`update ${table} link set ${column} = null where ${own} = any (${known}::uuid[]) and not exists (select 1 from ${pairs} where pair.own = ${own} and pair.other = link.id)`.execute(
    tx,
  );
  await sql`update ${table} link set ${column} = pair.own from ${pairs} where link.id = pair.other and ${own} is distinct from pair.own`.execute(
    tx,
  );
}

/** Returns the parts of a statement that change a link table: deletion, then insertion. */
function linkParts(
  { mounted, registry }: ResourceSource,
  name: string,
  { known, pairs }: LinkChanges,
  caller: Caller,
): Sql[] {
  const link = linkOf(mounted.resource, name, registry);
  const table = sql.table(link.table);
  const [own, other] = [sql.ref(`link.${link.own}`), sql.ref(`link.${link.other}`)];
  const insertion = sql`${sql.ref(`new_${name}`)} as (
    insert into ${table} (${sql.ref(link.own)}, ${sql.ref(link.other)})
    select pair.own, pair.other from ${pairs} on conflict do nothing)`;
  if (known.length === 0) return [insertion];
  const target = registry.get(targetOf(mounted.resource.fields[name]) ?? '');
  const visible = target
    ? sql`exists (select 1 from ${sql.table(target.resource.table)} t where t.id = ${other} and ${targetScopeOf(mounted, name, target, caller)})`
    : sql`true`;
  const deletion = sql`${sql.ref(`old_${name}`)} as (
    delete from ${table} link
    where ${own} = any (${known}::uuid[]) and ${visible} and not exists (
      select 1 from ${pairs} where pair.own = ${own} and pair.other = ${other}))`;
  return [deletion, insertion];
}
