import { Permission, type Profile, type PublicSettings, Role } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import type { Screen } from '../base/screen.ts';
import { sessionOfDuty } from './duty-session.ts';
import { FIRST_LOGIN_PATH, type GuardEnvironment, runGuard } from './guard.ts';

const title = { en: 'x', zh: 'x' };
const screens: Screen[] = [
  { name: 'dashboard', path: '/dashboard', title, permissions: Permission.AUDIT },
  { name: 'users', path: '/users/users', title },
  {
    name: 'platforms',
    path: '/assets/platforms',
    title,
    permissions: Permission.SUPER,
  },
  {
    name: 'platform form',
    path: '/assets/platforms/create',
    title,
    permissions: Permission.SUPER | Permission.ADMIN,
  },
  { name: 'mine', path: '/', title, permissions: Permission.USE },
  {
    name: 'batch',
    path: '/batch',
    title,
    permissions: Permission.USE,
    commandExecutionRequired: true,
  },
  { name: 'remote', path: '/remote', title, permissions: Permission.USE, licenseRequired: true },
  { name: 'profile', path: '/users/profile', title, constant: true },
];

const defaultOrganization = { id: 'DEFAULT', name: 'DEFAULT' };
const admin = {
  role: 'Admin',
  current_org_roles: ['Admin'],
  admin_or_audit_orgs: [defaultOrganization],
  is_first_login: false,
};
const user = {
  role: 'User',
  current_org_roles: ['User'],
  admin_or_audit_orgs: [],
  is_first_login: false,
};
const publicSettings = { SECURITY_COMMAND_EXECUTION: false, XPACK_LICENSE_IS_VALID: false };

class Refusal extends Error {}

/** An environment that records the guard's calls, in order. */
function browser(
  overrides: Partial<GuardEnvironment> & { profile?: object; settings?: object } = {},
) {
  const steps: string[] = [];
  const environment: GuardEnvironment = {
    screens,
    parts: [{ feature: 'emergency' }, { feature: 'cloud' }],
    path: '/users/users',
    setTitle: (screen) => void steps.push(`title ${screen?.name}`),
    hasCsrfCookie: () => {
      steps.push('csrf');
      return true;
    },
    loadProfile: async () => {
      steps.push('profile');
      return (overrides.profile ?? admin) as Profile;
    },
    rememberedOrganization: () => defaultOrganization,
    rememberOrganization: (organization) => void steps.push(`organization ${organization.id}`),
    rememberedRole: () => 0,
    rememberRole: (role) => void steps.push(`role ${role}`),
    loadPublicSettings: async () => {
      steps.push('settings');
      return (overrides.settings ?? publicSettings) as PublicSettings;
    },
    limitToDuty: async (duty, session) => sessionOfDuty(duty, session),
    isRefusal: (error) => error instanceof Refusal,
    ...overrides,
  };
  return { environment, steps };
}

const names = (result: Awaited<ReturnType<typeof runGuard>>) =>
  result.kind === 'ready' ? result.session.screens.map(({ name }) => name) : result.kind;

describe('the navigation guard', () => {
  it('runs its steps in order', async () => {
    const { environment, steps } = browser();
    await runGuard(environment);
    expect(steps).toEqual([
      'title users',
      'csrf',
      'profile',
      'settings',
      `role ${Role.SuperAdmin}`,
    ]);
  });

  it('redirects to the sign-in page without the CSRF cookie, before any request', async () => {
    const { environment, steps } = browser({ hasCsrfCookie: () => false });
    expect(await runGuard(environment)).toEqual({ kind: 'sign-in' });
    expect(steps).toEqual(['title users']);
  });

  it.each(['/login', '/login/'])(
    'redirects %s to the sign-in page without checks',
    async (path) => {
      const { environment, steps } = browser({ path });
      expect(await runGuard(environment)).toEqual({ kind: 'sign-in' });
      expect(steps).toEqual(['title undefined']);
    },
  );

  it('redirects to the sign-in page when the server rejects the profile request', async () => {
    const { environment } = browser({ loadProfile: () => Promise.reject(new Refusal()) });
    expect(await runGuard(environment)).toEqual({ kind: 'sign-in' });
  });

  it('reports an unreachable server instead of redirecting to the sign-in page', async () => {
    const { environment } = browser({ loadProfile: () => Promise.reject(new Error('down')) });
    expect(await runGuard(environment)).toMatchObject({
      kind: 'failed',
      error: { message: 'down' },
    });
  });

  it('reports an error when computing the screens fails', async () => {
    const broken = {
      ...screens[0],
      get permissions(): number {
        throw new Error('a screen is broken');
      },
    } as Screen;
    const { environment } = browser({ screens: [broken] });
    expect(await runGuard(environment)).toMatchObject({
      kind: 'failed',
      error: { message: 'a screen is broken' },
    });
  });

  it('switches to an own organization when the remembered one is foreign, and requests the roles there', async () => {
    const { environment, steps } = browser({
      rememberedOrganization: () => ({ id: 'other', name: 'other' }),
    });
    const result = await runGuard(environment);
    expect(steps).toEqual([
      'title users',
      'csrf',
      'profile',
      'settings',
      'organization DEFAULT',
      'profile',
      `role ${Role.SuperAdmin}`,
    ]);
    expect(result).toMatchObject({ session: { organization: defaultOrganization } });
  });

  it('takes the admin role of the organization in both of two pages that open at the same moment', async () => {
    const acme = { id: 'acme', name: 'Acme' };
    const jar: { organization?: { id: string; name: string }; role: number } = { role: 0 };
    const waiting: (() => void)[] = [];
    /**
     * One of two pages with shared cookies. The test releases answers, each with the roles of its
     * organization.
     */
    const page = () => {
      const overrides: Partial<GuardEnvironment> = {
        rememberedOrganization: () => jar.organization,
        rememberOrganization: (organization) => {
          jar.organization = organization;
        },
        rememberedRole: () => jar.role,
        rememberRole: (role) => {
          jar.role = role;
        },
        loadProfile: async () => {
          const requestedFor = jar.organization;
          await new Promise<void>((resolve) => waiting.push(resolve));
          return {
            ...user,
            admin_or_audit_orgs: [acme],
            current_org_roles: requestedFor ? ['Admin'] : ['User'],
          } as unknown as Profile;
        },
      };
      return runGuard(browser(overrides).environment);
    };
    const [first, second] = [page(), page()];
    const answer = async () => {
      waiting.shift()?.();
      await new Promise((resolve) => setTimeout(resolve));
    };
    // The first page has its organization before the second page receives an answer.
    for (let answers = 0; answers < 4; answers++) await answer();
    const results = await Promise.all([first, second]);
    expect(
      results.map((result) =>
        result.kind === 'ready'
          ? [result.session.organization, result.session.role.current]
          : result,
      ),
    ).toEqual([
      [acme, Role.OrgAdmin],
      [acme, Role.OrgAdmin],
    ]);
    expect(jar.role).toBe(Role.OrgAdmin);
  });

  it('stores the user role of an administrator only when the administrator chose it', async () => {
    const member = { ...user, admin_or_audit_orgs: [{ id: 'acme', name: 'Acme' }] };
    const rememberedOrganization = () => ({ id: 'acme', name: 'Acme' });
    const unchosen = browser({ profile: member, rememberedOrganization });
    await runGuard(unchosen.environment);
    expect(unchosen.steps.filter((step) => step.startsWith('role'))).toEqual([]);
    const chosen = browser({
      profile: member,
      rememberedOrganization,
      rememberedRole: () => Role.User,
    });
    await runGuard(chosen.environment);
    expect(chosen.steps).toContain(`role ${Role.User}`);
  });

  it('keeps the organization of the cookie for users who administer none', async () => {
    const { environment, steps } = browser({
      profile: user,
      rememberedOrganization: () => undefined,
    });
    await runGuard(environment);
    expect(steps).not.toContain('organization DEFAULT');
  });

  it.each([
    ['a super admin', admin, 0, ['dashboard', 'users', 'platforms', 'platform form', 'profile']],
    ['a super admin on the user page', admin, Role.User, ['mine', 'profile']],
    [
      'an organization admin',
      { ...user, current_org_roles: ['Admin'], admin_or_audit_orgs: [defaultOrganization] },
      0,
      ['dashboard', 'users', 'profile'],
    ],
    [
      'a super auditor',
      {
        ...user,
        role: 'Auditor',
        current_org_roles: ['Auditor'],
        admin_or_audit_orgs: [defaultOrganization],
      },
      0,
      ['dashboard', 'platforms', 'profile'],
    ],
    [
      'an organization auditor',
      { ...user, current_org_roles: ['Auditor'], admin_or_audit_orgs: [defaultOrganization] },
      0,
      ['dashboard', 'profile'],
    ],
    ['a user', user, 0, ['mine', 'profile']],
    ['a user with a forged role cookie', user, Role.SuperAdmin, ['mine', 'profile']],
  ])('gives %s exactly the screens of the role', async (_who, profile, remembered, expected) => {
    const { environment } = browser({ profile, rememberedRole: () => remembered });
    expect(names(await runGuard(environment))).toEqual(expected);
  });

  it('shows the screens that the settings allow', async () => {
    const { environment } = browser({
      profile: user,
      settings: { SECURITY_COMMAND_EXECUTION: true, XPACK_LICENSE_IS_VALID: true },
    });
    expect(names(await runGuard(environment))).toEqual(['mine', 'batch', 'remote', 'profile']);
  });

  it('leaves out the parts of features that are off', async () => {
    const partsWith = async (settings: object) => {
      const result = await runGuard(browser({ settings }).environment);
      return result.kind === 'ready' && result.session.parts.map(({ feature }) => feature);
    };
    expect(await partsWith({})).toEqual(['emergency', 'cloud']);
    expect(await partsWith({ FEATURES_OFF: ['emergency', 'saml'] })).toEqual(['cloud']);
  });

  it('redirects users to their profile at the first sign-in', async () => {
    const { environment } = browser({ profile: { ...admin, is_first_login: true } });
    expect(await runGuard(environment)).toMatchObject({
      kind: 'ready',
      redirect: FIRST_LOGIN_PATH,
    });
  });
});
