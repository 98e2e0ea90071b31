import { sql } from 'kysely';
import type { Sql } from './hooks.ts';

/** A list shows so many of the objects that a row is linked to, and the number of the others. */
const MOST = 3;

/** The first of the objects that a row (alias `t`) is linked to, by name; `from` joins their table as `o` and says which they are. */
export const firstNames = (name: Sql, from: Sql): Sql => sql`coalesce((
  select jsonb_agg(jsonb_build_object('id', first.id, 'name', first.name) order by first.name, first.id)
  from (select o.id, ${name} as name from ${from} order by name, o.id limit ${MOST}) first), '[]'::jsonb)`;
