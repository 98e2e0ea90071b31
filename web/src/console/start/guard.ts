import { type Profile, type PublicSettings, Role } from '@sallyport/contract';
import type { Organization } from '../../kit/organization.ts';
import { preferredOrganization } from '../base/organizations.ts';
import { chooseRole } from '../base/role.ts';
import { isAllowed, matches, type Screen, screenOf } from '../base/screen.ts';
import type { ConsoleSession } from '../base/session.tsx';

/** Leads to the sign-in page, which is outside of the console. */
export const LOGIN_PATH = '/login';
export const FIRST_LOGIN_PATH = '/users/first-login/personal-information-improvement';
/** A moment, so that a message of the request layer can still be seen before the page goes away. */
export const SIGN_IN_DELAY = 100;

/** What the guard needs from the outside; the real ones are in `guard-environment.ts`. */
export interface GuardEnvironment {
  readonly screens: readonly Screen[];
  readonly path: string;
  setTitle(screen: Screen | undefined): void;
  hasCsrfCookie(): boolean;
  loadProfile(): Promise<Profile>;
  rememberedOrganization(): Organization | undefined;
  rememberOrganization(organization: Organization): void;
  rememberedRole(): number;
  rememberRole(role: number): void;
  loadPublicSettings(): Promise<PublicSettings>;
  /** Whether a failure means that nobody is signed in, and not that the server is out of reach. */
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

/** The navigation guard (conformance 2.52 to 2.60): nine steps, in this order, once per page load. */
export async function runGuard(environment: GuardEnvironment): Promise<GuardResult> {
  // 1. The title of the page that was asked for.
  environment.setTitle(screenOf(environment.screens, environment.path));

  // The sign-in page skips the checks.
  if (matches(LOGIN_PATH, environment.path)) return { kind: 'sign-in' };

  // 2. Without the csrf cookie nobody has been at the sign-in page yet.
  if (!environment.hasCsrfCookie()) return { kind: 'sign-in' };

  // 3. Who is here? What step 7 needs is asked for in the same moment, so that the page waits for one round and not for two.
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
    // 4. The organizations they administer or audit.
    const organizations = profile.admin_or_audit_orgs;

    // 5. Without a current organization of their own, people get the preferred one. Roles belong to an organization: when the chosen one is not the
    // one that the profile was requested for (another tab may choose first), the guard requests the profile again.
    const remembered = environment.rememberedOrganization();
    const organization =
      organizations.find(({ id }) => id === remembered?.id) ?? preferredOrganization(organizations);
    if (organization && organization.id !== requestedFor?.id) {
      environment.rememberOrganization(organization);
      profile = await environment.loadProfile();
    }

    // 6. The roles they may take, and the current one. Only a chosen user role keeps administrators out of the admin area.
    const rememberedRole = environment.rememberedRole();
    const role = chooseRole(profile, rememberedRole);
    const isUnchosenUserRole =
      role.current === Role.User && rememberedRole !== Role.User && organizations.length > 0;
    if (!isUnchosenUserRole) environment.rememberRole(role.current);

    // 7. What the installation allows.
    const settings = await publicSettings;

    // 8. The screens of this role in this installation.
    const screens = environment.screens.filter((screen) =>
      isAllowed(screen, role.current, settings),
    );

    // 9. Who is here for the first time completes their profile first.
    const redirect = profile.is_first_login ? FIRST_LOGIN_PATH : undefined;
    return {
      kind: 'ready',
      session: { profile, organizations, organization, role, settings, screens },
      ...(redirect && { redirect }),
    };
  } catch (error) {
    return environment.isRefusal(error) ? { kind: 'sign-in' } : failed(error);
  }
}
