import { sql } from 'kysely';
import type { Sql } from './hooks.ts';

/** Number of linked objects that a list shows by name. */
const MOST = 3;

/**
 * Selects the first linked objects of a row (alias `t`) by name. `from` joins their table as `o`.
 */
export const firstNames = (name: Sql, from: Sql): Sql => sql`coalesce((
  select jsonb_agg(jsonb_build_object('id', first.id, 'name', first.name)
  order by first.name, first.id)
  from (select o.id, ${name} as name from ${from}
  order by name, o.id limit ${MOST}) first), '[]'::jsonb)`;
