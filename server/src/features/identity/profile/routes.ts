import {
  boolean,
  type Fields,
  type Problem,
  type Profile,
  parseBody,
  readableFields,
  secret,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { type Authenticator, readBody, route } from '../../../http/route.ts';
import { DEFAULT_ORGANIZATION } from '../../../platform/actor.ts';
import { hashPassword } from '../../../platform/crypto/password.ts';
import type { Db } from '../../../platform/db/database.ts';
import { transact } from '../../../platform/db/retry.ts';
import { Invalid, invalid, Rejected } from '../../../platform/errors.ts';
import { describePublicKey } from '../../../platform/ssh-keys.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { writePasswordChange } from '../../audits/password-change-log.ts';
import type { OrganizationService } from '../../orgs/service.ts';
import type { SettingsService } from '../../settings/service.ts';
import { factsOf, policyActor } from '../accounts/account-facts.ts';
import { assertEmailIsFree } from '../accounts/email.ts';
import {
  confirmedFactsOf,
  lockAccount,
  mfaLevelOf,
  profileFactsOf,
  setPassword,
  sourceOf,
  updateAccount,
} from '../accounts/store.ts';
import { assertConfirmed } from '../mfa/confirmed.ts';
import { hasFactor, type SecondFactors } from '../mfa/second-factors.ts';
import { passwordProblem } from '../password/rules.ts';
import { needsConfirmation, ownChanges } from '../policy.ts';
import type { SignInService } from '../sign-in/types.ts';
import { assertSignedIn } from '../sign-in-sessions/signed-in.ts';
import { endAllAccess, endedKeys } from '../sign-in-sessions/store.ts';
import { NOTHING, OWN_BODY, PROFILE } from '../wire-shapes.ts';
import { ownKeyProblem } from './public-key.ts';

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

/** What every user may change of their own account (conformance 2.40). */
const OWN_FIELDS: Fields = {
  wechat: user.fields.wechat,
  phone: user.fields.phone,
  comment: user.fields.comment,
  public_key: user.fields.public_key,
  mfa_level: user.fields.mfa_level,
  is_first_login: boolean({ label: user.fields.is_first_login.label, required: false }),
};

/** What administrators change of the own account here, with the password or a second factor; for others it is read-only and may be sent back as it was read. */
const CONFIRMED_FIELDS: Fields = {
  name: user.fields.name,
  email: user.fields.email,
  date_expired: user.fields.date_expired,
};

/** What the profile adds to an account. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'admin_or_audit_orgs',
  'current_org_roles',
  'guide_url',
  'password_days_left',
  'own_changes',
]);

/** The form of the own account in OPTIONS: everything that is shown, and what of it may be changed. */
const PROFILE_FORM: Fields = {
  ...Object.fromEntries(
    readableFields(user, true).map(([name, field]) => [
      name,
      { ...field, mode: 'readonly' as const },
    ]),
  ),
  ...OWN_FIELDS,
  ...CONFIRMED_FIELDS,
};

/** The caller's own account with roles and organizations (conformance 7.4). */
export async function profileOf(context: Context, services: ProfileServices): Promise<Profile> {
  const { actor } = context;
  // One's own account is visible from everywhere, also from an organization one is no member of; roles and groups are those of where one is.
  const isMember =
    (await services.organizations.rolesIn(actor.organization.id, actor.userId)).length > 0;
  const organization = isMember ? actor.organization : DEFAULT_ORGANIZATION;
  const row = await engineOf(services.engines, user).reader.retrieve(actor.userId, {
    ...context,
    actor: { ...actor, organization },
  });
  const passwordDays = services.settings.get('SECURITY_PASSWORD_EXPIRATION_TIME');
  const { publicKey, daysLeft } = await profileFactsOf(actor.userId, passwordDays, services.db);
  return {
    ...(row as Profile),
    ...describePublicKey(publicKey),
    admin_or_audit_orgs: await services.organizations.administered(actor.userId, actor.role),
    current_org_roles: actor.organizationRoles,
    guide_url: services.settings.get('USER_GUIDE_URL') || null,
    password_days_left: daysLeft,
    own_changes: ownChanges(policyActor(context), {
      source: String(row.source),
      username: actor.username,
    }),
  };
}

/** Whether a stored value is what was sent; dates travel without their fractions of a second. */
function isSame(before: unknown, value: unknown): boolean {
  if (value instanceof Date) {
    const stored = before instanceof Date ? before : new Date(String(before));
    return Math.abs(stored.getTime() - value.getTime()) < 1_000;
  }
  return (before ?? '') === (value ?? '');
}

/** The routes of the own account. */
export function mountProfile(app: FastifyInstance, services: ProfileServices): void {
  const { db, settings } = services;
  const url = '/api/v1/users/profile/';

  route(app, {
    method: 'GET',
    url,
    access: 'signed-in',
    summary: 'The own account.',
    answer: PROFILE,
    handler: (context) => profileOf(context, services),
  });

  route(app, {
    method: ['PUT', 'PATCH'],
    url,
    access: 'signed-in',
    summary: 'Change the own account.',
    bodyShape: OWN_BODY,
    form: PROFILE_FORM,
    answer: PROFILE,
    async handler(context) {
      const body = (context.request.body ?? {}) as Record<string, unknown>;
      const confirmed = await confirmedFields(context);
      const fields = { ...OWN_FIELDS, ...confirmed };
      // Everything else of an account is read-only here and may be sent back as it was read.
      const own = Object.fromEntries(
        Object.entries(body).filter(
          ([name]) => name in fields || !(name in user.fields || READ_ONLY.has(name)),
        ),
      );
      const parsed = parseBody(
        {
          ...fields,
          public_key_comment: user.fields.created_by,
          public_key_hash_md5: user.fields.created_by,
        },
        own,
        'change',
        {
          zone: context.zone,
        },
      );
      const { values } = parsed;
      const problems: Record<string, readonly Problem[]> = parsed.problems;
      if (typeof values.public_key === 'string') values.public_key = values.public_key.trim();
      const keyProblem = values.public_key
        ? ownKeyProblem(String(values.public_key), services.settings)
        : undefined;
      if (keyProblem) problems.public_key = [keyProblem];
      if (Object.keys(problems).length > 0) throw new Invalid(problems);
      await checkLevel(values, context);
      const changes = Object.entries(values).filter(
        ([name, value]) => name !== 'public_key' || value !== '',
      );
      await confirm(changes, context);
      if (changes.length > 0) {
        await transact(db, async (tx) => {
          const before = await lockAccount(context.actor.userId, tx);
          const changed = changes.filter(
            ([name, value]) => name === 'public_key' || !isSame(before[name], value),
          );
          if (changed.length === 0) return;
          if (changed.some(([name]) => name === 'email'))
            await assertEmailIsFree(String(values.email), context.actor.userId, tx);
          await updateAccount(context.actor.userId, changes, tx);
          await services.audit(tx, context, {
            action: 'update',
            resourceType: 'user',
            resource: `${context.actor.name}(${context.actor.username})`,
            resourceId: context.actor.userId,
            changes: Object.fromEntries(
              changed.map(
                ([name, value]) =>
                  [
                    name,
                    name === 'public_key' ? ['******', '******'] : [before[name] ?? null, value],
                  ] as const,
              ),
            ),
          });
        });
      }
      return profileOf(context, services);
    },
  });

  /** The fields that this caller may change after a confirmation. */
  async function confirmedFields(context: Context): Promise<Fields> {
    const target = await factsOf(context.actor.userId, db);
    const names: readonly string[] = target ? ownChanges(policyActor(context), target) : [];
    return Object.fromEntries(
      Object.entries(CONFIRMED_FIELDS).filter(([name]) => names.includes(name)),
    );
  }

  /** Asks for the password or a second factor when one of those fields would become another. @throws Refusal, Invalid */
  async function confirm(
    changes: readonly (readonly [string, unknown])[],
    context: Context,
  ): Promise<void> {
    const wanted = changes.filter(([name]) => needsConfirmation(name));
    if (wanted.length === 0) return;
    const stored = await confirmedFactsOf(context.actor.userId, db);
    if (wanted.every(([name, value]) => isSame(stored[name], value))) return;
    await assertConfirmed(
      context,
      (context.request.body as Record<string, unknown>).password,
      services,
    );
  }

  /** People switch the second factor on for their next sign-in, and off while they have none yet; what is forced stays. */
  async function checkLevel(values: Record<string, unknown>, context: Context): Promise<void> {
    if (values.mfa_level === undefined) return;
    const { userId } = context.actor;
    const now = await mfaLevelOf(userId, db);
    if (values.mfa_level === now) {
      delete values.mfa_level;
      return;
    }
    assertSignedIn(context);
    if (values.mfa_level === 2 || now === 2) throw invalid('mfa_level', 'object_protected');
    if (values.mfa_level === 0 && hasFactor(await services.factors.summary(userId)))
      throw invalid('mfa_level', 'mfa_remove_first');
  }

  const password = (en: string, zh: string) => ({
    ...secret({ label: { en, zh }, max: 128 }),
    required: true,
  });
  const example = 'correct-Horse-7-battery';
  const PASSWORDS: Fields = {
    old_password: password('Old password', '原密码'),
    new_password: { ...password('New password', '新密码'), example },
    new_password_again: { ...password('New password again', '确认新密码'), example },
  };
  route(app, {
    method: 'GET',
    url: `${url}password/`,
    access: 'signed-in',
    summary: 'Nothing: a form for the own password begins empty.',
    answer: NOTHING,
    handler: () => ({}),
  });
  route(app, {
    method: ['PUT', 'PATCH'],
    url: `${url}password/`,
    access: 'signed-in',
    summary: 'Change the own password; every other sign-in and every access key ends.',
    body: PASSWORDS,
    answer: NOTHING,
    async handler(context) {
      assertSignedIn(context);
      const values = readBody(context);
      const { actor } = context;
      const source = await sourceOf(actor.userId, db);
      if (source !== 'local') throw new Rejected('not_local', { source });
      const problems: Record<string, Problem[]> = {};
      await services.signIns
        .confirmPassword(actor, String(values.old_password), 'old_password')
        .catch((error: unknown) => {
          if (!(error instanceof Invalid)) throw error;
          Object.assign(problems, error.problems);
        });
      const problem = passwordProblem(String(values.new_password), settings, context.language);
      if (problem) problems.new_password = [problem];
      else if (values.new_password === values.old_password)
        problems.new_password = [{ code: 'password_same' }];
      if (values.new_password !== values.new_password_again)
        problems.new_password_again = [{ code: 'password_mismatch' }];
      if (Object.keys(problems).length > 0) throw new Invalid(problems);
      const hashed = await hashPassword(String(values.new_password));
      await transact(db, async (tx) => {
        await setPassword(actor.userId, hashed, tx);
        const ended = await endAllAccess(tx, actor.userId, actor.session.id);
        await writePasswordChange(tx, context, actor.userId);
        await services.audit(tx, context, {
          action: 'update',
          resourceType: 'user',
          resource: `${actor.name}(${actor.username})`,
          resourceId: actor.userId,
          changes: { password: ['******', '******'], ...endedKeys(ended) },
        });
      });
      return {};
    },
  });
}
