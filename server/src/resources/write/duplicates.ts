import type { Problem } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { MountedResource, Values } from '../hooks.ts';

/**
 * Returns the other unique fields that also collide. The database names only the first; the user
 * can then fix all at once.
 */
export async function otherDuplicates(
  { resource }: MountedResource,
  {
    id,
    values,
    problems,
  }: {
    readonly id: string;
    readonly values: Values;
    readonly problems: Readonly<Record<string, readonly Problem[]>>;
  },
  { actor }: Pick<Caller, 'actor'>,
  tx: Tx,
): Promise<Record<string, Problem[]>> {
  if (!Object.values(problems).some((list) => list.some(({ code }) => code === 'not_unique')))
    return {};
  const duplicates: Record<string, Problem[]> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    const value = values[name];
    if (field.kind !== 'text' || !field.unique || name in duplicates || typeof value !== 'string')
      continue;
    const scope = field.unique === 'org' ? sql`and t.org_id = ${actor.organization.id}` : sql``;
    const { rows } = await sql`
      select 1 from ${sql.table(resource.table)} t
      where lower(${sql.ref(`t.${name}`)}) = lower(${value}) ${scope} and t.id is distinct
      from ${id || null}::uuid limit 1`.execute(tx);
    if (rows.length > 0) duplicates[name] = [{ code: 'not_unique' }];
  }
  return duplicates;
}
