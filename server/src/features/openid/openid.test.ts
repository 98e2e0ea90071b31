import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import {
  claimsOf,
  type OpenidProvider,
  startOpenidProvider,
} from '../../testing/services/openid-provider.ts';
import { bearer, cookiesOf } from '../../testing/sign-in.ts';
import { whileRefused } from '../../testing/sign-in-rule.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const SETTINGS = 'settings/setting/';
let test: TestProgram;
let admin: Client;
let provider: OpenidProvider;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  provider = await startOpenidProvider(test.program.url);
  const { status, text } = await admin.patch(SETTINGS, {
    AUTH_OPENID: true,
    AUTH_OPENID_NAME: 'Example login',
    AUTH_OPENID_ISSUER: provider.issuer,
    AUTH_OPENID_CLIENT_ID: provider.clientId,
    AUTH_OPENID_CLIENT_SECRET: provider.secret,
  });
  if (status !== 200) throw new Error(text);
});
afterAll(async () => {
  await test.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.tamper = undefined;
  const username = unique('person');
  provider.who = {
    sub: `id of ${username}`,
    preferred_username: username,
    name: 'Zhang San',
    email: `${username}@example.com`,
    email_verified: true,
  };
});

type Jar = Record<string, string>;
const withJar = (jar: Jar) =>
  test.visitor.with({
    cookie: Object.entries(jar)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  });
const keep = (jar: Jar, headers: Headers) => {
  for (const [name, value] of Object.entries(cookiesOf(headers))) {
    if (value) jar[name] = value;
    else delete jar[name];
  }
};

/** Goes to the provider and back to the callback, as a browser does. */
async function toProvider(jar: Jar, next = '/ui/'): Promise<{ asked: URL; callback: string }> {
  const first = await withJar(jar).get(`/core/auth/openid/login/?next=${encodeURIComponent(next)}`);
  keep(jar, first.headers);
  const authorization = new URL(first.headers.get('location') ?? '', test.program.url);
  const elsewhere: Jar = {};
  let at = authorization.href;
  for (let hops = 0; hops < 6 && at.startsWith(provider.issuer); hops++) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: {
        cookie: Object.entries(elsewhere)
          .map(([name, value]) => `${name}=${value}`)
          .join('; '),
      },
    });
    keep(elsewhere, response.headers);
    at = new URL(response.headers.get('location') ?? '', at).href;
  }
  const back = new URL(at);
  return { asked: authorization, callback: `${back.pathname}${back.search}` };
}
async function come(jar: Jar, callback: string) {
  const { headers, status } = await withJar(jar).get(callback);
  keep(jar, headers);
  return { status, where: headers.get('location') };
}
async function signIn(jar: Jar = {}, next?: string) {
  const { callback } = await toProvider(jar, next);
  return { ...(await come(jar, callback)), jar };
}
const profile = async (jar: Jar) => (await withJar(jar).get<Json>('users/profile/')).body;

describe('signing in through a provider', () => {
  it('redirects to the provider with code, PKCE, state and nonce, and back to the requested page', async () => {
    const jar: Jar = {};
    const { asked, callback } = await toProvider(jar, '/ui/assets?tab=a');
    expect(asked.origin).toBe(provider.issuer);
    const sent = Object.fromEntries(asked.searchParams);
    expect(sent).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid profile email',
      client_id: 'sallyport',
    });
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(sent[name]?.length).toBeGreaterThan(40);
    expect(await come(jar, callback)).toEqual({ status: 303, where: '/ui/assets?tab=a' });
    expect(await profile(jar)).toMatchObject({
      username: provider.who.preferred_username,
      name: 'Zhang San',
      source: 'openid',
      email: provider.who.email,
    });
    expect(test.log()).not.toContain('hunter2');
  });

  it('refuses a sign-in that a rule of the account refuses', async () => {
    const { id } = await profile((await signIn()).jar);
    const refused = await whileRefused(admin, id, () => signIn());
    expect(refused.where).toBe('/core/auth/login/?refused=sign_in_condition');
    expect((await withJar(refused.jar).get('users/profile/')).status).toBe(401);
    expect((await signIn()).where).toBe('/ui/');
  });

  it('creates one account per subject, even if its name changes later', async () => {
    const first = await profile((await signIn()).jar);
    provider.who = {
      ...provider.who,
      preferred_username: 'admin',
      name: 'Li Si',
      email: 'li.si@example.com',
    };
    const again = await profile((await signIn()).jar);
    expect(again).toMatchObject({
      id: first.id,
      username: first.username,
      name: 'Li Si',
      email: 'li.si@example.com',
      role: 'User',
    });
    await signIn();
    const log = await admin.get<{ results: Json[] }>(
      `audits/operate-logs/?limit=5&order=-datetime&user=OpenID&search=${String(first.username)}`,
    );
    expect(log.body.results.map(({ action, changes }) => [action, changes])).toEqual([
      ['update', { name: ['Zhang San', 'Li Si'], email: [first.email, 'li.si@example.com'] }],
      [
        'create',
        expect.objectContaining({ source: [null, 'openid'], username: [null, first.username] }),
      ],
    ]);
  });

  it('redirects to no other site after the sign-in', async () => {
    expect((await signIn({}, 'https://evil.example.com/')).where).toBe('/ui/');
  });

  it('asks for the second factor, and rejects disabled users', async () => {
    const { jar } = await signIn();
    const { id } = await profile(jar);
    await sql`update account set mfa_level = 2 where id = ${id}`.execute(test.db);
    const pending = await signIn();
    expect(pending.where).toBe('/core/auth/login/');
    expect(pending.jar.sessionid).toBeUndefined();
    expect((await withJar(pending.jar).get('/core/auth/login/state/')).body).toMatchObject({
      state: 'mfa_unset',
    });
    await sql`update account set mfa_level = 0, is_active = false where id = ${id}`.execute(
      test.db,
    );
    expect((await signIn()).where).toBe('/core/auth/login/?refused=user_inactive');
  });

  it('shows its button only while OpenID is enabled', async () => {
    const button = async () =>
      (await test.visitor.get<{ data: Json }>('settings/public/')).body.data.AUTH_OPENID_BUTTON;
    expect(await button()).toBe('Example login');
    await admin.patch(SETTINGS, { AUTH_OPENID: false });
    expect(await button()).toBe('');
    for (const path of ['login', 'callback'])
      expect((await test.visitor.get(`/core/auth/openid/${path}/`)).status).toBe(404);
    await admin.patch(SETTINGS, { AUTH_OPENID: true });
  });

  it('reports an unreachable provider', async () => {
    // The secret goes to another address only if it is entered again.
    const setIssuer = async (issuer: string) =>
      expect(
        (
          await admin.patch(SETTINGS, {
            AUTH_OPENID_ISSUER: issuer,
            AUTH_OPENID_CLIENT_SECRET: provider.secret,
          })
        ).status,
      ).toBe(200);
    expect((await admin.patch(SETTINGS, { AUTH_OPENID_ISSUER: 'http://127.0.0.1:1' })).status).toBe(
      400,
    );
    await setIssuer('http://127.0.0.1:1');
    const { headers } = await test.visitor.get('/core/auth/openid/login/');
    expect(headers.get('location')).toBe('/core/auth/login/?refused=provider_unavailable');
    // No unencrypted request leaves for another host.
    await setIssuer('http://login.example.com');
    expect((await test.visitor.get('/core/auth/openid/login/')).headers.get('location')).toContain(
      'provider_unavailable',
    );
    expect(test.log()).toContain('only requests to HTTPS are allowed');
    await setIssuer(provider.issuer);
  });
});

describe('signing out', () => {
  it('signs out at the provider as well', async () => {
    const { jar } = await signIn();
    const { headers } = await withJar(jar).get('/core/auth/login/');
    keep(jar, headers);
    const page = withJar(jar).with({
      'x-csrftoken': jar.csrftoken ?? '',
      origin: new URL(test.program.url).origin,
    });
    const { body } = await page.post<{ next: string }>('/core/auth/logout/', {});
    expect(body.next).toBe('/core/auth/openid/logout/');
    const there = new URL((await come(jar, body.next)).where ?? '');
    expect(`${there.origin}${there.pathname}`).toBe(`${provider.issuer}/session/end`);
    expect(claimsOf(there.searchParams.get('id_token_hint') ?? '').sub).toBe(provider.who.sub);
    expect(jar.sallyport_openid_end).toBeUndefined();
    expect((await fetch(there, { redirect: 'manual' })).status).toBe(200);
  });
});

describe('accounts of others', () => {
  const refused = async (claims: Json) => {
    provider.who = { ...provider.who, ...claims };
    return (await signIn()).where;
  };

  it('does not link an existing account by its name', async () => {
    expect(await refused({ preferred_username: 'admin' })).toBe(
      '/core/auth/login/?refused=provider_username_taken',
    );
    expect(await refused({ preferred_username: 'ADMIN' })).toContain('provider_username_taken');
    expect(await refused({ preferred_username: 'no name!' })).toContain('provider_username');
    const waiting = await buildUser(test.db);
    await sql`update account set source = 'openid' where id = ${waiting.id}`.execute(test.db);
    expect(await refused({ preferred_username: waiting.username })).toContain(
      'provider_username_taken',
    );
  });

  it('does not link an existing account by its e-mail address, verified or not', async () => {
    const local = await buildUser(test.db);
    const [row] = (
      await sql<{ email: string }>`select email from account where id = ${local.id}`.execute(
        test.db,
      )
    ).rows;
    expect(await refused({ email: row?.email })).toContain('provider_email_taken');
    provider.who = { ...provider.who, email_verified: false };
    const { jar } = await signIn();
    const linked = await profile(jar);
    expect(linked.id).not.toBe(local.id);
    expect(linked.email).toBe(`${linked.username}@localhost`);
  });

  it('links a prepared account once, to the user with its verified e-mail address', async () => {
    const waiting = await buildUser(test.db);
    const email = `${unique('waits')}@example.com`;
    await sql`update account set source = 'openid',
      email = ${email} where id = ${waiting.id}`.execute(test.db);
    expect(await refused({ email, email_verified: false })).toBe('/ui/');
    provider.who = { ...provider.who, sub: unique('subject'), email, email_verified: true };
    expect(await profile((await signIn()).jar)).toMatchObject({ id: waiting.id });
    provider.who = {
      ...provider.who,
      sub: unique('another'),
      preferred_username: unique('another'),
    };
    expect((await signIn()).where).toContain('provider_email_taken');
  });

  it('links no prepared account by an address that only looks like its own', async () => {
    const waiting = await buildUser(test.db);
    const email = `${unique('waits')}k@example.com`;
    await sql`update account set source = 'openid',
      email = ${email} where id = ${waiting.id}`.execute(test.db);
    provider.who = {
      ...provider.who,
      ...{ sub: unique('subject'), preferred_username: unique('other') },
      ...{ email: email.replace('k@', '\u212a@'), email_verified: true },
    };
    const other = await profile((await signIn()).jar);
    expect([other.id === waiting.id, other.email]).toEqual([false, `${other.username}@localhost`]);
    const own = email.toUpperCase();
    provider.who = { ...provider.who, sub: unique('subject'), email: own, email_verified: true };
    expect(await profile((await signIn()).jar)).toMatchObject({ id: waiting.id });
  });

  it('rejects accounts that have changed to another source', async () => {
    const { id } = await profile((await signIn()).jar);
    await sql`update account set source = 'local' where id = ${id}`.execute(test.db);
    expect((await signIn()).where).toContain('provider_other_source');
  });
});

describe('an attack', () => {
  const FAILED = '/core/auth/login/?refused=provider_failed';

  it('rejects the callback of another browser', async () => {
    const attacker = await toProvider({});
    const victim: Jar = {};
    // Without a sign-in, during another sign-in, and with the state of another one.
    expect((await come(victim, attacker.callback)).where).toBe(FAILED);
    await toProvider(victim);
    expect((await come(victim, attacker.callback)).where).toBe(FAILED);
    const { asked } = await toProvider(victim);
    const mixed = new URL(attacker.callback, test.program.url);
    mixed.searchParams.set('state', asked.searchParams.get('state') ?? '');
    expect((await come(victim, `${mixed.pathname}${mixed.search}`)).where).toBe(FAILED);
    expect(victim.sessionid).toBeUndefined();
  });

  it('rejects a code that was already used', async () => {
    const jar: Jar = {};
    const { callback } = await toProvider(jar);
    const copy = { ...jar };
    expect((await come(jar, callback)).where).toBe('/ui/');
    expect((await come(jar, callback)).where).toBe(FAILED);
    // Also with the cookie from before.
    expect((await come(copy, callback)).where).toBe(FAILED);
    expect(copy.sessionid).toBeUndefined();
  });

  it('rejects a forged cookie', async () => {
    const jar: Jar = {};
    const { callback } = await toProvider(jar);
    jar.sallyport_openid = `${jar.sallyport_openid?.slice(0, -4)}AAAA`;
    expect((await come(jar, callback)).where).toBe(FAILED);
  });

  it.each([
    ['no signature', (token: string) => provider.mint(claimsOf(token), { alg: 'none' })],
    [
      'a signature of something else',
      (token: string) =>
        `${token.split('.')[0]}.${provider.mint({ ...claimsOf(token), sub: 'admin' }).split('.')[1]}.${token.split('.')[2]}`,
    ],
    [
      'the signature of another key',
      (token: string) =>
        provider.mint(
          claimsOf(token),
          undefined,
          generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
        ),
    ],
    [
      'another nonce',
      (token: string) => provider.mint({ ...claimsOf(token), nonce: 'x'.repeat(43) }),
    ],
    ['another audience', (token: string) => provider.mint({ ...claimsOf(token), aud: 'another' })],
    [
      'another issuer',
      (token: string) => provider.mint({ ...claimsOf(token), iss: 'https://login.example.com' }),
    ],
    [
      'a time that has passed',
      (token: string) => provider.mint({ ...claimsOf(token), exp: 1_000 }),
    ],
    [
      'another subject than that of the access token',
      (token: string) => provider.mint({ ...claimsOf(token), sub: 'somebody else' }),
    ],
  ])('rejects an answer with %s', async (_what, tamper) => {
    provider.tamper = tamper;
    const { where, jar } = await signIn();
    expect(where).toBe(FAILED);
    expect(jar.sessionid).toBeUndefined();
    // The unchanged answer is valid, so the rejection is due to the change.
    provider.tamper = (token) => provider.mint(claimsOf(token));
    expect((await signIn()).where).toBe('/ui/');
  });
});
