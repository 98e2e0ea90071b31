import { type Problem, targetOf } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../platform/actor.ts';
import type { Tx } from '../platform/db/database.ts';
import { linkOf } from './columns.ts';
import type { MountedResource, Registry, Values } from './hooks.ts';
import type { Operation } from './operation.ts';
import { targetScopeOf } from './scope.ts';

/** A field that links, with what each body wants it to link to. */
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

/** What is wrong with the links of several bodies at once: objects that do not exist in the caller's organization, or may not be linked; the first of each field is named. */
export async function unknownReferences(
  mounted: MountedResource,
  bodies: readonly Values[],
  registry: Registry,
  operation: Operation,
): Promise<Map<number, Record<string, Problem[]>>> {
  const problems = new Map<number, Record<string, Problem[]>>();
  const wanted = wantedLinks(mounted, bodies, registry);
  const found = await findTargets(mounted, wanted, operation);
  for (const { name, byBody } of wanted) {
    const known = found.get(name) ?? new Set<string>();
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

/** The objects that are there, by field; those of all fields with one query. */
async function findTargets(
  mounted: MountedResource,
  wanted: readonly Wanted[],
  { caller, tx }: Operation,
): Promise<Map<string, Set<string>>> {
  const found = new Map(wanted.map(({ name }) => [name, new Set<string>()]));
  if (wanted.length === 0) return found;
  // Key share: what is linked to cannot vanish before the link is written.
  const parts = wanted.map(
    ({ name, target, all }) => sql`${sql.ref(`of_${name}`)} as (
      select t.id from ${sql.table(target.resource.table)} t
      where t.id = any (${all}::uuid[]) and ${targetScopeOf(mounted, name, target, caller)} order by t.id for key share of t)`,
  );
  const selects = wanted.map(
    ({ name }) => sql`select ${name}::text as field, id from ${sql.ref(`of_${name}`)}`,
  );
  const { rows } = await sql<{
    field: string;
    id: string;
  }>`with ${sql.join(parts)} ${sql.join(selects, sql` union all `)}`.execute(tx);
  for (const { field, id } of rows) found.get(field)?.add(id);
  return found;
}

/** The links of one row: exactly these shall be there. */
export interface WantedLinks {
  readonly own: string;
  readonly others: readonly string[];
  /** A new row has no links yet that would have to go. */
  readonly isNew: boolean;
}

/** Makes the links of rows exactly the given ones, among those the caller can see; others stay. */
export async function replaceManyLinks(
  mounted: MountedResource,
  name: string,
  wanted: readonly WantedLinks[],
  registry: Registry,
  caller: Caller,
  tx: Tx,
): Promise<void> {
  const link = linkOf(mounted.resource, name, registry);
  const table = sql.table(link.table);
  const target = registry.get(targetOf(mounted.resource.fields[name]) ?? '');
  if (wanted.every(({ others, isNew }) => isNew && others.length === 0)) return;
  const owns = wanted.flatMap(({ own, others }) => others.map(() => own));
  const others = wanted.flatMap((links) => links.others);
  const known = wanted.filter((links) => !links.isNew).map((links) => links.own);
  const pairs = sql`unnest(${owns}::uuid[], ${others}::uuid[]) as pair (own, other)`;
  const own = sql.ref(`link.${link.own}`);
  if (link.reverse) {
    await sql`update ${table} link set ${sql.ref(link.own)} = null where ${own} = any (${known}::uuid[]) and not exists (select 1 from ${pairs} where pair.own = ${own} and pair.other = link.id)`.execute(
      tx,
    );
    await sql`update ${table} link set ${sql.ref(link.own)} = pair.own from ${pairs} where link.id = pair.other and ${own} is distinct from pair.own`.execute(
      tx,
    );
    return;
  }
  const other = sql.ref(`link.${link.other}`);
  const insert = sql`
    insert into ${table} (${sql.ref(link.own)}, ${sql.ref(link.other)}) select pair.own, pair.other from ${pairs} on conflict do nothing`;
  if (known.length === 0) {
    await insert.execute(tx);
    return;
  }
  const visible = target
    ? sql`exists (select 1 from ${sql.table(target.resource.table)} t where t.id = ${other} and ${targetScopeOf(mounted, name, target, caller)})`
    : sql`true`;
  await sql`
    with gone as (
      delete from ${table} link
      where ${own} = any (${known}::uuid[]) and not exists (select 1 from ${pairs} where pair.own = ${own} and pair.other = ${other}) and ${visible})
    ${insert}`.execute(tx);
}
