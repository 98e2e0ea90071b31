import type { Problem } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Context } from '../context.ts';
import { linkOf } from './columns.ts';
import type { MountedResource, Registry, Values } from './hooks.ts';
import { targetScopeOf } from './scope.ts';

/** What is wrong with the links of several bodies at once: objects that do not exist in the caller's organization, or may not be linked; the first of each field is named. */
export async function unknownReferences(
  mounted: MountedResource,
  bodies: readonly Values[],
  registry: Registry,
  context: Context,
  tx: Tx,
): Promise<Map<number, Record<string, Problem[]>>> {
  const problems = new Map<number, Record<string, Problem[]>>();
  for (const [name, field] of Object.entries(mounted.resource.fields)) {
    if (field.kind !== 'reference' && field.kind !== 'many') continue;
    const wantedBy = bodies.map((values) => (name in values ? ([values[name]].flat().filter((id) => id !== null) as string[]) : []));
    const wanted = [...new Set(wantedBy.flat())];
    const target = registry.get(field.target ?? '');
    if (wanted.length === 0 || !target) continue;
    // Key share: what is linked to cannot vanish before the link is written.
    const { rows } = await sql<{ id: string }>`
      select t.id from ${sql.table(target.resource.table)} t where t.id = any (${wanted}::uuid[]) and ${targetScopeOf(mounted, name, target, context)} order by t.id for key share of t`.execute(
      tx,
    );
    const found = new Set(rows.map((row) => row.id));
    const refused = (await mounted.hooks.refuseLinks?.(name, [...found], tx)) ?? new Map<string, Problem>();
    for (const [index, ids] of wantedBy.entries()) {
      const missing = ids.find((id) => !found.has(id));
      const problem = missing === undefined ? ids.flatMap((id) => refused.get(id) ?? [])[0] : { code: 'unknown_object' as const, params: { value: missing } };
      if (problem) problems.set(index, { ...problems.get(index), [name]: [problem] });
    }
  }
  return problems;
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
  context: Context,
  tx: Tx,
): Promise<void> {
  const link = linkOf(mounted.resource, name, registry);
  const table = sql.table(link.table);
  const target = registry.get(mounted.resource.fields[name]?.target ?? '');
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
  if (known.length > 0) {
    const visible = target
      ? sql`exists (select 1 from ${sql.table(target.resource.table)} t where t.id = ${other} and ${targetScopeOf(mounted, name, target, context)})`
      : sql`true`;
    await sql`delete from ${table} link where ${own} = any (${known}::uuid[]) and not exists (select 1 from ${pairs} where pair.own = ${own} and pair.other = ${other}) and ${visible}`.execute(
      tx,
    );
  }
  await sql`insert into ${table} (${sql.ref(link.own)}, ${sql.ref(link.other)}) select pair.own, pair.other from ${pairs} on conflict do nothing`.execute(tx);
}
