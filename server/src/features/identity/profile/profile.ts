import { type Problem, type Profile, user, type Watermark } from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import type { Authenticator } from '../../../http/route.ts';
import { type Actor, DEFAULT_ORGANIZATION, displayName } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { describePublicKey, userKeyProblem } from '../../../platform/ssh-keys.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import type { OrganizationService } from '../../orgs/index.ts';
import { policyActor } from '../accounts/account-facts.ts';
import { profileFactsOf } from '../accounts/store.ts';
import type { SecondFactors } from '../mfa/second-factors.ts';
import { ownChanges } from '../policy.ts';
import type { SignInService } from '../sign-in/types.ts';

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

/** Returns the caller's account with roles and organizations (conformance 7.4). */
export async function profileOf(context: Context, services: ProfileServices): Promise<Profile> {
  const { actor } = context;
  // Users see their account in every organization, even without membership. Roles and groups come
  // from the current organization, or from the default one without membership.
  const readRow = async () => {
    const roles = await services.organizations.rolesIn(actor.organization.id, actor.userId);
    const organization = roles.length > 0 ? actor.organization : DEFAULT_ORGANIZATION;
    return engineOf(services.engines, user).reader.retrieve(actor.userId, {
      ...context,
      actor: { ...actor, organization },
    });
  };
  const passwordDays = services.settings.get('SECURITY_PASSWORD_EXPIRATION_TIME');
  const [row, { publicKey, daysLeft, signInsLeft }, administered] = await Promise.all([
    readRow(),
    profileFactsOf(actor.userId, passwordDays, services.db),
    services.organizations.administered(actor.userId, actor.role),
  ]);
  return {
    ...(row as Profile),
    ...describePublicKey(publicKey),
    admin_or_audit_orgs: administered,
    current_org_roles: actor.organizationRoles,
    guide_url: services.settings.get('USER_GUIDE_URL') || null,
    password_days_left: daysLeft,
    password_sign_ins_left: signInsLeft,
    watermark: watermarkOf(actor, services.settings),
    own_changes: ownChanges(policyActor(context), {
      source: String(row.source),
      username: actor.username,
    }),
  };
}

/** Returns the watermark of a caller's screens, if the installation shows one. */
function watermarkOf(
  actor: Pick<Actor, 'name' | 'username' | 'remoteAddress'>,
  settings: Pick<SettingsService, 'get'>,
): Watermark | null {
  const strength = settings.get('WATERMARK');
  return strength === 'off'
    ? null
    : { text: `${displayName(actor)} ${actor.remoteAddress}`, strength };
}

/**
 * Returns why a user may not use a public key: the settings disable keys, or the line is invalid.
 */
export function ownKeyProblem(
  line: string,
  settings: Pick<SettingsService, 'get'>,
): Problem | undefined {
  return settings.get('TERMINAL_PUBLIC_KEY_AUTH')
    ? userKeyProblem(line)
    : { code: 'public_key_off' };
}
