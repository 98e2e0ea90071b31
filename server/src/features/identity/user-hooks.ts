import { Permission } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Context } from '../../http/context.ts';
import { Invalid, invalid, Refusal } from '../../http/problem.ts';
import type { ResourceHooks, Sql, StoredRow, Values } from '../../http/resource/hooks.ts';
import { isOrIsNot } from '../../http/resource/list-query.ts';
import { assertAccess } from '../../http/route.ts';
import { hashPassword } from '../../platform/crypto/password.ts';
import { writePasswordChange } from '../audits/password-change-log.ts';
import type { SettingsService } from '../settings/service.ts';
import { enqueueMail } from './mail/jobs.ts';
import type { Mailer } from './mail/mailer.ts';
import { passwordProblem } from './password-rules.ts';
import { ownKeyProblem } from './public-key.ts';
import { hasRoleHere, roleInWords } from './roles-here.ts';
import { endOtherSignIns } from './sign-ins.ts';
import { assertSignedIn } from './signed-in.ts';

/** The account that the first start makes; it stays an active administrator. */
export const FIRST_ADMINISTRATOR = 'admin';

const isSuper = ({ actor }: Context) => actor.role === 'Admin';

/** Whether the caller may change an account (identity reference §3.2); worked out with the row, see {@link MAY_UPDATE}. */
export function mayUpdate(row: StoredRow): boolean {
  return row.can_update === true;
}

/** Whether the caller may delete an account, or remove it from the current organization. */
export function mayDelete(row: StoredRow): boolean {
  return row.can_delete === true;
}

const administers = ({ actor }: Context) => (actor.permissions & Permission.ADMIN) !== 0;

/**
 * Administrators of an organization change ordinary accounts that were made in it. Others who were invited, or who look after another
 * organization as well, would hand over what they may do elsewhere together with their password.
 */
const MAY_UPDATE = (context: Context): Sql => {
  if (!administers(context)) return sql`false`;
  if (isSuper(context)) return sql`true`;
  const { organization, userId } = context.actor;
  return sql`(t.id = ${userId} or t.role = 'User' and t.home_organization_id::text = ${organization.id} and not exists (
    select 1 from organization_member elsewhere
    where elsewhere.user_id = t.id and elsewhere.organization_id::text <> ${organization.id} and elsewhere.role <> 'User'))`;
};

/** Never one's own account, never the first administrator; in an organization, not those who administer it as well. */
const MAY_DELETE = (context: Context): Sql => {
  if (!administers(context)) return sql`false`;
  const { organization, userId } = context.actor;
  const others = sql`t.id <> ${userId} and t.username <> ${FIRST_ADMINISTRATOR}`;
  if (isSuper(context)) return sql`(${others})`;
  return sql`(${others} and t.role = 'User' and not exists (
    select 1 from organization_member colleague
    where colleague.user_id = t.id and colleague.organization_id::text = ${organization.id} and colleague.role = 'Admin'))`;
};

const IS_VALID = sql`(t.is_active and coalesce(t.date_expired > now(), true))`;

/** What is particular to accounts. */
export function createUserHooks(settings: SettingsService, mailer: Pick<Mailer, 'isConfigured'>): ResourceHooks {
  /** New accounts that choose their password by a mailed link. */
  const byLink = new WeakSet<Values>();

  /** Says how a new account comes to its password (identity reference §3.3); the choice itself is not stored. */
  function choosePassword(values: Values, previous: StoredRow | undefined): void {
    const strategy = values.password_strategy;
    delete values.password_strategy;
    if (previous || (values.source ?? 'local') !== 'local') return;
    if (strategy === 1 && !values.password) throw invalid('password', 'required');
    if (strategy === 0) delete values.password;
    if (values.password) return;
    if (mailer.isConfigured()) byLink.add(values);
    else if (strategy === 0) throw invalid('password_strategy', 'mail_not_configured');
  }
  return {
    // An organization sees its members; the default one sees everybody.
    visible: ({ actor }) =>
      actor.organization.id === ''
        ? undefined
        : sql`t.id in (select member.user_id from organization_member member where member.organization_id::text = ${actor.organization.id})`,
    visibleInList: ({ actor, language, query }) => {
      if (!['1', 'true'].includes(query.get('all') ?? '')) return undefined;
      assertAccess(Permission.SUPER | Permission.ADMIN, actor, language);
      return sql`true`;
    },
    columns: {
      role_display: roleInWords,
      can_update: MAY_UPDATE,
      can_delete: MAY_DELETE,
      is_expired: () => sql`coalesce(t.date_expired <= now(), false)`,
      is_valid: () => IS_VALID,
      mfa_enabled: () => sql`(t.mfa_level > 0 or ${settings.get('SECURITY_MFA_AUTH')}::boolean)`,
      mfa_force_enabled: () => sql`(t.mfa_level = 2 or ${settings.get('SECURITY_MFA_AUTH')}::boolean)`,
      avatar_url: () => sql`''`,
      groups_display: ({ actor }) =>
        sql`coalesce((select string_agg(g.name, ' ' order by g.name) from user_group_users m join user_group g on g.id = m.user_group_id where m.user_id = t.id and g.org_id = ${actor.organization.id}), '')`,
      login_blocked: () =>
        sql`exists (select 1 from login_attempt a where a.username = lower(t.username) and a.failures >= ${settings.get('SECURITY_LOGIN_LIMIT_COUNT')} and a.date_last > now() - make_interval(mins => ${settings.get('SECURITY_LOGIN_LIMIT_TIME')}))`,
    },
    filters: {
      org_role: hasRoleHere,
      is_valid: (value) => isOrIsNot('is_valid', value, IS_VALID),
    },
    storeSecret: { password: hashPassword, public_key: (value) => value.trim() },
    async beforeSave(values, previous, context, tx) {
      if (previous && !mayUpdate(previous)) throw new Refusal(403, 'object_protected');
      if (values.role !== undefined && values.role !== 'User' && values.role !== previous?.role && !isSuper(context)) throw invalid('role', 'role_protected');
      if (previous?.username === FIRST_ADMINISTRATOR) assertStaysAdministrator(values);
      if (previous?.id === context.actor.userId) assertOwnProtectionStays(values, previous, context);
      choosePassword(values, previous);
      const password = values.password ? String(values.password) : '';
      const problem = password && passwordProblem(password, settings, context.language);
      if (problem) throw new Invalid({ password: [problem] });
      const keyProblem = values.public_key ? ownKeyProblem(String(values.public_key), settings) : undefined;
      if (keyProblem) throw new Invalid({ public_key: [keyProblem] });
      const source = String(values.source ?? previous?.source ?? 'local');
      if (source !== 'local') delete values.password;
      if ((values.role ?? previous?.role) === 'Auditor') values.groups = [];
      if (typeof values.email === 'string') await assertFree(values.email, previous, tx);
    },
    async afterSave(saved, context, tx) {
      const { organization, userId, session } = context.actor;
      for (const { id, values, previous } of saved) {
        if (byLink.has(values)) await enqueueMail('welcome', id, context.language, tx);
        if (!previous && organization.id !== '') {
          await sql`insert into organization_member (organization_id, user_id, role) values (${organization.id}, ${id}, 'User')`.execute(tx);
          await sql`update account set home_organization_id = ${organization.id}::uuid where id = ${id}`.execute(tx);
        }
        if (values.password) {
          await sql`update account set date_password_last_updated = now() where id = ${id}`.execute(tx);
          await endOtherSignIns(tx, id, id === userId ? session.id : undefined);
          await writePasswordChange(tx, context, id);
        }
        if (values.is_active === false) await endOtherSignIns(tx, id);
        // Of other organizations, too: auditors are in no groups, so that no rule reaches them that way.
        if (values.role === 'Auditor') await sql`delete from user_group_users where user_id = ${id}`.execute(tx);
      }
    },
    beforeDelete(row, context) {
      if (row.id === context.actor.userId) throw new Refusal(403, 'self_delete');
      if (!mayDelete(row)) throw new Refusal(403, 'object_protected');
    },
    // Inside an organization a user is removed from it; the account lives on (identity reference §0).
    async remove(row, { actor }, tx) {
      if (actor.organization.id === '') await sql`delete from account where id = ${row.id}`.execute(tx);
      else {
        await sql`delete from organization_member where organization_id::text = ${actor.organization.id} and user_id = ${row.id}`.execute(tx);
        await sql`delete from user_group_users where user_id = ${row.id} and user_group_id in (select id from user_group where org_id = ${actor.organization.id})`.execute(
          tx,
        );
        await sql`delete from asset_permission_users where user_id = ${row.id} and asset_permission_id in (select id from asset_permission where org_id = ${actor.organization.id})`.execute(
          tx,
        );
      }
    },
    describe: (row) => `${row.name}(${row.username})`,
  };
}

/** The first administrator keeps its name, by which it is protected, its role and its access. @throws Invalid */
function assertStaysAdministrator(values: Values): void {
  const lost = {
    username: values.username !== undefined && values.username !== FIRST_ADMINISTRATOR,
    is_active: values.is_active === false,
    role: values.role !== undefined && values.role !== 'Admin',
    date_expired: values.date_expired instanceof Date && values.date_expired.getTime() <= Date.now(),
  };
  const fields = Object.entries(lost).filter(([, isLost]) => isLost);
  if (fields.length > 0) throw new Invalid(Object.fromEntries(fields.map(([name]) => [name, [{ code: 'object_protected' }]])));
}

/**
 * What protects one's own account is changed on the profile page, which asks for the old password or a second factor first: neither an open
 * screen nor a lost key shall be a lost account. @throws Invalid, Refusal
 */
function assertOwnProtectionStays(values: Values, previous: StoredRow, context: Context): void {
  if (values.is_active === false) throw invalid('is_active', 'object_protected');
  if (values.password) throw invalid('password', 'own_account');
  if (values.mfa_level !== undefined && Number(values.mfa_level) < Number(previous.mfa_level)) throw invalid('mfa_level', 'own_account');
  if (values.source !== undefined && values.source !== previous.source) throw invalid('source', 'own_account');
  // Whoever gets the mails gets the links to a new password.
  if (values.public_key || (values.email !== undefined && values.email !== previous.email)) assertSignedIn(context);
}

/** Mail addresses are the same in any case: a lost password must reach one person only. */
async function assertFree(email: string, previous: StoredRow | undefined, tx: Parameters<NonNullable<ResourceHooks['beforeSave']>>[3]): Promise<void> {
  const { rows } = await sql`select 1 from account where lower(email) = lower(${email}) and id is distinct from ${previous?.id ?? null}::uuid`.execute(tx);
  if (rows.length > 0) throw invalid('email', 'not_unique');
}
