import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import WebSocket from 'ws';
import { sql } from '../../platform/db/sql.ts';
import { connectAgent, createAgent } from '../../testing/agents.ts';
import { unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import {
  claimsOf,
  type OpenidProvider,
  startOpenidProvider,
} from '../../testing/services/openid-provider.ts';
import { bearer, cookiesOf } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const LOGOUT = '/core/auth/openid/back-channel-logout/';
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

let test: TestProgram;
let provider: OpenidProvider;
beforeAll(async () => {
  test = await startTestProgram();
  provider = await startOpenidProvider(test.program.url);
  const settings = {
    AUTH_OPENID: true,
    AUTH_OPENID_ISSUER: provider.issuer,
    AUTH_OPENID_CLIENT_ID: provider.clientId,
    AUTH_OPENID_CLIENT_SECRET: provider.secret,
  };
  const { status, text } = await (await bearer(test)).patch('settings/setting/', settings);
  if (status !== 200) throw new Error(text);
});
afterAll(async () => {
  await test.stop();
  await provider.stop();
});
beforeEach(() => {
  const username = unique('person');
  provider.who = {
    sub: `id of ${username}`,
    preferred_username: username,
    name: 'Zhang San',
    email: `${username}@example.com`,
    email_verified: true,
  };
});

const headerOf = (jar: Readonly<Record<string, string>>) =>
  Object.entries(jar)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');

/** Signs in with a session of the provider. Returns the status of a page for this sign-in. */
async function signIn(session: string): Promise<() => Promise<number>> {
  const client = await clientOf(session);
  return async () => (await client.get('users/profile/')).status;
}

/** Signs in with a session of the provider. */
async function clientOf(session: string) {
  provider.tamper = (token) => provider.mint({ ...claimsOf(token), sid: session });
  const ours: Record<string, string> = {};
  const theirs: Record<string, string> = {};
  let at = new URL('/core/auth/openid/login/', test.program.url).href;
  for (let hops = 0; hops < 10 && ours.sessionid === undefined; hops++) {
    const jar = at.startsWith(provider.issuer) ? theirs : ours;
    const { headers } = await fetch(at, { redirect: 'manual', headers: { cookie: headerOf(jar) } });
    Object.assign(jar, cookiesOf(headers));
    at = new URL(headers.get('location') ?? '', at).href;
  }
  provider.tamper = undefined;
  const client = test.visitor.with({ cookie: headerOf(ours) });
  expect((await client.get('users/profile/')).status).toBe(200);
  return client;
}

const now = () => Math.floor(Date.now() / 1000);
/** A logout token, as the provider creates it. */
const claims = (more: Readonly<Record<string, unknown>>) => ({
  iss: provider.issuer,
  aud: provider.clientId,
  iat: now(),
  exp: now() + 120,
  jti: unique('token'),
  events: { [EVENT]: {} },
  ...more,
});

async function end(token: string): Promise<Response> {
  return await fetch(new URL(LOGOUT, test.program.url), {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
    redirect: 'manual',
  });
}

it('ends the sign-ins of one session or of all sessions of a user when the provider does', async () => {
  const [one, other] = [await signIn('first'), await signIn('second')];
  const answer = await end(provider.mint(claims({ sub: provider.who.sub, sid: 'first' })));
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect([await one(), await other()]).toEqual([401, 200]);
  const bySession = await signIn('third');
  expect((await end(provider.mint(claims({ sid: 'third' })))).status).toBe(200);
  expect([await bySession(), await other()]).toEqual([401, 200]);
  expect((await end(provider.mint(claims({ sub: provider.who.sub })))).status).toBe(200);
  expect(await other()).toBe(401);
});

it('ends the agents that the sign-in made, and leaves those of other sign-ins', async () => {
  const make = async (session: string) => {
    const page = await clientOf(session);
    const csrf = /csrftoken=([^;]*)/.exec(String(page.headers.cookie))?.[1] ?? '';
    return createAgent(page.with({ 'x-csrftoken': csrf }), { hosts: '*' });
  };
  const [mine, other] = [await make('agent-one'), await make('agent-two')];
  await (await connectAgent(test, mine.token)).close();
  expect((await end(provider.mint(claims({ sid: 'agent-one' })))).status).toBe(200);
  await expect(connectAgent(test, mine.token)).rejects.toThrow();
  await (await connectAgent(test, other.token)).close();
});

it('ends what the sign-in opened, and leaves tokens, keys and other sign-ins of the user', async () => {
  const [one, other] = [await clientOf('one'), await clientOf('other')];
  const open = async (client: typeof one) => {
    const url = new URL('/ws/live/', client.url);
    url.protocol = 'ws:';
    const socket = new WebSocket(url, {
      headers: { ...client.headers, origin: new URL(test.program.url).origin },
    });
    await new Promise((settle, fail) => socket.on('open', settle).on('error', fail));
    return socket;
  };
  const [first, second] = [await open(one), await open(other)];
  const id = String((await one.get<Json>('users/profile/')).body.id);
  const secret = 't'.repeat(43);
  await sql`insert into web_session (token_digest, user_id, kind, remote_addr, date_expired)
    values (sha256(${Buffer.from(`${secret}${id}`)}), ${id}, 'bearer', '127.0.0.1',
    now() + interval '1 hour')`.execute(test.db);
  await sql`insert into access_key (user_id, secret) values (${id}, '')`.execute(test.db);
  const origin = { source: 'openid', issuer: provider.issuer, subject: provider.who.sub };
  for (const session of ['one', 'other'])
    await sql`
      insert into pending_sign_in (token_digest, user_id, kind, first_factor, password_digest,
        date_expired, origin)
      values (sha256(${Buffer.from(`${session} ${id}`)}), ${id}, 'browser', 'external', '',
        now() + interval '1 hour', ${JSON.stringify({ ...origin, session })}::jsonb)`.execute(
      test.db,
    );
  const pending = async () =>
    (
      await sql<{ session: string }>`select origin ->> 'session' as session from pending_sign_in
        where user_id = ${id}`.execute(test.db)
    ).rows;

  expect((await end(provider.mint(claims({ sid: 'one' })))).status).toBe(200);
  await until(
    () => first.readyState === WebSocket.CLOSED,
    'the socket of the ended sign-in closes',
  );
  expect((await one.get('users/profile/')).status).toBe(401);
  expect([second.readyState, (await other.get('users/profile/')).status]).toEqual([
    WebSocket.OPEN,
    200,
  ]);
  const token = test.visitor.with({ authorization: `Bearer ${secret}${id}` });
  expect((await token.get('users/profile/')).status).toBe(200);
  expect(await pending()).toEqual([{ session: 'other' }]);
  const { rows } = await sql<{ keys: number }>`
    select count(*)::int as keys from access_key where user_id = ${id}`.execute(test.db);
  expect(rows[0]?.keys).toBe(1);
  second.terminate();
});

it('accepts a token once', async () => {
  const token = provider.mint(claims({ sub: provider.who.sub }));
  expect((await end(token)).status).toBe(200);
  const status = await signIn('later');
  expect((await end(token)).status).toBe(200);
  expect(await status()).toBe(200);
});

it('rejects a token that the provider did not issue for this purpose, and ends nothing', async () => {
  const status = await signIn('session');
  const { sub } = provider.who;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const good = claims({ sub });
  const tokens = [
    '',
    'no token',
    provider.mint(good, undefined, privateKey),
    provider.mint(good, { alg: 'none' }),
    provider.mint({ ...good, iss: 'https://other.example.com' }),
    provider.mint({ ...good, aud: 'another client' }),
    provider.mint({ ...good, iat: now() - 7200, exp: now() - 3600 }),
    provider.mint({ ...good, events: {} }),
    provider.mint({ ...good, nonce: 'of an ID token' }),
    provider.mint({ ...good, jti: undefined }),
    provider.mint({ ...good, sub: undefined }),
  ];
  for (const token of tokens) expect((await end(token)).status).toBe(400);
  expect(await status()).toBe(200);
});
