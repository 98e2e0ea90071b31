import {
  boolean,
  type Fields,
  type Problem,
  type Profile,
  parseBody,
  readableFields,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { route } from '../../../http/route.ts';
import { DEFAULT_ORGANIZATION } from '../../../platform/actor.ts';
import { transact } from '../../../platform/db/retry.ts';
import { Invalid, invalid } from '../../../platform/errors.ts';
import { describePublicKey } from '../../../platform/ssh-keys.ts';
import { engineOf } from '../../../resources/engines.ts';
import { factsOf, policyActor } from '../accounts/account-facts.ts';
import { assertEmailIsFree } from '../accounts/email.ts';
import {
  confirmedFactsOf,
  lockAccount,
  mfaLevelOf,
  profileFactsOf,
  updateAccount,
} from '../accounts/store.ts';
import { assertConfirmed } from '../mfa/confirmed.ts';
import { hasFactor } from '../mfa/second-factors.ts';
import { needsConfirmation, ownChanges } from '../policy.ts';
import { assertSignedIn } from '../sign-in-sessions/signed-in.ts';
import { OWN_BODY, PROFILE } from '../wire-shapes.ts';
import { mountOwnPassword } from './password-routes.ts';
import { ownKeyProblem } from './public-key.ts';
import type { ProfileServices } from './services.ts';

/** Fields that every user may change on the own account (conformance 2.40). */
const OWN_FIELDS: Fields = {
  wechat: user.fields.wechat,
  phone: user.fields.phone,
  comment: user.fields.comment,
  public_key: user.fields.public_key,
  mfa_level: user.fields.mfa_level,
  is_first_login: boolean({ label: user.fields.is_first_login.label, required: false }),
};

/**
 * Fields that administrators change here after a confirmation. For others they are read-only, and
 * unchanged values are accepted.
 */
const CONFIRMED_FIELDS: Fields = {
  name: user.fields.name,
  email: user.fields.email,
  date_expired: user.fields.date_expired,
};

/** Members that the profile adds to an account. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'admin_or_audit_orgs',
  'current_org_roles',
  'guide_url',
  'password_days_left',
  'own_changes',
]);

/** Form of the own account in OPTIONS: all readable fields, with the writable ones marked. */
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

/** Returns the caller's account with roles and organizations (conformance 7.4). */
export async function profileOf(context: Context, services: ProfileServices): Promise<Profile> {
  const { actor } = context;
  // Users see their account in every organization, even without membership. Roles and groups come
  // from the current organization, or from the default one without membership.
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

/** Returns true if the values are equal; dates lose their fraction of a second on the wire. */
function isSame(before: unknown, value: unknown): boolean {
  if (value instanceof Date) {
    const stored = before instanceof Date ? before : new Date(String(before));
    return Math.abs(stored.getTime() - value.getTime()) < 1_000;
  }
  return (before ?? '') === (value ?? '');
}

/** Routes of the own account. */
export function mountProfile(app: FastifyInstance, services: ProfileServices): void {
  const { db } = services;
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
      // Other fields are read-only here; their unchanged values are accepted.
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

  /** Returns the fields that this caller may change after a confirmation. */
  async function confirmedFields(context: Context): Promise<Fields> {
    const target = await factsOf(context.actor.userId, db);
    const names: readonly string[] = target ? ownChanges(policyActor(context), target) : [];
    return Object.fromEntries(
      Object.entries(CONFIRMED_FIELDS).filter(([name]) => names.includes(name)),
    );
  }

  /**
   * Requires a confirmation if such a field changes.
   * @throws Forbidden, Invalid
   */
  async function confirm(
    changes: readonly (readonly [string, unknown])[],
    context: Context,
  ): Promise<void> {
    const sensitive = changes.filter(([name]) => needsConfirmation(name));
    if (sensitive.length === 0) return;
    const stored = await confirmedFactsOf(context.actor.userId, db);
    if (sensitive.every(([name, value]) => isSame(stored[name], value))) return;
    await assertConfirmed(
      context,
      (context.request.body as Record<string, unknown>).password,
      services,
    );
  }

  /**
   * Users may switch the second factor on for their next sign-in, and off while they have none. A
   * mandatory factor stays.
   */
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

  mountOwnPassword(app, services);
}
