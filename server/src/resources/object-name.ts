import { sql } from 'kysely';
import type { MountedResource, Sql } from './hooks.ts';

/** Display name of a user: `Name(username)`. `alias` is the account table in the query. */
export const userName = (alias: string): Sql =>
  sql`${sql.ref(`${alias}.name`)} || '(' || ${sql.ref(`${alias}.username`)} || ')'`;

/** Display name of a session (alias `t`): user and asset. */
export const SESSION_NAME: Sql = sql`t."user" || ' → ' || t.asset`;

const NAMES: Readonly<Record<string, Sql>> = { user: userName('t'), session: SESSION_NAME };

/** Display name of an object (alias `t`). */
export const objectName = ({ resource }: Pick<MountedResource, 'resource'>): Sql =>
  NAMES[resource.name] ?? sql.ref(`t.${resource.labelField}`);
