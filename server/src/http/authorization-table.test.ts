import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset, buildSystemUser, buildUser } from '../testing/builders.ts';
import { buildCast, type Cast, ROLES, type RoleName } from '../testing/roles.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
let cast: Cast;
beforeAll(async () => {
  test = await startTestProgram();
  cast = await buildCast(test);
});
afterAll(() => test.stop());

/**
 * Written by hand from the specification, independent of the declarations.
 *
 * SCIM requests carry their own token, the OpenID provider signs its logout token, and old page
 * addresses only redirect.
 */
const PUBLIC = [
  'DELETE /api/v1/authentication/login-confirm-ticket/status/',
  'DELETE /k8s/:cluster/*',
  'DELETE /mcp',
  'DELETE /scim/v2/Groups/:id',
  'DELETE /scim/v2/Me',
  'DELETE /scim/v2/Users/:id',
  'GET /',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /api/docs/',
  'GET /api/docs/start.js',
  'GET /api/docs/swagger-ui-bundle.js',
  'GET /api/docs/swagger-ui.css',
  'GET /api/health/',
  'GET /api/v1/authentication/login-confirm-ticket/status/',
  'GET /api/v1/settings/public/',
  'GET /core/auth/cas/callback/',
  'GET /core/auth/cas/login/',
  'GET /core/auth/cas/logout/',
  'GET /core/auth/login/',
  'GET /core/auth/login/state/',
  'GET /core/auth/logout/',
  'GET /core/auth/openid/callback/',
  'GET /core/auth/openid/login/',
  'GET /core/auth/openid/logout/',
  'GET /core/auth/password/forgot/',
  'GET /core/auth/password/reset/',
  'GET /core/auth/profile/otp/disable/authentication/',
  'GET /core/auth/profile/otp/enable/start/',
  'GET /core/auth/profile/otp/update/',
  'GET /core/auth/profile/pubkey/generate/',
  'GET /core/auth/saml/finish/',
  'GET /core/auth/saml/login/',
  'GET /core/auth/saml/logout/',
  'GET /core/auth/saml/metadata/',
  'GET /core/auth/saml/sls/',
  'GET /core/auth/welcome/',
  'GET /core/console/',
  'GET /core/console/*',
  'GET /core/flower',
  'GET /core/ops/celery/task/:id/log/',
  'GET /download/sallyctl.mjs',
  'GET /download/sallyctl.mjs.sha256',
  'GET /favicon.svg',
  'GET /k8s/:cluster/*',
  'GET /koko/elfinder/sftp/',
  'GET /koko/elfinder/sftp/*',
  'GET /luna/',
  'GET /luna/*',
  'GET /luna/rdp/',
  'GET /luna/replay/*',
  'GET /mcp',
  'GET /oauth/authorize',
  'GET /scim/v2/Groups',
  'GET /scim/v2/Groups/:id',
  'GET /scim/v2/Me',
  'GET /scim/v2/ResourceTypes',
  'GET /scim/v2/ResourceTypes/:id',
  'GET /scim/v2/Schemas',
  'GET /scim/v2/Schemas/:id',
  'GET /scim/v2/ServiceProviderConfig',
  'GET /scim/v2/Users',
  'GET /scim/v2/Users/:id',
  'GET /static/app/*',
  'GET /static/interface/:file',
  'GET /ui/',
  'GET /ui/*',
  'GET /v4/core/auth/login/',
  'PATCH /k8s/:cluster/*',
  'PATCH /scim/v2/Groups/:id',
  'PATCH /scim/v2/Me',
  'PATCH /scim/v2/Users/:id',
  'POST /api/v1/assets/sites/join/',
  'POST /api/v1/authentication/auth/',
  'POST /api/v1/authentication/device/code/',
  'POST /api/v1/authentication/device/token/',
  'POST /api/v1/authentication/mfa/challenge/',
  'POST /api/v1/authentication/passkey-login/begin/',
  'POST /api/v1/authentication/passkey-login/finish/',
  'POST /api/v1/authentication/password/challenge/',
  'POST /api/v1/authentication/tokens/',
  'POST /core/auth/cas/callback/',
  'POST /core/auth/login/',
  'POST /core/auth/login/cancel/',
  'POST /core/auth/login/challenge/',
  'POST /core/auth/login/confirm/',
  'POST /core/auth/login/enrol/passkey/begin/',
  'POST /core/auth/login/enrol/passkey/finish/',
  'POST /core/auth/login/enrol/totp/begin/',
  'POST /core/auth/login/enrol/totp/confirm/',
  'POST /core/auth/login/leave/',
  'POST /core/auth/login/mfa/',
  'POST /core/auth/login/mfa/passkey/',
  'POST /core/auth/login/notice/',
  'POST /core/auth/login/password/',
  'POST /core/auth/openid/back-channel-logout/',
  'POST /core/auth/password/forgot/',
  'POST /core/auth/password/reset/',
  'POST /core/auth/saml/acs/',
  'POST /core/auth/saml/sls/',
  'POST /core/auth/welcome/',
  'POST /k8s/:cluster/*',
  'POST /mcp',
  'POST /oauth/register',
  'POST /oauth/revoke',
  'POST /oauth/token',
  'POST /scim/v2/.search',
  'POST /scim/v2/Bulk',
  'POST /scim/v2/Groups',
  'POST /scim/v2/Groups/.search',
  'POST /scim/v2/Me',
  'POST /scim/v2/Users',
  'POST /scim/v2/Users/.search',
  'POST /v4/api/v1/authentication/auth/',
  'POST /v4/api/v1/authentication/mfa/challenge/',
  'POST /v4/api/v1/authentication/tokens/',
  'PUT /k8s/:cluster/*',
  'PUT /scim/v2/Groups/:id',
  'PUT /scim/v2/Me',
  'PUT /scim/v2/Users/:id',
];
const EVERY_ACCOUNT = [
  'GET /api/v1/users/profile/',
  'GET /api/v1/users/profile/password/',
  'GET /api/v1/users/profile/start/',
  'GET /v4/api/v1/users/profile/',
  'OPTIONS /api/v1/authentication/device/confirm/',
  'OPTIONS /api/v1/authentication/device/deny/',
  'OPTIONS /api/v1/authentication/device/find/',
  'OPTIONS /api/v1/users/profile/',
  'OPTIONS /api/v1/users/profile/password/',
  'OPTIONS /api/v1/users/profile/start/',
  'PATCH /api/v1/users/profile/',
  'PATCH /api/v1/users/profile/password/',
  'POST /api/v1/authentication/device/confirm/',
  'POST /api/v1/authentication/device/deny/',
  'POST /api/v1/authentication/device/find/',
  'POST /core/auth/logout/',
  'POST /vue-admin-template/user/logout/',
  'PUT /api/v1/users/profile/',
  'PUT /api/v1/users/profile/password/',
];

const declared = (access: unknown) =>
  test.program.app.routes
    .filter((route) => route.access === access && route.method !== 'HEAD')
    .map(({ method, url }) => `${method} ${url}`)
    .sort();

it('opens exactly the listed routes without a sign-in', () =>
  expect(declared('public')).toEqual(PUBLIC));
it('opens exactly the listed routes to all accounts, even expired ones', () =>
  expect(declared('signed-in')).toEqual(EVERY_ACCOUNT));

const ADMINS: RoleName[] = ['orgAdmin', 'superAdmin'];
const SYSTEM = 'systemAdmin';
const SECURITY = 'securityAdmin';
const AUDIT = 'auditAdmin';
const DUTIES: RoleName[] = [SYSTEM, SECURITY, AUDIT];
const SUPERS: RoleName[] = ['auditor', 'superAdmin'];
const AUDITORS: RoleName[] = ['auditor', 'orgAuditor', ...ADMINS];
const VALID: RoleName[] = ['user', 'otherOrgAdmin', ...AUDITORS];

it.each([
  ['users/users/', [...ADMINS, SYSTEM, SECURITY]],
  ['users/groups/', [...ADMINS, SYSTEM, SECURITY]],
  ['assets/assets/', [...ADMINS, SYSTEM, SECURITY]],
  ['assets/admin-users/', [...ADMINS, SYSTEM, SECURITY]],
  ['assets/system-users/', [...ADMINS, SYSTEM, SECURITY]],
  ['assets/domains/', [...ADMINS, SYSTEM, SECURITY]],
  ['assets/gateways/', [...ADMINS, SYSTEM, SECURITY]],
  ['assets/labels/', [...ADMINS, SYSTEM, SECURITY]],
  ['assets/nodes/', [...ADMINS, SYSTEM, SECURITY]],
  ['assets/nodes/children/tree/', [...ADMINS, SYSTEM, SECURITY]],
  ['perms/asset-permissions/', [...ADMINS, SECURITY]],
  ['orgs/orgs/', ['superAdmin', SYSTEM, SECURITY]],
  ['assets/platforms/', [...AUDITORS, SYSTEM, SECURITY]],
  ['terminal/terminals/', [...SUPERS, SYSTEM]],
  ['terminal/replay-storages/', [...SUPERS, SYSTEM]],
  ['terminal/command-storages/', [...SUPERS, SYSTEM]],
  ['settings/setting/', [...SUPERS, SYSTEM, SECURITY]],
  ['ops/task-monitor/', [...SUPERS, ...DUTIES]],
  ['terminal/sessions/', [...AUDITORS, AUDIT]],
  ['terminal/commands/', [...AUDITORS, AUDIT]],
  ['audits/login-logs/', [...AUDITORS, AUDIT]],
  ['audits/operate-logs/', [...AUDITORS, AUDIT]],
  ['perms/users/assets/', VALID],
  ['accounts/accounts/', [...ADMINS, SYSTEM]],
  ['assets/hosts/', [...ADMINS, SYSTEM, SECURITY]],
  ['perms/users/self/assets/', VALID],
  ['/v4/api/v1/users/users/', [...ADMINS, SYSTEM, SECURITY]],
  ['/v4/api/v1/perms/asset-permissions/', [...ADMINS, SECURITY]],
  ['/v4/api/v1/terminal/sessions/', [...AUDITORS, AUDIT]],
  ['/v4/api/v1/audits/operate-logs/', [...AUDITORS, AUDIT]],
  ['assets/favorite-assets/', VALID],
  ['applications/favorite-remote-apps/', VALID],
  ['applications/favorite-database-apps/', VALID],
  ['users/preferences/', [...VALID, ...DUTIES]],
  ['/api/docs/openapi.json', [...VALID, ...DUTIES]],
] as [string, RoleName[]][])('answers GET %s for exactly the listed roles', async (path, may) => {
  const answers = await Promise.all(
    ROLES.map(async (role) => [role, (await cast.clients[role].get(path)).status] as const),
  );
  const expected = ROLES.map((role) => [
    role,
    role === 'nobody' || role === 'disabled' ? 401 : may.includes(role) ? 200 : 403,
  ]);
  expect(answers).toEqual(expected);
});

const READ_ONLY =
  /^\/api\/v1\/(assets\/platforms|terminal\/(terminals|\w+-storages)|settings\/setting|xpack\/(license|interface))\b/;

it('refuses auditors every change on the pages that super auditors read', async () => {
  const writes = test.program.app.routes.filter(
    ({ method, url }) => READ_ONLY.test(url) && !['GET', 'HEAD', 'OPTIONS'].includes(method),
  );
  expect(writes.length).toBeGreaterThan(20);
  for (const role of ['auditor', 'orgAuditor'] as const)
    for (const { method, url } of writes) {
      const path = url.replace(/:\w+/g, '00000000-0000-4000-8000-000000000000');
      const { status } = await cast.clients[role].request(method, path, {});
      expect([role, method, url, status]).toEqual([role, method, url, 403]);
    }
});

it('allows changes in an organization to its administrators only', async () => {
  const { organization } = cast;
  const { db } = test;
  const member = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
  const asset = await buildAsset(db, { organization });
  const systemUser = await buildSystemUser(db, { organization });
  const attempts: [string, string, unknown][] = [
    ['POST', 'assets/labels/', { name: 'a', value: 'b' }],
    ['PATCH', `assets/assets/${asset}/`, { comment: 'changed' }],
    ['PATCH', `assets/system-users/${systemUser}/`, { comment: 'changed' }],
    ['PUT', `users/users/${member.id}/password/`, { password: 'chosen by somebody else' }],
    ['PATCH', `users/users/${member.id}/`, { role: 'User' }],
    ['PATCH', `users/users/${member.id}/unblock/`, {}],
    ['POST', 'terminal/tasks/kill-session/', []],
    ['DELETE', `assets/assets/${asset}/`, undefined],
  ];
  for (const [method, path, body] of attempts) {
    for (const role of ROLES.filter((name) => ![...ADMINS, ...DUTIES].includes(name))) {
      const { status } = await cast.clients[role].request(method, path, body);
      expect([method, path, role, status]).toEqual([
        method,
        path,
        role,
        role === 'nobody' || role === 'disabled' ? 401 : 403,
      ]);
    }
  }
  for (const [method, path, body] of attempts)
    expect((await cast.clients.orgAdmin.request(method, path, body)).status).toBeLessThan(300);
});
