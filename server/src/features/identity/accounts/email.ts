import { allows, Permission } from '@sallyport/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { AttentionConditions } from '../../../resources/read/scope.ts';
import { IS_VALID_USER } from '../../perms/index.ts';
import { isLockedOut } from '../sign-in/lockout.ts';

/** Condition: the name of account `t` differs from another one in letter case only. */
export const HAS_NAMESAKE = sql`(exists (
  select from account o where folded_name(o.username) = folded_name(t.username) and o.id <> t.id))`;

/** Condition: account `t` holds a duty from before it needed a local account and a factor. */
export const HOLDER_ELSEWHERE = sql`(t.duty <> '' and t.is_active and (t.source <> 'local'
  or not exists (select from totp f where f.user_id = t.id)
    and not exists (select from passkey f where f.user_id = t.id)))`;

/**
 * Condition: account `t` held its duty at the upgrade that removes keys with a new duty, and still
 * has a password or keys from before. Another duty may have set them.
 */
export const HOLDER_WITH_OLD_KEYS = sql`(t.date_duty_kept is not null and t.is_active
  and (t.password_assigned
    or exists (select from passkey k where k.user_id = t.id and k.date_created < t.date_duty_kept)
    or exists (select from ssh_key k where k.user_id = t.id and k.date_created < t.date_duty_kept)
    or exists (select from access_key k
      where k.user_id = t.id and k.is_active and k.date_created < t.date_duty_kept)))`;

/**
 * Filters of users that need attention. Organizations must not learn how an account is protected.
 */
export const userAttention = (settings: SettingsService) =>
  ({
    locked_users: () => isLockedOut(settings),
    administrators_without_mfa: ({ actor }) =>
      settings.get('SECURITY_MFA_AUTH') || !allows(actor.permissions, Permission.SUPER)
        ? sql`false`
        : sql`(t.role = 'Admin' and t.is_active and t.mfa_level = 0)`,
    duty_holders_elsewhere: ({ actor }) =>
      allows(actor.permissions, Permission.SUPER)
        ? sql`(${HOLDER_ELSEWHERE} or ${HOLDER_WITH_OLD_KEYS})`
        : sql`false`,
    users_of_one_name: ({ actor }) =>
      allows(actor.permissions, Permission.SUPER) ? HAS_NAMESAKE : sql`false`,
    users_expiring: () =>
      sql`(t.is_active and t.date_expired between now() and now() + interval '7 days')`,
    // Users of the last week only: the list would grow without end.
    users_shut: () => sql`(t.shut_by_source and t.date_source_state > now() - interval '7 days')`,
    users_without_reviewers: () =>
      settings.get('LOGIN_CONFIRM_ENABLE')
        ? sql`(t.is_active
            and exists (
              select 1 from login_confirm_setting s where s.user_id = t.id and s.is_active)
            and not exists (
            select 1 from login_confirm_setting_reviewers r join account u on u.id = r.reviewer_id
            where r.user_id = t.id and u.id <> t.id and ${IS_VALID_USER}))`
        : sql`false`,
    first_password: ({ actor }) => sql`(t.password_generated and t.id = ${actor.userId})`,
  }) satisfies AttentionConditions;

/** Returns account ids by mail address in lower case. Addresses are compared without case. */
export async function ownersOfEmails(
  emails: readonly string[],
  tx: Tx,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; email: string }>`
    select id, lower(email) as email from account
    where lower(email) = any (
      select lower(email) from unnest(${emails}::text[]) as asked (email))`.execute(tx);
  return new Map(rows.map(({ id, email }) => [email, id]));
}

/**
 * Checks that no other account has the address in any case: a password mail must reach one user
 * only.
 * @throws Invalid
 */
export async function assertEmailIsFree(email: string, ownId: unknown, tx: Tx): Promise<void> {
  const { rows } = await sql`
    select 1 from account
    where lower(email) = lower(${email})
      and id is distinct from ${ownId ?? null}::uuid`.execute(tx);
  if (rows.length > 0) throw invalid('email', 'not_unique');
}
