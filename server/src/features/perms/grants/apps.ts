import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { Sql } from '../../../resources/hooks.ts';
import { type GrantedAccount, type GrantSubject, grantedAccounts } from './accounts.ts';
import { IN_FORCE, rulesNaming } from './coverage.ts';
import { type GrantKind, ruleIn } from './kind.ts';

/**
 * The condition that an application (alias `t`) is granted and can be used. There are few of them,
 * so that the rules are read each time and nothing is remembered.
 */
export function isAppGranted(
  kind: GrantKind,
  { userId, isGroup = false, organizationId }: GrantSubject,
): Sql {
  const links = sql.table(`${kind.rule}_${kind.target}s`);
  return sql`t.id in (
    select a.id from ${sql.table(kind.rule)} p join ${links} link on ${ruleIn(kind, 'link')} = p.id
      join ${sql.table(kind.target)} a on a.id = ${sql.ref(`link.${kind.target}_id`)}
    where p.id in ${rulesNaming(userId, isGroup, kind)} and ${IN_FORCE} and ${kind.isUsable}
      and ${organizationId === undefined ? sql`true` : sql`p.org_id = ${organizationId}`})`;
}

/** Whether an application is granted and can be used. */
export async function isGrantedApp(
  kind: GrantKind,
  subject: GrantSubject,
  appId: string,
  db: Db,
): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(kind.target)} t
      where t.id = ${appId} and ${isAppGranted(kind, subject)}`.execute(db);
  return rows.length > 0;
}

/**
 * The system users that a user or group may use on an application, by descending priority; none for
 * one that is not granted.
 */
export async function appAccounts(
  kind: GrantKind,
  subject: GrantSubject,
  appId: string,
  db: Db,
): Promise<GrantedAccount[]> {
  return (await grantedAccounts(kind, subject, [appId], db))
    .map(({ target: _, ...account }) => account)
    .reverse();
}

/**
 * The system user on an application, if it is granted to a user; asked of the database at that
 * moment, because a connection may depend on it.
 */
export async function checkApp(
  kind: GrantKind,
  userId: string,
  appId: string,
  systemUserId: string,
  db: Db,
): Promise<GrantedAccount | undefined> {
  const [found] = await grantedAccounts(
    kind,
    { userId, organizationId: undefined },
    [appId],
    db,
    systemUserId,
  );
  return found;
}
