import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../testing/client.ts';
import {
  CLIENT_ID,
  type ScriptedOpenid,
  startScriptedOpenid,
} from '../../testing/services/scripted-openid.ts';
import { bearer, cookiesOf } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Names of the new key: another one, the same one, and none. */
const ROTATIONS = ['second', 'second', undefined] as const;

let test: TestProgram;
let provider: ScriptedOpenid;
beforeAll(async () => {
  [test, provider] = await Promise.all([startTestProgram(), startScriptedOpenid()]);
  const { status, text } = await (await bearer(test)).patch('settings/setting/', {
    AUTH_OPENID: true,
    AUTH_OPENID_ISSUER: provider.issuer,
    AUTH_OPENID_CLIENT_ID: CLIENT_ID,
    AUTH_OPENID_CLIENT_SECRET: 'a secret of the client',
  });
  expect(status, text).toBe(200);
});
afterAll(async () => {
  await test?.stop();
  await provider?.stop();
});

const headerOf = (cookies: Readonly<Record<string, string>>) =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');

/** Signs in with a session of the provider. */
async function signIn(session: string): Promise<Client> {
  provider.script.token = { sub: 'zhang', preferred_username: 'zhang', sid: session };
  const first = await test.visitor.get('/core/auth/openid/login/');
  const callback = provider.callback(new URL(first.headers.get('location') ?? ''));
  const back = await test.visitor
    .with({ cookie: headerOf(cookiesOf(first.headers)) })
    .get(`/core/auth/openid/callback/?${callback}`);
  expect(back.headers.get('location')).toBe('/ui/');
  return test.visitor.with({ cookie: headerOf(cookiesOf(back.headers)) });
}
const statusOf = async (client: Client) => (await client.get('users/profile/')).status;

let tokens = 0;
/** Sends the logout token of a session, signed with the current key, and returns the status. */
async function end(sid: string): Promise<number> {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: provider.issuer, aud: CLIENT_ID, iat: now, exp: now + 120 };
  const purpose = { jti: `token ${++tokens}`, sid, events: { [EVENT]: {} } };
  const { status } = await fetch(
    new URL('/core/auth/openid/back-channel-logout/', test.program.url),
    {
      method: 'POST',
      body: new URLSearchParams({ logout_token: provider.mint({ ...claims, ...purpose }) }),
    },
  );
  return status;
}

it('takes the new keys of a provider at once, for sign-ins and for the ends of sessions', async () => {
  let client = await signIn('session 0');
  expect([await end('session 0'), await statusOf(client)]).toEqual([200, 401]);
  for (const [index, name] of ROTATIONS.entries()) {
    provider.rotate(name);
    client = await signIn(`session ${index + 1}`);
    expect([index, await statusOf(client)]).toEqual([index, 200]);
    const ended = await end(`session ${index + 1}`);
    expect([index, ended, await statusOf(client)]).toEqual([index, 200, 401]);
  }
});

it('fetches keys for few of the logout tokens whose key is unknown', async () => {
  const before = provider.keyRequests();
  provider.rotate('unpublished', false);
  for (let count = 0; count < 20; count++) expect(await end('session')).toBe(400);
  // A slow machine refills the allowance once or twice.
  expect(provider.keyRequests() - before).toBeLessThan(10);
});
