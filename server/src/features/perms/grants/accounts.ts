import { actionNames } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { IN_FORCE, rulesNaming } from './coverage.ts';
import { type GrantKind, linksOf, ruleIn } from './kind.ts';

/** A system user that permissions grant on one target. */
export interface GrantedAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly priority: number;
  readonly protocol: string;
  readonly login_mode: 'auto' | 'manual';
  readonly sftp_root: string;
  readonly username_same_with_user: boolean;
  readonly actions: readonly string[];
  readonly mask: number;
  /** The permissions that grant it. */
  readonly rules: readonly string[];
  /** End of the last of these permissions. */
  readonly validUntil: Date;
}

/** User or group whose grants are read. `organizationId` undefined means all organizations. */
export interface GrantSubject {
  readonly userId: string;
  /** `userId` is the id of a group; the grants are those of its members. */
  readonly isGroup?: boolean;
  readonly organizationId: string | undefined;
}

interface GrantTargets {
  readonly targets: readonly string[];
  /** The only system user of interest; absent: all. */
  readonly systemUserId?: string | undefined;
}

/**
 * System users granted on targets of a kind, by ascending priority. Targets that are not granted or
 * not usable have none.
 */
export async function grantedAccounts(
  kind: GrantKind,
  { userId, isGroup = false, organizationId }: GrantSubject,
  { targets, systemUserId }: GrantTargets,
  db: Db,
): Promise<(GrantedAccount & { readonly target: string })[]> {
  const { rows } = await sql<
    Omit<GrantedAccount, 'actions' | 'validUntil'> & { target: string; valid_until: Date }
  >`
    with rule as materialized (
      select p.id, ${kind.actions} as actions, p.date_expired from ${sql.table(kind.rule)} p
      where p.id in ${rulesNaming(userId, isGroup, kind)} and ${IN_FORCE}
        and ${organizationId === undefined ? sql`true` : sql`p.org_id = ${organizationId}`}
    ), covering as materialized (
      select rule.*, asked.target_id from rule
        cross join unnest(${targets}::uuid[]) asked (target_id) where ${kind.covers}
    )
    select covering.target_id as target, s.id, s.name, s.username, s.priority, s.protocol,
      s.login_mode, s.sftp_root, s.username_same_with_user,
      bit_or(covering.actions) as mask, array_agg(covering.id order by covering.id) as rules,
        max(covering.date_expired) as valid_until
    from covering
      join ${linksOf(kind, 'system_users')} link on ${ruleIn(kind, 'link')} = covering.id
      join system_account s on s.id = link.system_user_id
      join ${sql.table(kind.target)} a on a.id = covering.target_id and ${kind.isUsable}
      ${
        isGroup
          ? sql``
          : sql`join account u on u.id = ${userId} and u.is_active
        and coalesce(u.date_expired > now(), true)`
      }
    where ${systemUserId === undefined ? sql`true` : sql`s.id = ${systemUserId}`}
      and ${kind.isOffered}
    group by covering.target_id, s.id order by s.priority, s.name`.execute(db);
  return rows.map(({ valid_until, ...row }) => ({
    ...row,
    actions: actionNames(row.mask),
    validUntil: valid_until,
  }));
}
