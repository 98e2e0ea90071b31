import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenidTest } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client, Json } from '../../testing/client.ts';
import { everyRow } from '../../testing/every-row.ts';
import {
  type OpenidProvider,
  startOpenidProvider,
} from '../../testing/services/openid-provider.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const PATH = 'settings/openid/testing/';
let test: TestProgram;
let admin: Client;
let provider: OpenidProvider;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  provider = await startOpenidProvider(test.program.url);
});
afterAll(async () => {
  await test.stop();
  await provider.stop();
});

const form = (changes: Json = {}): Json => ({
  AUTH_OPENID_ISSUER: provider.issuer,
  AUTH_OPENID_CLIENT_ID: provider.clientId,
  AUTH_OPENID_CLIENT_SECRET: provider.secret,
  AUTH_OPENID_SCOPES: 'openid profile email',
  AUTH_OPENID_USER_ATTR_MAP: { username: 'preferred_username', name: 'name', email: 'email' },
  ...changes,
});
const tryOut = async (changes: Json = {}, client = admin) => {
  const { status, body, text } = await client.post<OpenidTest & Json>(PATH, form(changes));
  return { status, body, text, steps: (body.steps ?? []).map(({ step, ok }) => `${step} ${ok}`) };
};

it('reports every step with the values of the form, and stores nothing', async () => {
  const before = await everyRow(test.db);
  const { status, body, steps } = await tryOut();
  expect([status, steps]).toEqual([
    200,
    ['discovery true', 'keys true', 'endpoints true', 'client true', 'redirect true'],
  ]);
  expect(body.msg).toBe(
    `Users can sign in through ${provider.issuer}. OpenID sign-in is not enabled yet.`,
  );
  expect(body.steps[1]).toMatchObject({ label: 'Signing keys', detail: '1 (RS256)' });
  expect(body.steps.at(-1)?.detail).toBe(
    `${test.program.url.replace(/\/$/, '')}/core/auth/openid/callback/`,
  );
  expect(await everyRow(test.db)).toBe(before);
  const chinese = await tryOut({ AUTH_OPENID: true }, admin.with({ 'accept-language': 'zh' }));
  expect([chinese.body.msg, chinese.body.steps[0]?.label]).toEqual([
    `用户可以通过 ${provider.issuer} 登录。`,
    '发现配置',
  ]);
});

it('names the failed step and stops there', async () => {
  const wrongSecret = await tryOut({ AUTH_OPENID_CLIENT_SECRET: 'hunter9 of some length' });
  expect([wrongSecret.status, wrongSecret.steps.at(-1)]).toEqual([400, 'client false']);
  expect(wrongSecret.body.detail).toMatch(/^Client failed: invalid_client/);
  expect(wrongSecret.text + test.log()).not.toContain('hunter9');
  expect((await tryOut({ AUTH_OPENID_CLIENT_ID: 'somebody' })).steps.at(-1)).toBe('client false');
  const away = await tryOut({ AUTH_OPENID_ISSUER: 'http://127.0.0.1:1' });
  expect([away.status, away.steps]).toEqual([400, ['discovery false']]);
  // No unencrypted request leaves for another host.
  expect((await tryOut({ AUTH_OPENID_ISSUER: 'http://login.example.com' })).steps).toEqual([
    'discovery false',
  ]);
});

it('detects a provider that rejects the redirect address', async () => {
  const stranger = await startOpenidProvider('https://elsewhere.example.com');
  try {
    const { status, body, steps } = await tryOut({ AUTH_OPENID_ISSUER: stranger.issuer });
    expect([status, steps.at(-1)]).toEqual([400, 'redirect false']);
    expect(body.detail).toContain('/core/auth/openid/callback/ at the provider');
  } finally {
    await stranger.stop();
  }
});

it('limits size and time of reading keys, and follows no redirect', async () => {
  const server = createServer((request, response) => {
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (request.url === '/keys') {
      response.end('x'.repeat(2_000_000));
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/a`,
        token_endpoint: `${issuer}/t`,
        jwks_uri: `${issuer}/keys`,
      }),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    const { steps } = await tryOut({
      AUTH_OPENID_ISSUER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    expect(steps).toEqual(['discovery true', 'keys false']);
  } finally {
    server.close();
  }
});

it.each([
  [{ AUTH_OPENID_ISSUER: '' }, 'AUTH_OPENID_ISSUER'],
  [{ AUTH_OPENID_ISSUER: 'nowhere' }, 'AUTH_OPENID_ISSUER'],
  [{ AUTH_OPENID_CLIENT_ID: '' }, 'AUTH_OPENID_CLIENT_ID'],
  [{ AUTH_OPENID_SCOPES: '' }, 'AUTH_OPENID_SCOPES'],
])('rejects %j', async (changes, field) => {
  const { status, body } = await tryOut(changes);
  expect([status, Object.keys(body)]).toEqual([400, [field]]);
});

it('sends the stored secret only to its provider', async () => {
  const { AUTH_OPENID_CLIENT_SECRET: _, ...blank } = form();
  expect((await admin.post<Json>(PATH, blank)).body.code).toBe('openid_test_failed');
  expect((await admin.patch('settings/setting/', form())).status).toBe(200);
  expect((await admin.post(PATH, blank)).status).toBe(200);
  const elsewhere = await admin.post<Json>(PATH, {
    ...blank,
    AUTH_OPENID_ISSUER: 'http://127.0.0.1:1',
  });
  expect([elsewhere.status, Object.keys(elsewhere.body)]).toEqual([
    400,
    ['AUTH_OPENID_CLIENT_SECRET'],
  ]);
});

const [BASIC, POST] = ['client_secret_basic', 'client_secret_post'] as const;

it.each([
  // Without a list, the standard means the header.
  { listed: 'none', taken: BASIC, setting: 'auto', isTaken: true },
  { listed: 'none', taken: POST, setting: 'auto', isTaken: false },
  { listed: 'none', taken: POST, setting: 'body', isTaken: true },
  { listed: [BASIC], taken: BASIC, setting: 'auto', isTaken: true },
  { listed: [POST], taken: POST, setting: 'auto', isTaken: true },
  { listed: ['private_key_jwt', POST], taken: POST, setting: 'auto', isTaken: true },
  { listed: [POST, BASIC], taken: BASIC, setting: 'auto', isTaken: true },
  { listed: [BASIC, POST], taken: POST, setting: 'body', isTaken: true },
  { listed: [BASIC, POST], taken: POST, setting: 'header', isTaken: false },
  { listed: [POST], taken: BASIC, setting: 'header', isTaken: true },
] as const)(
  'sends the secret by the setting $setting to a provider that lists $listed and takes $taken: $isTaken',
  async ({ listed, taken, setting, isTaken }) => {
    const strict = await startOpenidProvider(test.program.url, { listed, taken });
    try {
      const { steps } = await tryOut({
        AUTH_OPENID_ISSUER: strict.issuer,
        ...(setting !== 'auto' && { AUTH_OPENID_CLIENT_AUTH: setting }),
      });
      expect(steps).toContain(`client ${isTaken}`);
    } finally {
      await strict.stop();
    }
  },
);

it('names the setting of an unknown way to send the secret', async () => {
  const { status, body } = await tryOut({ AUTH_OPENID_CLIENT_AUTH: 'cookie' });
  expect([status, Object.keys(body)]).toEqual([400, ['AUTH_OPENID_CLIENT_AUTH']]);
});
