import {
  ERRORS,
  type Language,
  Permission,
  type StoredRowOf,
  say,
  user,
  type ValuesOf,
} from '@sallyport/contract';
import { assertAccess } from '../../../http/route.ts';
import type { Caller } from '../../../platform/actor.ts';
import { hashPassword } from '../../../platform/crypto/password.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { Forbidden, Invalid, invalid } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import {
  hooksFor,
  kept,
  type Operation,
  type Reading,
  type ResourceHooks,
  type StoredRow,
} from '../../../resources/hooks.ts';
import { isOrIsNot } from '../../../resources/read/list-query.ts';
import { attentionFilter } from '../../../resources/read/scope.ts';
import { firstNames } from '../../../resources/relations/named-objects.ts';
import { isOnline, useFilters } from '../../assets/index.ts';
import type { Mailer } from '../../mail/index.ts';
import { removeMember } from '../../orgs/index.ts';
import { removeFromRules } from '../../perms/index.ts';
import { refusalToAdd } from '../duties.ts';
import type { Mails } from '../mail/jobs.ts';
import { passwordProblem } from '../password/rules.ts';
import { abilitiesOf, refusalOf, refusalsOf } from '../policy.ts';
import { ownKeyProblem } from '../profile/profile.ts';
import { isLockedOut } from '../sign-in/lockout.ts';
import { storeEffects } from './account-effects.ts';
import { FACTS, hasRoleHere, policyActor, roleInWords } from './account-facts.ts';
import { appoints, assertAllowed, keepDisabled, storedFacts } from './allowed-changes.ts';
import { assertDuty } from './duties.ts';
import { ownersOfEmails, userAttention } from './email.ts';
import { USER_FOLLOWING } from './user-following.ts';

/**
 * Shows a value to the account's home organization, the installation and the user; `other` to
 * other organizations.
 */
function ownOrHome({ actor }: Caller, value: Sql, other: Sql): Sql {
  if (actor.role !== 'User' || actor.organization.id === '') return value;
  return sql`(case
    when t.id = ${actor.userId} or t.home_organization_id::text = ${actor.organization.id}
    then ${value} else ${other} end)`;
}

/**
 * Condition of the filter `not_seen_days`: valid accounts without a sign-in for that many days,
 * where the caller may see the last sign-in.
 * @throws Invalid
 */
function notSeenFor(value: string, caller: Caller): Sql {
  if (!/^\d{1,9}$/.test(value)) throw invalid('not_seen_days', 'not_integer');
  const [days, max] = [Number(value), 36_500];
  if (days < 1) throw invalid('not_seen_days', 'too_small', { min: 1 });
  if (days > max) throw invalid('not_seen_days', 'too_large', { max });
  const last = ownOrHome(caller, sql`coalesce(t.last_login, t.date_joined)`, sql`null`);
  return sql`(${IS_VALID} and coalesce(${last} < now() - make_interval(days => ${days}), false))`;
}

const IS_VALID = sql`(t.is_active and coalesce(t.date_expired > now(), true))`;

type UserValues = ValuesOf<typeof user>;
type UserRow = StoredRowOf<typeof user>;

/**
 * Owners of the addresses in a write, by address in lower case. An address must reach one user
 * only, but the database compares case.
 */
const ADDRESSES = kept(() => new Map<string, unknown>());
/** New accounts whose user chooses the password by a mailed link. */
const BY_LINK = kept(() => new WeakSet<UserValues>());

const columnsOf = (settings: SettingsService) =>
  hooksFor(user, {
    columns: {
      role_display: roleInWords,
      // These columns carry the policy data, from which `present` computes the values.
      can_update: FACTS,
      can_delete: FACTS,
      abilities: FACTS,
      refusals: FACTS,
      // An organization sees the names of an invited user, but neither the protection of the
      // account nor its use elsewhere.
      phone: (context) => ownOrHome(context, sql`t.phone`, sql`null`),
      wechat: (context) => ownOrHome(context, sql`t.wechat`, sql`''`),
      comment: (context) => ownOrHome(context, sql`t.comment`, sql`null`),
      mfa_level: (context) => ownOrHome(context, sql`t.mfa_level`, sql`null`),
      last_login: (context) => ownOrHome(context, sql`t.last_login`, sql`null`),
      date_password_last_updated: (context) =>
        ownOrHome(context, sql`t.date_password_last_updated`, sql`null`),
      is_expired: () => sql`coalesce(t.date_expired <= now(), false)`,
      is_valid: () => IS_VALID,
      mfa_enabled: (context) =>
        ownOrHome(
          context,
          sql`(t.mfa_level > 0 or ${settings.get('SECURITY_MFA_AUTH')}::boolean)`,
          sql`null`,
        ),
      mfa_force_enabled: (context) =>
        ownOrHome(
          context,
          sql`(t.mfa_level = 2 or ${settings.get('SECURITY_MFA_AUTH')}::boolean)`,
          sql`null`,
        ),
      avatar_url: () => sql`''`,
      first_names: ({ actor }) =>
        sql`jsonb_build_object('groups', ${firstNames(
          sql`o.name`,
          sql`user_group_users m join user_group o on o.id = m.user_group_id
            where m.user_id = t.id and o.org_id = ${actor.organization.id}`,
        )})`,
      groups_display: ({ actor }) =>
        sql`coalesce((
          select string_agg(g.name, ' ' order by g.name)
          from user_group_users m join user_group g on g.id = m.user_group_id
          where m.user_id = t.id and g.org_id = ${actor.organization.id}), '')`,
      login_confirm_settings: (context) =>
        ownOrHome(
          context,
          sql`(select jsonb_agg(r.reviewer_id order by r.reviewer_id) from login_confirm_setting_reviewers r where r.user_id = t.id)`,
          sql`null`,
        ),
      login_blocked: () => isLockedOut(settings),
    },
  }).columns ?? {};

function presentAbilities(rows: readonly StoredRow[], { caller }: Reading): void {
  const actor = policyActor(caller);
  for (const row of rows) {
    if ('can_update' in row)
      row.can_update = refusalOf(actor, storedFacts(row), 'describe') === undefined;
    if ('can_delete' in row)
      row.can_delete = refusalOf(actor, storedFacts(row, 'can_delete'), 'remove') === undefined;
    if ('abilities' in row) row.abilities = abilitiesOf(actor, storedFacts(row, 'abilities'));
    if ('refusals' in row)
      row.refusals = Object.fromEntries(
        Object.entries(refusalsOf(actor, storedFacts(row, 'refusals'))).map(([change, code]) => [
          change,
          say(ERRORS[code], caller.language),
        ]),
      );
  }
}

/** @throws Invalid if the new password or the key breaks the rules */
async function assertSecrets(
  values: UserValues,
  previous: UserRow | undefined,
  settings: SettingsService,
  language: Language,
): Promise<void> {
  const password = values.password && String(values.password);
  const aboutOwner = [values, previous].flatMap((row) => [row?.username, row?.name, row?.email]);
  const problem = password && (await passwordProblem(password, { settings, language, aboutOwner }));
  if (problem) throw new Invalid({ password: [problem] });
  const keyProblem = values.public_key && ownKeyProblem(String(values.public_key), settings);
  if (keyProblem) throw new Invalid({ public_key: [keyProblem] });
}

export function createUserHooks(
  settings: SettingsService,
  mailer: Pick<Mailer, 'isConfigured'>,
  mails: Pick<Mails, 'enqueue'>,
  assertFresh: (caller: Caller) => Promise<void>,
): ResourceHooks {
  /** Resolves how a new account gets its password; the strategy itself is not stored. */
  function choosePassword(
    values: UserValues,
    previous: UserRow | undefined,
    operation: Operation,
  ): void {
    const strategy = values.password_strategy;
    delete values.password_strategy;
    if (previous || operation.restored || (values.source ?? 'local') !== 'local') return;
    if (strategy === 1 && !values.password) throw invalid('password', 'required');
    if (strategy === 0) delete values.password;
    if (values.password) return;
    if (mailer.isConfigured()) operation.get(BY_LINK).add(values);
    else if (strategy === 0) throw invalid('password_strategy', 'mail_not_configured');
  }
  return hooksFor(user, {
    // An organization sees its members; the default one sees all users.
    visible: ({ actor }) =>
      actor.organization.id === ''
        ? undefined
        : sql`t.id in (
            select member.user_id from organization_member member
            where member.organization_id::text = ${actor.organization.id})`,
    visibleInList: ({ actor, language }, query) => {
      if (!['1', 'true'].includes(query.get('all') ?? '')) return undefined;
      assertAccess(Permission.SUPER | Permission.ADMIN, actor, language);
      return sql`true`;
    },
    // Names repeat, so files contain `Name(username)`.
    inFiles: { name: sql`t.username`, read: (text) => /\(([^()]+)\)$/.exec(text)?.[1] ?? text },
    columns: columnsOf(settings),
    filters: {
      org_role: hasRoleHere,
      is_valid: (value) => isOrIsNot('is_valid', value, IS_VALID),
      not_seen_days: notSeenFor,
      ...useFilters('user'),
      attention: attentionFilter(userAttention(settings)),
      is_online: (value, { actor }) =>
        isOrIsNot('is_online', value, isOnline(actor.organization.id)),
    },
    storeSecret: { password: hashPassword, public_key: (value) => value.trim() },
    async prepare(bodies, operation) {
      const emails = bodies.flatMap(({ email }) => (typeof email === 'string' ? [email] : []));
      if (emails.length === 0) return;
      const owners = operation.get(ADDRESSES);
      for (const [email, id] of await ownersOfEmails(emails, operation.tx)) owners.set(email, id);
    },
    async beforeSave(values, previous, operation) {
      const { caller } = operation;
      await keepDisabled(values, previous, operation);
      assertAllowed(values, previous, caller);
      await assertDuty(values, previous, settings, operation);
      // An unattended page or a stolen session must not create another administrator.
      if (appoints(values.role, previous?.role, caller)) await assertFresh(caller);
      choosePassword(values, previous, operation);
      await assertSecrets(values, previous, settings, caller.language);
      const source = String(values.source ?? previous?.source ?? 'local');
      if (source !== 'local') delete values.password;
      if ((values.role ?? previous?.role) === 'Auditor') values.groups = [];
      if (typeof values.email === 'string') {
        const [owners, email] = [operation.get(ADDRESSES), values.email.toLowerCase()];
        const owner = owners.get(email);
        if (owner !== undefined && owner !== previous?.id) throw invalid('email', 'not_unique');
        // The rest of this write sees the address as taken by this account.
        owners.set(email, previous?.id ?? values);
      }
    },
    async afterSave(saved, operation) {
      const { language } = operation.caller;
      for (const one of saved) {
        if (operation.get(BY_LINK).has(one.values))
          await mails.enqueue({ kind: 'welcome', userId: one.id, language }, operation.tx);
        await storeEffects(one, operation);
      }
    },
    beforeDelete(row, { caller }) {
      const refusal = refusalOf(policyActor(caller), storedFacts(row), 'remove');
      if (refusal) throw new Forbidden(refusal);
    },
    // Within an organization this only removes the membership.
    async remove(row, { caller: { actor }, tx }) {
      if (actor.organization.id === '')
        await sql`delete from account where id = ${row.id}`.execute(tx);
      else {
        await removeMember(actor.organization.id, String(row.id), tx);
        await sql`
          delete from user_group_users
          where user_id = ${row.id} and user_group_id in (
            select id from user_group where org_id = ${actor.organization.id})`.execute(tx);
        await removeFromRules(String(row.id), actor.organization.id, tx);
      }
    },
    following: USER_FOLLOWING,
    // A directory may have deleted the user meanwhile: an administrator enables the account again.
    beforeRestore(body, { row, following }, { actor }) {
      const refusal = refusalToAdd(actor.duty);
      if (refusal) throw new Forbidden(refusal);
      if (row.source !== 'local' || following.scim_user || row.shut_by_source === true)
        body.is_active = false;
    },
    present: presentAbilities,
    describe: (row) => `${row.name}(${row.username})`,
  });
}
