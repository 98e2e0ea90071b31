import { boolean, type Fields, type Problem, type Profile, parseBody, secret, user } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Context } from '../../http/context.ts';
import { Invalid, invalid, Refusal } from '../../http/problem.ts';
import type { AuditWriter } from '../../http/resource/hooks.ts';
import { type Engines, engineOf } from '../../http/resource/mount.ts';
import { type Authenticator, readBody, route } from '../../http/route.ts';
import { hashPassword } from '../../platform/crypto/password.ts';
import type { Db } from '../../platform/db/database.ts';
import { writePasswordChange } from '../audits/password-change-log.ts';
import { DEFAULT_ORGANIZATION, type OrganizationService } from '../orgs/service.ts';
import type { SettingsService } from '../settings/service.ts';
import { hasFactor, type SecondFactors } from './mfa/second-factors.ts';
import { passwordProblem } from './password-rules.ts';
import { describePublicKey, ownKeyProblem } from './public-key.ts';
import type { SignInService } from './sign-in/service.ts';
import { endOtherSignIns } from './sign-ins.ts';
import { assertSignedIn } from './signed-in.ts';
import { NOTHING, OWN_BODY, PROFILE } from './wire-shapes.ts';

export interface ProfileServices {
  readonly db: Db;
  readonly engines: Engines;
  readonly organizations: OrganizationService;
  readonly settings: SettingsService;
  readonly authenticator: Authenticator;
  readonly audit: AuditWriter;
  readonly factors: SecondFactors;
  readonly signIns: SignInService;
}

/** What a person may change of the own account (identity reference §3.6). */
const OWN_FIELDS: Fields = {
  wechat: user.fields.wechat,
  phone: user.fields.phone,
  comment: user.fields.comment,
  public_key: user.fields.public_key,
  mfa_level: user.fields.mfa_level,
  is_first_login: boolean({ label: user.fields.is_first_login.label, required: false }),
};

/** The caller's own account with roles and organizations (specification §7). */
export async function profileOf(context: Context, services: ProfileServices): Promise<Profile> {
  const { actor } = context;
  // One's own account is visible from everywhere, also from an organization one is no member of; roles and groups are those of where one is.
  const isMember = (await services.organizations.rolesIn(actor.organization.id, actor.userId)).length > 0;
  const organization = isMember ? actor.organization : DEFAULT_ORGANIZATION;
  const row = await engineOf(services.engines, user).reader.retrieve(actor.userId, { ...context, actor: { ...actor, organization } });
  const passwordDays = services.settings.get('SECURITY_PASSWORD_EXPIRATION_TIME');
  const { rows } = await sql<{ public_key: string | null; days_left: number | null }>`
    select public_key, case when source = 'local' then
      greatest(0, ceil(extract(epoch from date_password_last_updated + make_interval(days => ${passwordDays}) - now()) / 86400))::integer end as days_left
    from account where id = ${actor.userId}`.execute(services.db);
  return {
    ...(row as Profile),
    ...describePublicKey(rows[0]?.public_key ?? null),
    admin_or_audit_orgs: await services.organizations.administered(actor.userId, actor.role),
    current_org_roles: actor.organizationRoles,
    guide_url: services.settings.get('USER_GUIDE_URL') || null,
    password_days_left: rows[0]?.days_left ?? null,
  };
}

/** The routes of the own account. */
export function mountProfile(app: FastifyInstance, services: ProfileServices): void {
  const { db, settings } = services;
  const url = '/api/v1/users/profile/';

  route(app, { method: 'GET', url, access: 'signed-in', summary: 'The own account.', answer: PROFILE, handler: (context) => profileOf(context, services) });

  route(app, {
    method: ['PUT', 'PATCH'],
    url,
    access: 'signed-in',
    summary: 'Change the own account.',
    bodyShape: OWN_BODY,
    answer: PROFILE,
    async handler(context) {
      const body = (context.request.body ?? {}) as Record<string, unknown>;
      // Everything else of an account is read-only here and may be sent back as it was read.
      const own = Object.fromEntries(Object.entries(body).filter(([name]) => name in OWN_FIELDS || !(name in user.fields)));
      const { values, problems } = parseBody(
        { ...OWN_FIELDS, public_key_comment: user.fields.created_by, public_key_hash_md5: user.fields.created_by },
        own,
        'change',
      );
      const keyProblem = values.public_key ? ownKeyProblem(String(values.public_key), services.settings) : undefined;
      if (keyProblem) problems.public_key = [keyProblem];
      if (Object.keys(problems).length > 0) throw new Invalid(problems);
      await checkLevel(values, context);
      const changes = Object.entries(values).filter(([name, value]) => name !== 'public_key' || value !== '');
      if (changes.some(([name]) => name === 'public_key')) assertSignedIn(context);
      if (changes.length > 0) {
        await db.transaction().execute(async (tx) => {
          const { rows } = await sql<
            Record<string, unknown>
          >`select to_jsonb(t) as before from account t where id = ${context.actor.userId} for update`.execute(tx);
          const before = (rows[0]?.before ?? {}) as Record<string, unknown>;
          const changed = changes.filter(([name, value]) => name === 'public_key' || (before[name] ?? '') !== (value ?? ''));
          if (changed.length === 0) return;
          const assignments = sql.join(changes.map(([name, value]) => sql`${sql.ref(name)} = ${value}`));
          await sql`update account set ${assignments} where id = ${context.actor.userId}`.execute(tx);
          await services.audit(tx, context, {
            action: 'update',
            resourceType: 'user',
            resource: `${context.actor.name}(${context.actor.username})`,
            resourceId: context.actor.userId,
            changes: Object.fromEntries(
              changed.map(([name, value]) => [name, name === 'public_key' ? ['******', '******'] : [before[name] ?? null, value]] as const),
            ),
          });
        });
      }
      return profileOf(context, services);
    },
  });

  /** People switch the second factor on for their next sign-in, and off while they have none yet; what is forced stays. */
  async function checkLevel(values: Record<string, unknown>, context: Context): Promise<void> {
    if (values.mfa_level === undefined) return;
    const { userId } = context.actor;
    const { rows } = await sql<{ mfa_level: number }>`select mfa_level from account where id = ${userId}`.execute(db);
    const now = rows[0]?.mfa_level;
    if (values.mfa_level === now) {
      delete values.mfa_level;
      return;
    }
    assertSignedIn(context);
    if (values.mfa_level === 2 || now === 2) throw invalid('mfa_level', 'object_protected');
    if (values.mfa_level === 0 && hasFactor(await services.factors.summary(userId))) throw invalid('mfa_level', 'mfa_remove_first');
  }

  const password = (en: string, zh: string) => ({ ...secret({ label: { en, zh }, max: 128 }), required: true });
  const PASSWORDS: Fields = {
    old_password: password('Old password', '原密码'),
    new_password: password('New password', '新密码'),
    new_password_again: password('New password again', '确认新密码'),
  };
  route(app, {
    method: ['PUT', 'PATCH'],
    url: `${url}password/`,
    access: 'signed-in',
    summary: 'Change the own password; every other sign-in ends.',
    body: PASSWORDS,
    answer: NOTHING,
    async handler(context) {
      assertSignedIn(context);
      const values = readBody(context);
      const { actor } = context;
      const { rows } = await sql<{ source: string }>`select source from account where id = ${actor.userId}`.execute(db);
      const source = rows[0]?.source ?? '';
      if (source !== 'local') throw new Refusal(400, 'not_local', { source }, { error: 'not_local' });
      const problems: Record<string, Problem[]> = {};
      await services.signIns.confirmPassword(actor, String(values.old_password), 'old_password').catch((error: unknown) => {
        if (!(error instanceof Invalid)) throw error;
        Object.assign(problems, error.problems);
      });
      const problem = passwordProblem(String(values.new_password), settings, context.language);
      if (problem) problems.new_password = [problem];
      else if (values.new_password === values.old_password) problems.new_password = [{ code: 'password_same' }];
      if (values.new_password !== values.new_password_again) problems.new_password_again = [{ code: 'password_mismatch' }];
      if (Object.keys(problems).length > 0) throw new Invalid(problems);
      const hashed = await hashPassword(String(values.new_password));
      await db.transaction().execute(async (tx) => {
        await sql`update account set password = ${hashed}, date_password_last_updated = now() where id = ${actor.userId} and source = 'local'`.execute(tx);
        await endOtherSignIns(tx, actor.userId, actor.session.id);
        await writePasswordChange(tx, context, actor.userId);
        await services.audit(tx, context, {
          action: 'update',
          resourceType: 'user',
          resource: `${actor.name}(${actor.username})`,
          resourceId: actor.userId,
          changes: { password: ['******', '******'] },
        });
      });
      return {};
    },
  });
}
