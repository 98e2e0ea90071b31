import type { Problem } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Context } from '../context.ts';
import { Invalid } from '../problem.ts';
import type { LinkTable } from './columns.ts';
import type { MountedResource, Registry, Values } from './hooks.ts';
import { scopeOf } from './scope.ts';

/** Refuses links to objects that do not exist in the caller's organization; names the first of each field. @throws Invalid */
export async function assertReferences(mounted: MountedResource, values: Values, registry: Registry, context: Context, tx: Tx): Promise<void> {
  const problems: Record<string, Problem[]> = {};
  for (const [name, field] of Object.entries(mounted.resource.fields)) {
    if ((field.kind !== 'reference' && field.kind !== 'many') || !(name in values)) continue;
    const wanted = (field.kind === 'many' ? values[name] : [values[name]].filter((value) => value !== null)) as string[];
    const target = registry.get(field.target ?? '');
    if (wanted.length === 0 || !target) continue;
    // Key share: what is linked to cannot vanish before the link is written.
    const { rows } = await sql<{ id: string }>`
      select t.id from ${sql.table(target.resource.table)} t where t.id = any (${wanted}::uuid[]) and ${scopeOf(target, context)} for key share of t`.execute(
      tx,
    );
    if (rows.length === wanted.length) continue;
    const found = new Set(rows.map((row) => row.id));
    problems[name] = [{ code: 'unknown_object', params: { value: wanted.find((id) => !found.has(id)) ?? '' } }];
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

/** Makes the links of a row exactly the given ones, among those the caller can see; others stay. */
export async function replaceLinks(
  link: LinkTable,
  own: string,
  others: readonly string[],
  target: MountedResource | undefined,
  context: Context,
  tx: Tx,
): Promise<void> {
  const table = sql.table(link.table);
  if (link.reverse) {
    await sql`update ${table} set ${sql.ref(link.own)} = null where ${sql.ref(link.own)} = ${own} and id <> all (${others}::uuid[])`.execute(tx);
    await sql`update ${table} set ${sql.ref(link.own)} = ${own} where id = any (${others}::uuid[]) and ${sql.ref(link.own)} is distinct from ${own}`.execute(
      tx,
    );
    return;
  }
  const visible = target
    ? sql`exists (select 1 from ${sql.table(target.resource.table)} t where t.id = ${sql.ref(`link.${link.other}`)} and ${scopeOf(target, context)})`
    : sql`true`;
  await sql`delete from ${table} link where ${sql.ref(`link.${link.own}`)} = ${own} and ${sql.ref(`link.${link.other}`)} <> all (${others}::uuid[]) and ${visible}`.execute(
    tx,
  );
  await sql`
    insert into ${table} (${sql.ref(link.own)}, ${sql.ref(link.other)})
    select ${own}::uuid, other from unnest(${others}::uuid[]) as other on conflict do nothing`.execute(tx);
}
