import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { type GrantedAccount, type GrantSubject, grantedAccounts } from './accounts.ts';
import { IN_FORCE, rulesNaming } from './coverage.ts';
import { type GrantKind, ruleIn } from './kind.ts';

/**
 * True if an application (alias `t`) is granted and usable. There are few applications, so nothing
 * is cached.
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

/** Returns true if an application is granted and usable. */
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

/** System users granted on an application, by descending priority; none if it is not granted. */
export async function appAccounts(
  kind: GrantKind,
  subject: GrantSubject,
  appId: string,
  db: Db,
): Promise<GrantedAccount[]> {
  return (await grantedAccounts(kind, subject, { targets: [appId] }, db))
    .map(({ target: _, ...account }) => account)
    .reverse();
}

interface AppLogin {
  readonly userId: string;
  readonly appId: string;
  readonly systemUserId: string;
}

/**
 * Returns a system user if it is granted on an application. Never cached, because connections
 * depend on the answer.
 */
export async function checkApp(
  kind: GrantKind,
  { userId, appId, systemUserId }: AppLogin,
  db: Db,
): Promise<GrantedAccount | undefined> {
  const [account] = await grantedAccounts(
    kind,
    { userId, organizationId: undefined },
    { targets: [appId], systemUserId },
    db,
  );
  return account;
}
