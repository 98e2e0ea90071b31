import type { Problem } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../platform/actor.ts';
import type { Tx } from '../platform/db/database.ts';
import type { MountedResource, Values } from './hooks.ts';

/**
 * The problems of the other unique fields of a row that the database refused for one of them: the database names the first only, and a
 * user who corrects that one would get the next error at the next attempt.
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
  const found: Record<string, Problem[]> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    const value = values[name];
    if (field.kind !== 'text' || !field.unique || name in problems || typeof value !== 'string')
      continue;
    const scope = field.unique === 'org' ? sql`and t.org_id = ${actor.organization.id}` : sql``;
    const { rows } = await sql`
      select 1 from ${sql.table(resource.table)} t
      where lower(${sql.ref(`t.${name}`)}) = lower(${value}) ${scope} and t.id is distinct from ${id || null}::uuid limit 1`.execute(
      tx,
    );
    if (rows.length > 0) found[name] = [{ code: 'not_unique' }];
  }
  return found;
}
