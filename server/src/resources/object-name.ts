import { sql } from 'kysely';
import type { MountedResource, Sql } from './hooks.ts';

/** How a user is named to people, `Name(username)`; `alias` is the name of the account in the query. */
export const userName = (alias: string): Sql =>
  sql`${sql.ref(`${alias}.name`)} || '(' || ${sql.ref(`${alias}.username`)} || ')'`;

/** How a session (alias `t`) is named to people: who works where. */
export const SESSION_NAME: Sql = sql`t."user" || ' → ' || t.asset`;

const NAMES: Readonly<Record<string, Sql>> = { user: userName('t'), session: SESSION_NAME };

/** How an object of a resource (alias `t`) is named to people. */
export const objectName = ({ resource }: Pick<MountedResource, 'resource'>): Sql =>
  NAMES[resource.name] ?? sql.ref(`t.${resource.labelField}`);
