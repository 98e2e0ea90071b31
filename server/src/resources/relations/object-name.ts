import { type Sql, sql } from '../../platform/db/sql.ts';
import type { MountedResource } from '../hooks.ts';

/** Display name of a user: `Name(username)`. `alias` is the account table in the query. */
export const userName = (alias: string): Sql =>
  sql`${sql.ref(`${alias}.name`)} || '(' || ${sql.ref(`${alias}.username`)} || ')'`;

/** Display name of a session (alias `t`): user and asset. */
export const SESSION_NAME: Sql = sql`t."user" || ' → ' || t.asset`;

const NAMES: Readonly<Record<string, Sql>> = { user: userName('t'), session: SESSION_NAME };

/** Display name of an object (alias `t`). */
export const objectName = ({ resource }: Pick<MountedResource, 'resource'>): Sql =>
  NAMES[resource.name] ?? sql.ref(`t.${resource.labelField}`);

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
