import { type Duty, type Profile, type PublicSettings, Role } from '@sallyport/contract';
import type { Organization } from '../../kit/cookies.ts';
import { preferredOrganization } from '../base/organizations.ts';
import { type Parts, partsOf } from '../base/parts.ts';
import { chooseRole } from '../base/role.ts';
import { isAllowed, matches, type Screen, screenOf } from '../base/screen.ts';
import type { ConsoleSession } from '../base/session.tsx';

/** The sign-in page, a separate document. */
export const LOGIN_PATH = '/login';
export const FIRST_LOGIN_PATH = '/users/first-login/personal-information-improvement';
/** Milliseconds before leaving, so that an error message of the request layer remains visible. */
export const SIGN_IN_DELAY = 100;

/** External dependencies of the guard; `guard-environment.ts` implements them. */
export interface GuardEnvironment {
  readonly screens: readonly Screen[];
  readonly parts: readonly Parts[];
  readonly path: string;
  setTitle(screen: Screen | undefined): void;
  hasCsrfCookie(): boolean;
  loadProfile(): Promise<Profile>;
  rememberedOrganization(): Organization | undefined;
  rememberOrganization(organization: Organization): void;
  rememberedRole(): number;
  rememberRole(role: number): void;
  loadPublicSettings(): Promise<PublicSettings>;
  limitToDuty(duty: Duty, session: ConsoleSession): Promise<ConsoleSession>;
  /** True if the failure means “not signed in”; false for an unreachable server. */
  isRefusal(error: unknown): boolean;
}

export type GuardResult =
  | { readonly kind: 'ready'; readonly session: ConsoleSession; readonly redirect?: string }
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'failed'; readonly error: Error };

const failed = (error: unknown): GuardResult => ({
  kind: 'failed',
  error: error instanceof Error ? error : new Error(String(error)),
});

/** The navigation guard (conformance 2.52 to 2.60) runs nine steps in order, once per page load. */
export async function runGuard(environment: GuardEnvironment): Promise<GuardResult> {
  // 1. Set the title of the requested page.
  environment.setTitle(screenOf(environment.screens, environment.path));

  // The sign-in page skips the checks.
  if (matches(LOGIN_PATH, environment.path)) return { kind: 'sign-in' };

  // 2. Without the CSRF cookie, the browser never opened the sign-in page.
  if (!environment.hasCsrfCookie()) return { kind: 'sign-in' };

  // 3. Load the profile. Request the settings of step 7 at the same time to save a round trip.
  const requestedFor = environment.rememberedOrganization();
  const requested = environment.loadProfile();
  const publicSettings = environment.loadPublicSettings();
  publicSettings.catch(() => undefined);
  let profile: Profile;
  try {
    profile = await requested;
  } catch (error) {
    return environment.isRefusal(error) ? { kind: 'sign-in' } : failed(error);
  }

  try {
    // 4. Take the organizations that the user administers or audits.
    const organizations = profile.admin_or_audit_orgs;

    // 5. Without a current own organization, use the preferred one. Roles depend on the
    // organization. If another tab changed it since the profile request, the guard requests the
    // profile again.
    const remembered = environment.rememberedOrganization();
    const organization =
      organizations.find(({ id }) => id === remembered?.id) ?? preferredOrganization(organizations);
    if (organization && organization.id !== requestedFor?.id) {
      environment.rememberOrganization(organization);
      profile = await environment.loadProfile();
    }

    // 6. Determine the roles and the current one. Only an explicitly chosen user role keeps
    // administrators out of the admin area.
    const rememberedRole = environment.rememberedRole();
    const role = chooseRole(profile, rememberedRole);
    const isUnchosenUserRole =
      role.current === Role.User && rememberedRole !== Role.User && organizations.length > 0;
    if (!isUnchosenUserRole) environment.rememberRole(role.current);

    // 7. Wait for the settings of the installation.
    const settings = await publicSettings;

    // 8. Select the screens for this role and installation.
    const screens = environment.screens.filter((screen) =>
      isAllowed(screen, role.current, settings),
    );

    const parts = partsOf(environment.parts, settings);

    // 9. At the first sign-in, users complete their profile.
    const redirect = profile.is_first_login ? FIRST_LOGIN_PATH : undefined;
    const session = { profile, organizations, organization, role, settings, screens, parts };
    return {
      kind: 'ready',
      session: profile.duty ? await environment.limitToDuty(profile.duty, session) : session,
      ...(redirect && { redirect }),
    };
  } catch (error) {
    return environment.isRefusal(error) ? { kind: 'sign-in' } : failed(error);
  }
}
