import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildUser, rootNode, unique } from '../testing/builders.ts';
import type { Answer, Client, Json } from '../testing/client.ts';
import { ADMIN, bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

/**
 * The calls of public programs for versions 1.x and 2.x, in their order and with their bodies. Like
 * these programs, the test follows redirects with the same method and body.
 */

type Named = Readonly<Record<string, string>>;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: (ids: Named) => unknown;
  /** A success, or a refusal that docs/compatibility.md declares or that 2.1.0 gives, too. */
  readonly status: number;
  /** Name under which later calls use the id of the answer. */
  readonly keeps?: string;
  /** The shape that the program reads. */
  readonly reads?: 'list' | 'page' | 'object' | undefined;
}

const get = (path: string, reads: Call['reads'], status = 200): Call => ({
  ...{ method: 'GET', path, status },
  ...(status === 200 && { reads }),
});
const send = (
  method: string,
  path: string,
  status: number,
  body: Call['body'],
  keeps?: string,
): Call => ({ method, path, status, ...(body && { body }), ...(keeps && { keeps }) });

const NAMES: Named = Object.fromEntries(
  ['user', 'node', 'adminUser', 'asset', 'account', 'rule', 'imported', 'synced'].map((name) => [
    `${name}Name`,
    unique(name.toLowerCase()),
  ]),
);

/** The calls by program. Ids in braces are those of the answers before. */
const PROGRAMS: Readonly<Record<string, readonly Call[]>> = {
  'a script that creates everything from a spreadsheet': [
    get('users/users/?username={userName}', 'list'),
    send(
      'POST',
      'users/users/',
      201,
      (ids) => ({
        name: ids.userName,
        username: ids.userName,
        email: `${ids.userName}@example.com`,
        is_active: true,
      }),
      'user',
    ),
    get('assets/nodes/?value={nodeName}', 'list'),
    send('POST', 'assets/nodes/', 201, (ids) => ({ value: ids.nodeName }), 'node'),
    get('assets/admin-user/?username=root', 'list'),
    send(
      'POST',
      'assets/admin-user/',
      201,
      (ids) => ({ name: ids.adminUserName, username: 'root', password: 'A-good-password-1' }),
      'adminUser',
    ),
    send(
      'POST',
      'assets/assets/',
      201,
      (ids) => ({
        hostname: ids.assetName,
        ip: '10.9.0.1',
        platform: 'Linux',
        protocols: ['ssh/22'],
        is_active: true,
        admin_user: ids.adminUser,
        nodes: [ids.node],
      }),
      'asset',
    ),
    get('assets/system-user/?name={accountName}', 'list'),
    send(
      'POST',
      'assets/system-users/',
      201,
      (ids) => ({
        name: ids.accountName,
        username: 'ops',
        login_mode: 'auto',
        protocol: 'ssh',
        auto_push: true,
        sudo: '/bin/whoami',
        shell: '/bin/bash',
        password: 'A-good-password-1',
        is_active: true,
      }),
      'account',
    ),
    send(
      'POST',
      'perms/asset-permissions/',
      201,
      (ids) => ({
        name: ids.ruleName,
        is_active: true,
        users: [ids.user, ids.person],
        user_groups: [],
        assets: [ids.asset],
        nodes: [],
        system_users: [ids.account],
        actions: ['all'],
      }),
      'rule',
    ),
  ],
  'a script that creates permissions': [
    get('users/users/?username={userName}', 'list'),
    get('assets/assets/?hostname={assetName}', 'list'),
    get('assets/system-users/?name={accountName}', 'list'),
    get('perms/asset-permissions/?name={ruleName}', 'list'),
    send('PATCH', 'perms/asset-permissions/{rule}/', 200, (ids) => ({ assets: [ids.asset] })),
  ],
  'an importer of assets and users': [
    get('assets/platforms/', 'list'),
    send(
      'POST',
      'assets/assets/',
      201,
      (ids) => ({
        hostname: ids.importedName,
        ip: '10.9.0.2',
        platform: 'Linux',
        protocol: 'ssh',
        port: 2222,
        admin_user: ids.adminUser,
      }),
      'imported',
    ),
    send('PUT', 'assets/assets/', 200, (ids) => [
      {
        id: ids.imported,
        hostname: ids.importedName,
        ip: '10.9.0.3',
        platform: 'Linux',
        protocols: ['ssh/22'],
      },
    ]),
    send('POST', 'users/groups/', 201, () => ({ name: unique('imported') }), 'group'),
    send('PATCH', 'users/users/{user}/', 200, (ids) => ({ groups: [ids.group], mfa_level: 0 })),
    send('DELETE', 'assets/assets/{imported}/', 204, undefined),
  ],
  'a synchronization of a cloud': [
    get('assets/nodes/?limit=100&offset=0', 'page'),
    send(
      'POST',
      'assets/assets/',
      201,
      (ids) => ({
        hostname: ids.syncedName,
        ip: '10.9.0.4',
        platform: 'Linux',
        protocol: 'ssh',
        domain: null,
        nodes: [ids.node],
      }),
      'synced',
    ),
    send('PUT', 'assets/assets/{synced}/', 200, (ids) => ({
      hostname: ids.syncedName,
      ip: '10.9.0.5',
      platform: 'Linux',
      domain: null,
    })),
  ],
  'a list of addresses from the log of sign-ins': [
    get('audits/login-logs/?limit=-1', 'list'),
    get('audits/login-logs/?date_from=2020-01-01 00:00:00&date_to=2090-01-01 00:00:00', 'list'),
    get('settings/setting/?category=security', 'object'),
    send('PATCH', 'settings/setting/', 200, () => ({ TERMINAL_HEARTBEAT_INTERVAL: 22 })),
  ],
  'a client of an asset database': [
    get('assets/nodes', 'list'),
    get('assets/assets?limit=10', 'page'),
    send('POST', 'assets/nodes/{node}/children/', 201, () => ({ value: unique('child') }), 'child'),
    send('PUT', 'assets/nodes/{child}/assets/add/', 200, (ids) => ({ assets: [ids.asset] })),
    send('PUT', 'assets/nodes/{child}/assets/remove/', 200, (ids) => ({ assets: [ids.asset] })),
    send('POST', 'assets/assets/{asset}/tasks/', 201, () => ({ action: 'test' })),
    // Our invitations name accounts; version 2.1 has none.
    send('POST', 'users/users/invite/', 400, (ids) => ({ users: [ids.user], role: 'User' })),
  ],
  'a synchronization of version 1': [
    get('/api/assets/v1/assets/', 'list'),
    get('/api/assets/v1/system-user/', 'list'),
    get('/api/assets/v1/domain/', 'list'),
    get('/api/assets/v1/admin-user/{adminUser}/', 'object'),
    get('assets/system-user/{account}/', 'object'),
    get('assets/assets/{asset}/alive/', undefined, 404),
  ],
  'a client library of version 1': [
    get('perms/user/{person}/assets/', 'list'),
    get('perms/user/{person}/nodes/', 'list'),
    get('perms/user-group/{group}/assets/', 'list'),
    get(
      'perms/asset-permission/user/validate/?user_id={person}&asset_id={asset}&system_user_id={account}&action_name=connect',
      'object',
    ),
    get('assets/domain/', 'list'),
    get('assets/cmd-filter/', 'list'),
    get('orgs/org/', 'list'),
    get('terminal/terminal/', 'list'),
    get('terminal/command/?limit=1', 'page'),
    get('audits/ftp-log/', 'list'),
  ],
  'a client that is generated from the description': [
    get('assets/assets/{asset}/gateways/', 'list'),
    get('assets/assets/{asset}/platform/', 'object'),
    get('assets/admin-users/{adminUser}/assets/', 'list'),
    get('assets/system-users/{account}/assets/', 'list'),
    get('assets/nodes/tree/', 'list'),
    get('assets/nodes/{node}/children/', 'list'),
    get('assets/nodes/{node}/assets/', 'list'),
    get('users/users/{user}/', 'object'),
    get('users/profile/', 'object'),
    get('terminal/sessions/?is_finished=1&limit=5', 'page'),
    get('terminal/sessions/?is_finished=0', 'list'),
    get('ops/tasks/?limit=5', 'page'),
    get('index/?total_count=1', 'object'),
  ],
  'an inventory of hosts': [
    get('assets/assets/?node={node}&show_current_asset=1', 'list'),
    get('assets/assets/{asset}/', 'object'),
    // The secret needs a second factor, as declared.
    get('assets/system-user/{account}/auth-info/', undefined, 403),
  ],
};

/** The calls of programs that work for the user who runs them. */
const OWN: Readonly<Record<string, readonly Call[]>> = {
  'a helper of the shell': [
    get('perms/users/assets/?limit=10', 'page'),
    get('perms/users/assets/?search={assetName}', 'list'),
    get('perms/users/assets/{asset}/system-users/?limit=10', 'page'),
    get('perms/users/nodes/?limit=10', 'page'),
    get('perms/users/nodes/children/?limit=10', 'page'),
    get('perms/system-users-permission/', 'list'),
    send('POST', 'ops/command-executions/', 201, (ids) => ({
      hosts: [ids.asset],
      run_as: ids.account,
      command: 'uptime',
    })),
    send('POST', 'assets/favorite-assets/', 201, (ids) => ({ asset: ids.asset })),
    get('assets/favorite-assets/?limit=1', 'page'),
  ],
  'programs that may not read other users': [
    get('users/users/', undefined, 403),
    get('assets/assets/', undefined, 403),
    get('perms/user/{person}/assets/', undefined, 403),
    get('settings/setting/', undefined, 403),
  ],
};

let test: TestProgram;
let admin: Client;
let own: Client;
const ids: Record<string, string> = { ...NAMES };

beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  const person = await buildUser(test.db);
  own = await bearer(test, person);
  ids.person = person.id;
  ids.root = await rootNode(test.db);
});
afterAll(() => test.stop());

/** Sends a call, and again where a redirect leads. */
async function answerTo(client: Client, { method, path, body }: Call): Promise<Answer<Json>> {
  let url = path
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')
    .replaceAll(' ', '%20');
  for (let redirects = 0; ; redirects++) {
    const answer = await client.request<Json>(method, url, body?.(ids));
    const next = answer.headers.get('location');
    if (answer.status !== 307 || next === null || redirects > 3) return answer;
    url = next;
  }
}

function assertRead(call: Call, { status, body, text }: Answer<Json>): void {
  const name = `${call.method} ${call.path}`;
  expect([name, status, text.slice(0, status === call.status ? 0 : 300)]).toEqual([
    name,
    call.status,
    '',
  ]);
  if (call.reads === 'list') expect([name, Array.isArray(body)]).toEqual([name, true]);
  if (call.reads === 'page') {
    const { count, results } = body;
    expect([name, typeof count, Array.isArray(results)]).toEqual([name, 'number', true]);
  }
  if (call.reads === 'object')
    expect([name, Array.isArray(body), Object.keys(body).length > 0]).toEqual([name, false, true]);
  if (status > 400) expect([name, typeof body.detail]).toEqual([name, 'string']);
}

it('signs in as the documentation of 2.x shows, with a form, and lists users', async () => {
  const { status, body } = await test.visitor.send<Json>(
    'POST',
    'authentication/auth/',
    new URLSearchParams({ ...ADMIN }).toString(),
    'application/x-www-form-urlencoded',
  );
  expect(status).toBe(201);
  const signedIn = test.visitor.with({ authorization: `Bearer ${body.token}` });
  const listed = await signedIn.get<Json[]>('users/users/');
  expect(listed.body.map(({ username }) => username)).toContain('admin');
});

it('answers the calls of each program as it expects', async () => {
  for (const [client, programs] of [
    [admin, PROGRAMS],
    [own, OWN],
  ] as const)
    for (const calls of Object.values(programs))
      for (const call of calls) {
        const answer = await answerTo(client, call);
        assertRead(call, answer);
        if (call.keeps) ids[call.keeps] = String(answer.body.id);
      }
});
