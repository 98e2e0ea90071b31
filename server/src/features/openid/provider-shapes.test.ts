import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import {
  ALGORITHMS,
  type Algorithm,
  CLIENT_ID,
  type ProviderScript,
  type ScriptedOpenid,
  startScriptedOpenid,
} from '../../testing/services/scripted-openid.ts';
import { bearer, cookiesOf } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const FAILED = '/core/auth/login/?refused=provider_failed';
let test: TestProgram;
let admin: Client;
let provider: ScriptedOpenid;
let script: ProviderScript;
/** Tells the discovery documents of two scripts apart, which are cached by the settings. */
let secrets = 0;
beforeAll(async () => {
  [test, provider] = await Promise.all([startTestProgram(), startScriptedOpenid()]);
  ({ script } = provider);
  admin = await bearer(test);
});
afterAll(async () => {
  await test?.stop();
  await provider?.stop();
});
beforeEach(() => {
  const username = unique('shape');
  Object.assign(script, {
    algorithm: 'RS256',
    token: { sub: `id of ${username}`, preferred_username: username, name: 'Wang Wu' },
    userinfo: undefined,
    isUserinfoSigned: false,
    metadata: {},
    refusal: undefined,
  });
});

const add = (claims: Json) => {
  script.token = { ...script.token, ...claims };
};
const now = () => Math.floor(Date.now() / 1000);

/** Signs in with the script, and returns the page and the account. */
async function signIn(change: (callback: string) => string = (callback) => callback) {
  const { status, text } = await admin.patch('settings/setting/', {
    AUTH_OPENID: true,
    AUTH_OPENID_ISSUER: provider.issuer,
    AUTH_OPENID_CLIENT_ID: CLIENT_ID,
    AUTH_OPENID_CLIENT_SECRET: `secret ${++secrets}`,
    AUTH_OPENID_GROUPS_CLAIM: 'realm_access.roles',
  });
  if (status !== 200) throw new Error(text);
  const first = await test.visitor.get('/core/auth/openid/login/');
  const at = new URL(first.headers.get('location') ?? '');
  const cookies = cookiesOf(first.headers);
  const back = await test.visitor
    .with({ cookie: headerOf(cookies) })
    .get(`/core/auth/openid/callback/?${change(provider.callback(at))}`);
  const { body } = await test.visitor
    .with({ cookie: headerOf(cookiesOf(back.headers)) })
    .get<Json>('users/profile/');
  return { where: back.headers.get('location'), account: body };
}
const headerOf = (cookies: Readonly<Record<string, string>>) =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
const groupsOf = (userId: unknown) =>
  sql<{ groups: string[] }>`select groups from provider_groups
    where user_id = ${String(userId)}`.execute(test.db);

/** The last failure in the log. */
const failure = (): string => {
  const line = test
    .log()
    .split('\n')
    .findLast((one) => one.includes('the answer of the OpenID provider was not accepted'));
  return String((JSON.parse(line ?? '{}') as Json).error);
};

it.each(Object.keys(ALGORITHMS) as Algorithm[])(
  'takes tokens that are signed with %s',
  async (algorithm) => {
    script.algorithm = algorithm;
    const { where, account } = await signIn();
    expect([where, account.username]).toEqual(['/ui/', script.token.preferred_username]);
  },
);

it('names the algorithm of a token that the metadata does not list', async () => {
  script.algorithm = 'ES384';
  script.metadata = { id_token_signing_alg_values_supported: ['RS256'] };
  expect((await signIn()).where).toBe(FAILED);
  expect(failure()).toContain('alg ES384');
});

it.each<[string, () => Json]>([
  ['a list with one audience', () => ({ aud: [CLIENT_ID] })],
  ['several audiences and the party', () => ({ aud: ['api', CLIENT_ID], azp: CLIENT_ID })],
  ['a clock that is 20 seconds fast', () => ({ iat: now() + 20, nbf: now() + 20 })],
  ['an end 10 seconds ago', () => ({ iat: now() - 300, exp: now() - 10 })],
  ['claims that were not requested', () => ({ at: { deep: [{}] }, auth_time: now(), acr: '0' })],
])('takes a token with %s', async (_, claims) => {
  add(claims());
  expect((await signIn()).where).toBe('/ui/');
});

it.each<[string, () => Json, string]>([
  ['several audiences without a party', () => ({ aud: ['api', CLIENT_ID] }), 'aud'],
  ['another party', () => ({ aud: ['api', CLIENT_ID], azp: 'api' }), 'azp'],
  ['a list of other audiences', () => ({ aud: ['api'] }), 'aud'],
  ['an end five minutes ago', () => ({ exp: now() - 300 }), 'exp'],
  ['a start in five minutes', () => ({ nbf: now() + 300 }), 'nbf'],
  ['no subject', () => ({ sub: undefined }), 'sub'],
])('refuses a token with %s, and names the claim in the log', async (_, claims, name) => {
  add(claims());
  expect((await signIn()).where).toBe(FAILED);
  expect(failure()).toContain(`"${name}"`);
});

it.each([
  [true, true],
  ['true', true],
  ['false', false],
  ['TRUE', false],
  [1, false],
  [undefined, false],
])('takes an e-mail address with email_verified %s as verified: %s', async (claim, isVerified) => {
  const email = `${unique('shape')}@example.com`;
  add({ email, email_verified: claim });
  const { account } = await signIn();
  expect(account.email === email).toBe(isVerified);
});

it.each<[string, Json]>([
  ['nested, as of Keycloak', { realm_access: { roles: ['ops', 'dev'] } }],
  ['named with a dot', { 'realm_access.roles': ['ops', 'dev'] }],
])('reads groups that are %s', async (_, claims) => {
  add(claims);
  const { account } = await signIn();
  const { rows } = await groupsOf(account.id);
  expect(rows).toEqual([{ groups: ['ops', 'dev'] }]);
});

it.each<[string, Json]>([
  ['a text where a path goes on', { realm_access: 'roles' }],
  ['an inherited property', { realm_access: [] }],
  ['null', { realm_access: null }],
])('reads no groups from %s', async (_, claims) => {
  add(claims);
  const { where, account } = await signIn();
  expect(where).toBe('/ui/');
  const { rows } = await groupsOf(account.id);
  expect(rows.flatMap(({ groups }) => groups)).toEqual([]);
});

it.each([false, true])('reads names from userinfo only (signed: %s)', async (isSigned) => {
  const { sub, ...claims } = script.token;
  Object.assign(script, { token: { sub }, isUserinfoSigned: isSigned, algorithm: 'ES256' });
  script.userinfo = { sub, ...claims };
  const { where, account } = await signIn();
  expect([where, account.username, account.name]).toEqual([
    '/ui/',
    claims.preferred_username,
    'Wang Wu',
  ]);
});

it('refuses userinfo of another person, and names the attribute', async () => {
  script.userinfo = { ...script.token, sub: 'another' };
  expect((await signIn()).where).toBe(FAILED);
  expect(failure()).toContain('"sub"');
});

it.each([
  ['access_denied', 'The user is not assigned to this application.'],
  ['temporarily_unavailable', undefined],
])('logs the error %s of the provider with its words', async (error, words) => {
  const refused = (callback: string) => {
    const query = new URLSearchParams(callback);
    query.delete('code');
    query.set('error', error);
    if (words) query.set('error_description', `${words}\n`);
    return query.toString();
  };
  expect((await signIn(refused)).where).toBe(FAILED);
  expect(failure()).toContain(words ? `${error}: ${words}` : error);
});

it.each([400, 401])('logs the error of a token endpoint that answers %d', async (status) => {
  script.refusal = {
    status,
    body: { error: 'invalid_client', error_description: 'Client secret has expired.' },
  };
  expect((await signIn()).where).toBe(FAILED);
  expect(failure()).toContain('invalid_client: Client secret has expired.');
});

it('logs the status of a token endpoint that answers no error of the protocol', async () => {
  script.refusal = { status: 502, body: {} };
  expect((await signIn()).where).toBe(FAILED);
  expect(failure()).toContain('HTTP 502');
});
