import { request } from 'node:http';
import { someOf } from '@sallyport/property-runs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPermission, buildSystemUser } from '../testing/builders.ts';
import type { Client } from '../testing/client.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let rule: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  for (const value of ['1', '2']) await admin.post('assets/labels/', { name: 'a', value });
  rule = await buildPermission(test.db, { systemUsers: [await buildSystemUser(test.db)] });
});
afterAll(() => test.stop());

const VALUES = [
  '%00',
  'a%00b',
  '%FF%FE',
  '%ud800',
  '%25',
  "'",
  '1e400',
  '-1',
  '99999999999999999999',
  'null',
  'constructor',
  '__proto__',
  '[]',
  '{}',
  '%F0%9F%92%A9',
  'x'.repeat(5_000),
];
const NAMES = [
  'limit',
  'offset',
  'search',
  'order',
  'ids',
  'id',
  'date_from',
  'date_to',
  'oid',
  'label',
  'node',
  'node_id',
  'ips',
  'key',
  'asset',
  'user_id',
];
const MORE_NAMES = [
  'is_active',
  'is_valid',
  'status',
  'risk_level',
  'session_id',
  'input',
  'all',
  'hostname',
  'ip',
  'domain',
  'username',
  'asset_id',
];

/** Values that routes accept elsewhere. */
const ALONE = ['%FF%FE', "'", '1e400', '-1', 'constructor', '__proto__', '%F0%9F%92%A9'];

const IDS = [
  'nonsense',
  '0',
  '%00',
  '..%2f..%2fetc%2fpasswd',
  "' or 1=1",
  'a,b',
  ',',
  '%E0%A4%A',
  '%',
  'x'.repeat(3_000),
];

async function assertNoDefect(path: string): Promise<void> {
  const { status, text } = await admin.get(path);
  expect(status, `${path.slice(0, 120)} answered ${text.slice(0, 200)}`).toBeLessThan(500);
}

describe('a strange query value', () => {
  it('returns no 500 for any list', async () => {
    const lists = test.program.app.routes.filter(
      ({ method, url, socket }) =>
        method === 'GET' &&
        !socket &&
        !url.includes(':') &&
        url.startsWith('/api/') &&
        !url.includes('docs'),
    );
    expect(lists.length).toBeGreaterThan(20);
    for (const [turn, { url }] of lists.entries())
      for (const value of someOf(VALUES, 4, turn))
        await assertNoDefect(
          `${url}?${[...NAMES, ...MORE_NAMES].map((name) => `${name}=${value}`).join('&')}`,
        );
  });

  it.each([
    'assets/assets/',
    'assets/nodes/children/tree/',
    'assets/nodes/children/',
    'perms/users/assets/',
    'perms/users/assets/tree/',
    'perms/users/nodes/children-with-assets/tree/',
    'terminal/commands/',
    'users/users/',
    'perms/asset-permissions/',
  ])('returns no 500 for %s, each parameter alone and twice', async (path) => {
    for (const [turn, name] of [...NAMES, ...MORE_NAMES].entries()) {
      for (const value of someOf(ALONE, 2, turn))
        await assertNoDefect(`${path}?${name}=${value}&limit=2`);
      await assertNoDefect(`${path}?${name}=${ALONE[0]}&${name}=1`);
    }
  });

  it('returns no 500 for users and assets of a permission', async () => {
    for (const path of ['users/all/', 'assets/all/'])
      for (const value of VALUES)
        for (const name of ['limit', 'offset', 'search'])
          await assertNoDefect(`perms/asset-permissions/${rule}/${path}?limit=3&${name}=${value}`);
  });
});

describe('a strange id in a path is not found', () => {
  it('returns 404 on any route', async () => {
    const routes = test.program.app.routes.filter(
      ({ url, socket, method }) => url.includes(':') && !socket && method !== 'OPTIONS',
    );
    for (const [turn, { method, url }] of routes.entries())
      for (const id of someOf(IDS, 3, turn)) {
        const path = url.replace(/:\w+/g, id);
        const { status, text } = await admin.request(
          method,
          path,
          method === 'GET' || method === 'DELETE' ? undefined : {},
        );
        expect(
          [400, 404],
          `${method} ${path.slice(0, 100)} answered ${status} ${text.slice(0, 100)}`,
        ).toContain(status);
      }
  });
});

/** Sends headers that fetch does not allow. */
function raw(path: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(test.program.url);
  return new Promise((settle, fail) => {
    const sent = request(
      { hostname, port, path, headers: { authorization: admin.headers.authorization, ...headers } },
      (response) => {
        response.resume();
        settle(response.statusCode ?? 0);
      },
    );
    sent.on('error', fail);
    sent.end();
  });
}

describe('strange headers are never a 500', () => {
  it.each([
    ['host', 'a b'],
    ['host', '[::'],
    ['host', '%00'],
    ['host', 'x:99999999'],
    ['host', 'user@evil.example'],
    ['x-jms-org', "' or 1=1"],
    ['x-jms-org', 'x'.repeat(8_000)],
    ['x-jms-org', '\u00ff\u00fe'],
    ['cookie', 'X-JMS-ORG=%00; sessionid=%00; django_language=%00; csrftoken=%00'],
    ['cookie', ';;;===%%%'],
    ['cookie', 'sessionid=%E0%A4%A'],
    ['x-tz', '../../etc'],
    ['x-tz', '+99:99'],
    ['accept-language', `${'zh-'.repeat(2_000)}`],
    ['accept-language', '*;q=-1,,,'],
    ['user-agent', '\u00ff'.repeat(2_000)],
    ['x-forwarded-for', 'nonsense, ::1'],
    ['x-forwarded-host', 'evil.example'],
    ['origin', 'nonsense'],
    ['accept-encoding', 'nonsense'],
    ['if-none-match', '"x"'],
    ['range', 'bytes=5-1'],
  ])('%s: %.40s', async (name, value) => {
    for (const path of [
      '/api/v1/assets/labels/?limit=1',
      '/api/v1/users/profile/',
      '/api/v1/perms/users/assets/',
      '/ui/',
    ])
      expect(await raw(path, { [name]: value })).toBeLessThan(500);
  });

  it.each([
    'Bearer',
    'Bearer ',
    `Bearer ${'x'.repeat(10_000)}`,
    'Bearer a b c',
    'Basic YWRtaW46YWRtaW4=',
    '\u00ff',
  ])('authorization: %.30s is nobody', async (authorization) => {
    expect(await raw('/api/v1/users/profile/', { authorization })).toBe(401);
  });

  it('rejects an organization with a NUL byte in the query and ignores it in the cookie', async () => {
    expect((await admin.get('users/users/?oid=%00')).status).toBe(400);
    expect(await raw('/api/v1/users/users/', { cookie: 'X-JMS-ORG=%00' })).toBe(200);
  });
});
