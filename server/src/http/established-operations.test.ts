import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client, Json } from '../testing/client.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

/**
 * The operations of API version 2.1.0, by method, from its addresses and views. Each is answered
 * here, or docs/compatibility.md declares it absent.
 */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  'GET POST PUT PATCH DELETE': [
    'applications/database-apps/',
    'applications/remote-apps/',
    'assets/admin-users/',
    'assets/asset-users/',
    'assets/assets/',
    'assets/cmd-filters/',
    'assets/domains/',
    'assets/favorite-assets/',
    'assets/gateways/',
    'assets/labels/',
    'assets/system-users-assets-relations/',
    'assets/system-users-nodes-relations/',
    'assets/system-users-users-relations/',
    'assets/system-users/',
    'perms/asset-permissions-assets-relations/',
    'perms/asset-permissions-nodes-relations/',
    'perms/asset-permissions-system-users-relations/',
    'perms/asset-permissions-user-groups-relations/',
    'perms/asset-permissions-users-relations/',
    'perms/database-app-permissions-database-apps-relations/',
    'perms/database-app-permissions-system-users-relations/',
    'perms/database-app-permissions-user-groups-relations/',
    'perms/database-app-permissions-users-relations/',
    'perms/database-app-permissions/',
    'perms/remote-app-permissions-remote-apps-relations/',
    'perms/remote-app-permissions-users-relations/',
    'terminal/sessions/',
    'terminal/tasks/',
    'terminal/terminals/{terminal}/sessions/',
    'users/groups/',
    'users/users-groups-relations/',
    'users/users/',
  ],
  'GET PUT PATCH DELETE': [
    'applications/database-apps/{id}/',
    'applications/remote-apps/{id}/',
    'assets/admin-users/{id}/',
    'assets/asset-users/{id}/',
    'assets/assets/{id}/',
    'assets/cmd-filters/{filter}/rules/{id}/',
    'assets/cmd-filters/{id}/',
    'assets/domains/{id}/',
    'assets/favorite-assets/{id}/',
    'assets/gateways/{id}/',
    'assets/gathered-users/{id}/',
    'assets/labels/{id}/',
    'assets/nodes/{id}/',
    'assets/platforms/{id}/',
    'assets/system-users-assets-relations/{id}/',
    'assets/system-users-nodes-relations/{id}/',
    'assets/system-users-users-relations/{id}/',
    'assets/system-users/{id}/',
    'assets/system-users/{id}/auth-info/',
    'authentication/access-keys/{id}/',
    'ops/adhoc-executions/{id}/',
    'ops/adhoc/{id}/',
    'ops/command-executions/{id}/',
    'ops/tasks/{id}/',
    'orgs/orgs/{id}/',
    'perms/asset-permissions-assets-relations/{id}/',
    'perms/asset-permissions-nodes-relations/{id}/',
    'perms/asset-permissions-system-users-relations/{id}/',
    'perms/asset-permissions-user-groups-relations/{id}/',
    'perms/asset-permissions-users-relations/{id}/',
    'perms/asset-permissions/{id}/',
    'perms/database-app-permissions-database-apps-relations/{id}/',
    'perms/database-app-permissions-system-users-relations/{id}/',
    'perms/database-app-permissions-user-groups-relations/{id}/',
    'perms/database-app-permissions-users-relations/{id}/',
    'perms/database-app-permissions/{id}/',
    'perms/remote-app-permissions-remote-apps-relations/{id}/',
    'perms/remote-app-permissions-users-relations/{id}/',
    'perms/remote-app-permissions/{id}/',
    'terminal/command-storages/{id}/',
    'terminal/commands/{id}/',
    'terminal/replay-storages/{id}/',
    'terminal/sessions/{id}/',
    'terminal/status/{id}/',
    'terminal/tasks/{id}/',
    'terminal/terminals/{id}/',
    'terminal/terminals/{terminal}/sessions/{id}/',
    'terminal/terminals/{terminal}/status/{id}/',
    'tickets/tickets/{id}/',
    'users/groups/{id}/',
    'users/users-groups-relations/{id}/',
    'users/users/{id}/',
  ],
  'GET PUT PATCH': [
    'perms/remote-app-permissions/{id}/remote-apps/add/',
    'perms/remote-app-permissions/{id}/remote-apps/remove/',
    'perms/remote-app-permissions/{id}/users/add/',
    'perms/remote-app-permissions/{id}/users/remove/',
    'settings/setting/',
    'users/profile/',
    'users/profile/password/',
    'users/profile/public-key/',
    'users/users/{id}/password/',
  ],
  'GET DELETE': [
    'authentication/login-confirm-ticket/status/',
    'orgs/orgs/{organization}/membership/admins/{id}/',
    'orgs/orgs/{organization}/membership/users/{id}/',
  ],
  'GET PATCH': ['ops/celery/period-tasks/{id}/'],
  'GET POST': [
    'assets/asset-user-auth-infos/',
    'assets/cmd-filters/{filter}/rules/',
    'assets/gathered-users/',
    'assets/nodes/',
    'assets/nodes/children/',
    'assets/nodes/{id}/children/',
    'assets/platforms/',
    'audits/ftp-logs/',
    'authentication/access-keys/',
    'authentication/connection-token/',
    'ops/adhoc-executions/',
    'ops/adhoc/',
    'ops/command-executions/',
    'ops/tasks/',
    'orgs/orgs/',
    'orgs/orgs/{organization}/membership/admins/',
    'orgs/orgs/{organization}/membership/users/',
    'perms/asset-permissions/',
    'perms/remote-app-permissions/',
    'terminal/command-storages/',
    'terminal/commands/',
    'terminal/replay-storages/',
    'terminal/sessions/{id}/replay/',
    'terminal/status/',
    'terminal/terminals/',
    'terminal/terminals/{terminal}/status/',
    'tickets/tickets/',
    'tickets/tickets/{ticket}/comments/',
    'users/connection-token/',
  ],
  'PUT PATCH': [
    'assets/admin-users/{id}/auth/',
    'assets/admin-users/{id}/nodes/',
    'assets/nodes/{id}/assets/add/',
    'assets/nodes/{id}/assets/remove/',
    'assets/nodes/{id}/assets/replace/',
    'assets/nodes/{id}/children/add/',
    'authentication/login-confirm-settings/{user}/',
    'users/users/{id}/password/reset/',
    'users/users/{id}/pubkey/reset/',
    'users/users/{id}/pubkey/update/',
    'users/users/{id}/unblock/',
  ],
  DELETE: ['perms/users/asset-permissions/cache/', 'perms/users/{id}/asset-permissions/cache/'],
  GET: [
    'applications/remote-apps/{id}/connection-info/',
    'assets/admin-users/{id}/assets/',
    'assets/admin-users/{id}/connective/',
    'assets/asset-user-auth-infos/{id}/',
    'assets/assets/{id}/gateways/',
    'assets/assets/{id}/platform/',
    'assets/nodes/children/tree/',
    'assets/nodes/tree/',
    'assets/nodes/{id}/assets/',
    'assets/system-users/{id}/assets/{asset}/auth-info/',
    'assets/system-users/{id}/cmd-filter-rules/',
    'audits/command-execution-logs/',
    'audits/command-executions-hosts-relations/',
    'audits/command-executions-hosts-relations/{id}/',
    'audits/login-logs/',
    'audits/operate-logs/',
    'audits/password-change-logs/',
    'index/',
    'ops/celery/period-tasks/',
    'ops/celery/task/{id}/log/',
    'ops/celery/task/{id}/result/',
    'ops/tasks/{id}/run/',
    'orgs/{id}/users/all/',
    'perms/asset-permissions/cache/refresh/',
    'perms/asset-permissions/user/actions/',
    'perms/asset-permissions/user/validate/',
    'perms/asset-permissions/{id}/assets/all/',
    'perms/asset-permissions/{id}/users/all/',
    'perms/database-app-permissions/user/validate/',
    'perms/database-app-permissions/{id}/database-apps/all/',
    'perms/database-app-permissions/{id}/users/all/',
    'perms/remote-app-permissions/user/validate/',
    'perms/remote-app-permissions/{id}/remote-apps/all/',
    'perms/remote-app-permissions/{id}/users/all/',
    'perms/system-users-permission/',
    'perms/user-groups/{id}/assets/',
    'perms/user-groups/{id}/assets/{asset}/system-users/',
    'perms/user-groups/{id}/database-apps/',
    'perms/user-groups/{id}/nodes/',
    'perms/user-groups/{id}/nodes/children/',
    'perms/user-groups/{id}/nodes/children/tree/',
    'perms/user-groups/{id}/nodes/{node}/assets/',
    'perms/user-groups/{id}/remote-apps/',
    'perms/users/assets/',
    'perms/users/assets/tree/',
    'perms/users/assets/{asset}/system-users/',
    'perms/users/database-apps/',
    'perms/users/database-apps/tree/',
    'perms/users/database-apps/{database_app}/system-users/',
    'perms/users/nodes-with-assets/tree/',
    'perms/users/nodes/',
    'perms/users/nodes/children-with-assets/tree/',
    'perms/users/nodes/children/',
    'perms/users/nodes/children/tree/',
    'perms/users/nodes/tree/',
    'perms/users/nodes/{node}/assets/',
    'perms/users/remote-apps/',
    'perms/users/remote-apps/tree/',
    'perms/users/remote-apps/{remote_app}/system-users/',
    'perms/users/{id}/assets/',
    'perms/users/{id}/assets/tree/',
    'perms/users/{id}/assets/{asset}/system-users/',
    'perms/users/{id}/database-apps/',
    'perms/users/{id}/database-apps/tree/',
    'perms/users/{id}/database-apps/{database_app}/system-users/',
    'perms/users/{id}/nodes-with-assets/tree/',
    'perms/users/{id}/nodes/',
    'perms/users/{id}/nodes/children-with-assets/tree/',
    'perms/users/{id}/nodes/children/',
    'perms/users/{id}/nodes/children/tree/',
    'perms/users/{id}/nodes/tree/',
    'perms/users/{id}/nodes/{node}/assets/',
    'perms/users/{id}/remote-apps/',
    'perms/users/{id}/remote-apps/tree/',
    'perms/users/{id}/remote-apps/{remote_app}/system-users/',
    'settings/ldap/cache/refresh/',
    'settings/ldap/users/',
    'settings/public/',
    'terminal/command-storages/{id}/test-connective/',
    'terminal/commands/export/',
    'terminal/replay-storages/{id}/test-connective/',
    'terminal/terminals/config/',
    'terminal/terminals/{terminal}/access-key/',
    'tickets/tickets/{ticket}/comments/{id}/',
    'users/otp/reset/',
    'users/users/{id}/otp/reset/',
  ],
  POST: [
    'assets/asset-users/tasks/',
    'assets/assets/{id}/tasks/',
    'assets/gateways/{id}/test-connective/',
    'assets/nodes/{id}/tasks/',
    'assets/system-users/{id}/tasks/',
    'authentication/auth/',
    'authentication/mfa/challenge/',
    'authentication/otp/verify/',
    'authentication/tokens/',
    'common/resources/cache/',
    'settings/ldap/testing/config/',
    'settings/ldap/testing/login/',
    'settings/ldap/users/import/',
    'settings/mail/testing/',
    'terminal/sessions/join/validate/',
    'terminal/tasks/kill-session/',
  ],
};
const DOCUMENT = new URL('../../../docs/compatibility.md', import.meta.url);
const SECTION = '### Operations of version 2.1';

/** Parameters have other names here. */
const anonymous = (operation: string) => operation.replace(/\{\w+\}|:\w+/g, '{}');
const expand = (methods: readonly string[], paths: readonly string[]) =>
  paths.flatMap((path) => methods.map((method) => `${method} ${path}`));

/** Returns the operations that the document declares absent: methods and paths of its rows. */
function readDeclared(): string[] {
  const [, section = ''] = readFileSync(DOCUMENT, 'utf8').split(`${SECTION}\n`);
  const rows = section.split(/\n#+ /)[0]?.match(/^\| `.*$/gm) ?? [];
  return rows.flatMap((row) => {
    const [, cell = '', reason = ''] = row.split('|').map((text) => text.trim());
    expect([cell, reason.length > 10]).toEqual([cell, true]);
    const codes = [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    const isMethod = (code: string) => /^[A-Z]+$/.test(code);
    return expand(
      codes.filter(isMethod),
      codes.filter((code) => !isMethod(code)),
    );
  });
}

const operations = Object.entries(OPERATIONS).flatMap(([methods, paths]) =>
  expand(methods.split(' '), paths),
);
const declared = readDeclared();

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

it('has all operations of version 2.1 but those that the document declares absent', () => {
  const routes = new Set(
    test.program.app.routes.map(({ method, url }) =>
      anonymous(`${method} ${url.replace('/api/v1/', '')}`),
    ),
  );
  const absent = operations.filter((operation) => !routes.has(anonymous(operation)));
  expect(absent.toSorted()).toEqual(declared.toSorted());
});

it.each(declared)('refuses %s with a code', async (operation) => {
  const [method = '', path = ''] = operation.split(' ');
  const url = path.replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
  const { status, body } = await admin.request<Json>(
    method,
    url,
    method === 'GET' ? undefined : {},
  );
  expect([404, 405]).toContain(status);
  expect(body).toMatchObject({ code: expect.any(String), detail: expect.any(String) });
});
