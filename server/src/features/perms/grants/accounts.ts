import { actionMask, actionNames, type ConditionTerms } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { executePrepared, type Sql, sql } from '../../../platform/db/sql.ts';
import { IN_FORCE, rulesNaming, TERMS } from './coverage.ts';
import { type GrantKind, linksOf, ruleIn } from './kind.ts';

/** One permission that grants a system user. */
export interface RuleGrant {
  readonly rule: string;
  readonly mask: number;
  /** End of the permission, as JSON. */
  readonly until: string;
  /** Null: the permission has no condition. */
  readonly terms: ConditionTerms | null;
}

/** A system user that permissions grant on one target. */
export interface GrantedAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly priority: number;
  readonly protocol: string;
  readonly login_mode: 'auto' | 'manual' | 'certificate';
  readonly sftp_root: string;
  readonly username_same_with_user: boolean;
  readonly actions: readonly string[];
  readonly mask: number;
  /** The permissions that grant it. */
  readonly rules: readonly string[];
  /** End of the last of these permissions. */
  readonly validUntil: Date;
  /** These permissions one by one; null if none of them has a condition. */
  readonly grants: readonly RuleGrant[] | null;
}

const CONNECT = actionMask(['connect']);

/** Returns true if the actions of a grant include connect. */
export const connects = (grant: { readonly mask: number } | undefined): boolean =>
  ((grant?.mask ?? 0) & CONNECT) !== 0;

/** User or group whose grants are read. `organizationId` undefined means all organizations. */
export interface GrantSubject {
  readonly userId: string;
  /** `userId` is the id of a group; the grants are those of its members. */
  readonly isGroup?: boolean;
  readonly organizationId: string | undefined;
}

const GRANTS = sql`json_agg(json_build_object('rule', p.id, 'mask', p.actions,
  'until', p.date_expired, 'terms', ${TERMS}))`;

interface GrantTargets {
  readonly targets: readonly string[];
  /** The only system user of interest; absent: all. */
  readonly systemUserId?: string | undefined;
}

/** A row of `accountsQuery`. */
export interface AccountRow extends Omit<GrantedAccount, 'actions' | 'validUntil'> {
  readonly target: string;
  readonly valid_until: Date;
}

/** Returns the account of a row of `accountsQuery`. */
export const accountOf = ({
  target: _,
  valid_until: validUntil,
  ...row
}: AccountRow): GrantedAccount => ({ ...row, actions: actionNames(row.mask), validUntil });

/**
 * Query for system users granted on targets of a kind, by ascending priority. `target` is a query
 * for `target_id`. Targets that are not granted or not usable have none.
 */
export function accountsQuery(
  kind: GrantKind,
  { userId, isGroup = false, organizationId }: GrantSubject,
  target: Sql,
  systemUserId?: string,
): Sql<AccountRow> {
  return sql<AccountRow>`
    with rule as materialized (
      select p.id, ${kind.actions} as actions, p.date_expired, p.condition_id
      from ${sql.table(kind.rule)} p
      where p.id in ${rulesNaming(userId, isGroup, kind)} and ${IN_FORCE}
        and ${organizationId === undefined ? sql`true` : sql`p.org_id = ${organizationId}`}
    ), covering as materialized (
      select rule.*, asked.target_id from rule
        cross join (${target}) asked where ${kind.covers}
    )
    select p.target_id as target, s.id, s.name, s.username, s.priority, s.protocol,
      s.login_mode, s.sftp_root, s.username_same_with_user,
      bit_or(p.actions) as mask, array_agg(p.id order by p.id) as rules,
        max(p.date_expired) as valid_until,
      case when bool_or(p.condition_id is not null) then ${GRANTS} end as grants
    from covering p
      join ${linksOf(kind, 'system_users')} link on ${ruleIn(kind, 'link')} = p.id
      join system_account s on s.id = link.system_user_id
      join ${sql.table(kind.target)} a on a.id = p.target_id and ${kind.isUsable}
      ${
        isGroup
          ? sql``
          : sql`join account u on u.id = ${userId} and u.is_active
        and coalesce(u.date_expired > now(), true)`
      }
    where ${systemUserId === undefined ? sql`true` : sql`s.id = ${systemUserId}`}
      and ${kind.isOffered}
    group by p.target_id, s.id order by s.priority, s.name`;
}

/** The accounts of `accountsQuery` on some targets. */
export async function grantedAccounts(
  kind: GrantKind,
  subject: GrantSubject,
  { targets, systemUserId }: GrantTargets,
  db: Db,
): Promise<(GrantedAccount & { readonly target: string })[]> {
  // PostgreSQL reuses the plan of a scalar, and plans an array again for each execution.
  const target =
    targets.length === 1
      ? sql`select ${targets[0]}::uuid as target_id`
      : sql`select unnest(${targets}::uuid[]) as target_id`;
  const rows = await executePrepared(accountsQuery(kind, subject, target, systemUserId), db);
  return rows.map((row) => ({ ...accountOf(row), target: row.target }));
}

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
