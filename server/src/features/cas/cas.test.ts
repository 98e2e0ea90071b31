import type { CasTest, LinkedIdentities } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { type CasTestServer, startCasServer } from '../../testing/services/cas-server.ts';
import { startMailbox, tokenIn, useMailbox } from '../../testing/services/mailbox.ts';
import { bearer, cookiesOf, openBrowser, tryToSignIn } from '../../testing/sign-in.ts';
import { whileRefused } from '../../testing/sign-in-rule.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

// `testing/services/cas-server.ts` is written from the protocol text, as Debian packages no server.
const SETTINGS = 'settings/setting/';
const FAILED = '/core/auth/login/?refused=provider_failed';
let test: TestProgram;
let admin: Client;
let server: CasTestServer;
const form = (more: Json = {}): Json => ({
  AUTH_CAS: true,
  AUTH_CAS_NAME: 'Example login',
  AUTH_CAS_SERVER_URL: server.address,
  AUTH_CAS_VERSION: '3',
  AUTH_CAS_USER_ATTR_MAP: { username: 'user', name: 'displayName', email: 'mail' },
  AUTH_CAS_CREATE_USERS: true,
  AUTH_CAS_LOGOUT: true,
  ...more,
});
const set = async (more: Json = {}) =>
  expect((await admin.put(SETTINGS, { cas: form(more) })).status).toBe(200);
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  server = await startCasServer();
  await set();
});
afterAll(async () => {
  await test.stop();
  await server.stop();
});
beforeEach(() => {
  Object.assign(server, { tamper: undefined, isKnown: () => true });
  const user = unique('person');
  server.who = {
    user,
    attributes: { displayName: 'Zhang San', mail: [`${user}@example.com`, `${user}@example.org`] },
  };
});

type Jar = Record<string, string>;
const withJar = (jar: Jar) =>
  test.visitor.with({
    cookie: Object.entries(jar)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  });
const go = async (jar: Jar, path: string) => {
  const { headers, status } = await withJar(jar).get(path);
  for (const [name, value] of Object.entries(cookiesOf(headers))) {
    if (value) jar[name] = value;
    else delete jar[name];
  }
  return { status, where: headers.get('location') ?? '' };
};
/** Goes to the server, which redirects back with a ticket. Returns the path of the callback. */
async function toServer(jar: Jar, next = '/ui/'): Promise<string> {
  const { where } = await go(jar, `/core/auth/cas/login/?next=${encodeURIComponent(next)}`);
  const back = new URL(
    (await fetch(where, { redirect: 'manual' })).headers.get('location') ?? '',
    where,
  );
  return `${back.pathname}${back.search}`;
}
async function signIn(jar: Jar = {}, next?: string) {
  return { where: (await go(jar, await toServer(jar, next))).where, jar };
}
const profile = async (jar: Jar) => (await withJar(jar).get<Json>('users/profile/')).body;
const isIn = async (jar: Jar) => (await withJar(jar).get('users/profile/')).status === 200;

describe('signing in through a CAS server', () => {
  it('refuses a sign-in that a rule of the account refuses', async () => {
    const { id } = await profile((await signIn()).jar);
    const refused = await whileRefused(admin, id, () => signIn());
    expect(refused.where).toBe('/core/auth/login/?refused=sign_in_condition');
    expect(await isIn(refused.jar)).toBe(false);
    expect((await signIn()).where).toBe('/ui/');
  });

  it('redirects to the server and back to the requested page, with the attributes of version 3', async () => {
    const { where, jar } = await signIn({}, '/ui/assets?tab=a');
    expect(where).toBe('/ui/assets?tab=a');
    expect(await profile(jar)).toMatchObject({
      username: server.who.user,
      name: 'Zhang San',
      email: `${server.who.user}@example.com`,
      source: 'cas',
      role: 'User',
    });
    expect(server.last.service).toMatch(/\/core\/auth\/cas\/callback\/\?state=[\w-]{43}$/);
    expect((await profile((await signIn()).jar)).id).toBe((await profile(jar)).id);
    expect((await signIn({}, 'https://evil.example.com/')).where).toBe('/ui/');
  });

  it('reads answers of version 2, which have no attributes', async () => {
    await set({ AUTH_CAS_VERSION: '2' });
    const { jar } = await signIn();
    expect(await profile(jar)).toMatchObject({
      username: server.who.user,
      name: server.who.user,
      email: `${server.who.user}@localhost`,
    });
    expect(server.requests.at(-1)).toMatch(/^\/cas\/serviceValidate/);
    await set();
  });

  it('asks for the second factor, and rejects disabled users', async () => {
    const { id } = await profile((await signIn()).jar);
    await sql`update account set mfa_level = 2 where id = ${id}`.execute(test.db);
    const pending = await signIn();
    expect([pending.where, pending.jar.sessionid]).toEqual(['/core/auth/login/', undefined]);
    await sql`update account set mfa_level = 0, is_active = false where id = ${id}`.execute(
      test.db,
    );
    expect((await signIn()).where).toBe('/core/auth/login/?refused=user_inactive');
  });

  it('shows its button only while CAS is enabled, and sends no unencrypted request to another host', async () => {
    const button = async () =>
      (await test.visitor.get<{ data: Json }>('settings/public/')).body.data.AUTH_CAS_BUTTON;
    expect(await button()).toBe('Example login');
    await set({ AUTH_CAS: false });
    expect(await button()).toBe('');
    for (const path of ['login', 'callback'])
      expect((await test.visitor.get(`/core/auth/cas/${path}/`)).status).toBe(404);
    await set({ AUTH_CAS_SERVER_URL: 'http://127.0.0.1:1/cas' });
    const jar: Jar = {};
    const { where } = await go(jar, '/core/auth/cas/login/');
    const state = new URL(new URL(where).searchParams.get('service') ?? '').searchParams.get(
      'state',
    );
    expect(
      (await go(jar, `/core/auth/cas/callback/?state=${state}&ticket=ST-1-x`)).where,
    ).toContain('provider_unavailable');
    expect(
      (
        await admin.put(SETTINGS, {
          cas: form({ AUTH_CAS_SERVER_URL: 'http://cas.example.com/cas' }),
        })
      ).status,
    ).toBe(400);
    await set();
  });
});

describe('signing out', () => {
  it('signs out at the server as well', async () => {
    const { jar } = await signIn();
    await go(jar, '/core/auth/login/');
    const page = withJar(jar).with({
      'x-csrftoken': jar.csrftoken ?? '',
      origin: new URL(test.program.url).origin,
    });
    expect((await page.post<{ next: string }>('/core/auth/logout/', {})).body.next).toBe(
      '/core/auth/cas/logout/',
    );
    const there = new URL((await go(jar, '/core/auth/cas/logout/')).where);
    expect([`${there.origin}${there.pathname}`, there.searchParams.get('service')]).toEqual([
      `${server.address}/logout`,
      `${test.program.url.replace(/\/$/, '')}/core/auth/login/`,
    ]);
    expect(jar.sallyport_cas_end).toBeUndefined();
  });

  it('ends exactly the session of the ticket when the server signs out', async () => {
    const first = (await signIn()).jar;
    const { ticket, service } = { ...server.last };
    const second = (await signIn()).jar;
    // The ticket is the only proof: an unknown one ends nothing.
    for (const unknown of ['ST-1-guess', '', 'PT-1', ticket.slice(0, -1)])
      await server.signOut(unknown, service);
    await server.signOut(ticket, service, (request) => `<!DOCTYPE a>${request}`);
    expect(await Promise.all([first, second].map(isIn))).toEqual([true, true]);
    expect(await server.signOut(ticket, service)).toBe(200);
    expect(await Promise.all([first, second].map(isIn))).toEqual([false, true]);
    const { rows } = await sql<{
      origin: string;
    }>`select origin::text from web_session where origin is not null`.execute(test.db);
    expect(rows.map(({ origin }) => origin).join()).not.toContain('ST-');
  });
});

describe('accounts of others (M7)', () => {
  const refused = async (user: string, mail = `${unique('x')}@example.com`) => {
    server.who = { user, attributes: { mail } };
    return (await signIn()).where;
  };
  it('does not link an existing account by its name or e-mail address', async () => {
    expect(await refused('admin')).toBe('/core/auth/login/?refused=provider_username_taken');
    expect(await refused('no name!')).toContain('provider_username');
    const local = await buildUser(test.db);
    const [row] = (
      await sql<{ email: string }>`select email from account where id = ${local.id}`.execute(
        test.db,
      )
    ).rows;
    expect(await refused(unique('x'), row?.email)).toContain('provider_email_taken');
    await sql`update account set source = 'saml' where id = ${local.id}`.execute(test.db);
    expect(await refused(local.username)).toContain('provider_username_taken');
  });

  it('links prepared accounts by name, and creates none if the settings forbid it', async () => {
    await set({ AUTH_CAS_CREATE_USERS: false });
    expect(await refused(unique('nobody'))).toContain('provider_no_account');
    const waiting = await buildUser(test.db);
    await sql`update account set source = 'cas' where id = ${waiting.id}`.execute(test.db);
    server.who = { user: waiting.username, attributes: {} };
    expect(await profile((await signIn()).jar)).toMatchObject({ id: waiting.id });
    await set();
  });
});

describe('an attack', () => {
  it('rejects the ticket of another browser (login CSRF)', async () => {
    const attacker = await toServer({});
    const victim: Jar = {};
    expect((await go(victim, attacker)).where).toBe(FAILED);
    const own = await toServer(victim);
    const mixed = `${own.split('&ticket=')[0]}&ticket=${attacker.split('&ticket=')[1]}`;
    expect((await go(victim, mixed)).where).toBe(FAILED);
    expect(test.log()).toContain('INVALID_SERVICE');
    expect(victim.sessionid).toBeUndefined();
  });

  it('rejects a ticket that was already used', async () => {
    const jar: Jar = {};
    const callback = await toServer(jar);
    const copy = { ...jar };
    expect((await go(jar, callback)).where).toBe('/ui/');
    expect((await go(copy, callback)).where).toBe(FAILED);
  });

  it.each<[string, (answer: string) => string]>([
    [
      'a failure',
      (answer) =>
        answer.replace(
          /<cas:authenticationSuccess>[\s\S]*<\/cas:authenticationSuccess>/,
          '<cas:authenticationFailure code="INTERNAL_ERROR"/>',
        ),
    ],
    [
      'two answers',
      (answer) =>
        answer.replace(
          '</cas:serviceResponse>',
          '<cas:authenticationSuccess><cas:user>evil</cas:user></cas:authenticationSuccess></cas:serviceResponse>',
        ),
    ],
    ['a comment in the name', (answer) => answer.replace('<cas:user>', '<cas:user>evil<!-- -->')],
    ['two names', (answer) => answer.replace('<cas:user>', '<cas:user>evil</cas:user><cas:user>')],
    [
      'another namespace',
      (answer) => answer.replace('http://www.yale.edu/tp/cas', 'http://evil.example.com'),
    ],
    ['an entity', (answer) => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${answer}`],
    [
      'proxies',
      (answer) =>
        answer.replace(
          '</cas:user>',
          '</cas:user><cas:proxies><cas:proxy>https://other.example.com</cas:proxy></cas:proxies>',
        ),
    ],
    ['too much', (answer) => answer.replace('</cas:user>', `</cas:user>${' '.repeat(300_000)}`)],
    ['a page', () => '<html><body>Please sign in</body></html>'],
  ])('rejects a ticket when the server answers with %s', async (_what, tamper) => {
    server.tamper = (answer) => {
      expect(tamper(answer)).not.toBe(answer);
      return tamper(answer);
    };
    const { where, jar } = await signIn();
    expect([where, jar.sessionid]).toEqual([FAILED, undefined]);
  });

  it('rejects a malformed ticket without asking the server', async () => {
    const jar: Jar = {};
    const callback = await toServer(jar);
    const requestCount = server.requests.length;
    expect((await go(jar, callback.replace(/ticket=.*/, 'ticket=PT-1-proxy'))).where).toBe(FAILED);
    expect(server.requests.length).toBe(requestCount);
  });
});

describe('the identity of one account', () => {
  const OWN = 'users/profile/identities/';
  const managed = (id: unknown) => `users/users/${String(id)}/identities/`;
  const issuerOf = async (jar: Jar) =>
    ((await withJar(jar).get<LinkedIdentities & Json>(OWN)).body.identities[0]?.issuer ??
      '') as string;
  /** A user who signed in through the server, and a browser that can send forms. */
  async function person() {
    const { jar } = await signIn();
    const { id, username } = await profile(jar);
    const page = withJar(jar).with({
      'x-csrftoken': jar.csrftoken ?? '',
      origin: new URL(test.program.url).origin,
    });
    return {
      jar,
      page,
      id: String(id),
      username: String(username),
      which: { source: 'cas', issuer: await issuerOf(jar) },
    };
  }
  const entriesOf = async (id: string) =>
    (
      await sql<{
        changes: Json;
      }>`select changes from operate_log where resource_id = ${id} and changes ? 'cas_subject'
        order by sequence`.execute(test.db)
    ).rows;
  const canSignIn = async (username: string, password: string) =>
    (await tryToSignIn(test, { username, password })).status === 201;

  it('shows a linked identity, which its owner can remove only with another way to sign in', async () => {
    const { jar, page, id, username, which } = await person();
    const { body } = await page.get<LinkedIdentities & Json>(OWN);
    expect(body.identities).toEqual([
      expect.objectContaining({ ...which, subject: username, is_last_way: true }),
    ]);
    const refused = await page.post(`${OWN}end/`, which);
    expect([refused.status, refused.body.code]).toEqual([400, 'identity_last_way']);
    await sql`insert into external_identity (source, issuer, subject, user_id)
      values ('cas', 'https://second.example.com', ${username}, ${id}::uuid)`.execute(test.db);
    await sql`update web_session set date_created = date_created - interval '1 hour'
      where user_id = ${id}`.execute(test.db);
    expect((await page.post(`${OWN}end/`, which)).body.code).toBe('sign_in_again');
    await sql`update web_session set date_created = now() where user_id = ${id}`.execute(test.db);
    const other = (await signIn()).jar;
    expect(
      (await page.post(`${OWN}end/`, { ...which, issuer: 'https://nobody.example.com' })).body,
    ).toHaveProperty('issuer');
    expect((await page.post(`${OWN}end/`, which)).status).toBe(204);
    expect([await isIn(jar), await isIn(other)]).toEqual([true, false]);
    const left = (await page.get<LinkedIdentities & Json>(OWN)).body.identities;
    expect(left).toEqual([
      expect.objectContaining({ issuer: 'https://second.example.com', is_last_way: true }),
    ]);
    // The account still has an identity, so its name at the server does not link to it again.
    expect((await signIn()).where).toContain('provider_username_taken');
    expect(await entriesOf(id)).toEqual([
      { changes: expect.objectContaining({ cas_subject: [username, null], sign_ins: [1, 0] }) },
    ]);
  });

  it('keeps one identity when both are removed at the same time', async () => {
    const { page, id, username, which } = await person();
    const second = { source: 'cas', issuer: 'https://second.example.com' };
    await sql`insert into external_identity (source, issuer, subject, user_id)
      values ('cas', ${second.issuer}, ${username}, ${id}::uuid)`.execute(test.db);
    const answers = await Promise.all([
      page.post(`${OWN}end/`, which),
      page.post(`${OWN}end/`, second),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 400]);
  });

  it('lets an administrator replace the identity with a password, and ends everything from before', async () => {
    const { jar, id, username, which } = await person();
    const identities = await admin.get<LinkedIdentities & Json>(managed(id));
    expect(identities.body).toMatchObject({
      identities: [{ ...which, is_last_way: true }],
      sign_ins: 1,
      access_keys: 0,
      sessions: 0,
    });
    const end = (body: Json) => admin.post(`${managed(id)}end/`, { ...which, ...body });
    const refused = await end({});
    expect([refused.status, refused.body.code]).toEqual([400, 'identity_last_way']);
    expect((await end({ way: 'password' })).body).toHaveProperty('password');
    expect((await end({ way: 'password', password: 'short' })).body).toHaveProperty('password');
    // Rejected requests change nothing.
    expect([await isIn(jar), (await entriesOf(id)).length]).toEqual([true, 0]);
    expect((await end({ way: 'password', password: 'chosen for them 7' })).status).toBe(204);
    expect([await isIn(jar), await canSignIn(username, 'chosen for them 7')]).toEqual([
      false,
      true,
    ]);
    expect((await signIn()).where).toContain('provider_username_taken');
    expect((await admin.get<Json>(`users/users/${id}/`)).body.source).toBe('local');
    expect(await entriesOf(id)).toEqual([
      {
        changes: expect.objectContaining({
          cas_subject: [username, null],
          cas_issuer: [which.issuer, null],
        }),
      },
    ]);
    expect((await end({})).body).toHaveProperty('issuer');
  });

  it('replaces the identity with a mailed link to choose a password, with a mail server and an address', async () => {
    const { id, username, which } = await person();
    const end = () => admin.post(`${managed(id)}end/`, { ...which, way: 'link' });
    expect((await end()).body.code).toBe('mail_not_configured');
    const mailbox = await startMailbox();
    try {
      await useMailbox(admin, mailbox);
      await sql`update account set email = ${`${username}@localhost`} where id = ${id}`.execute(
        test.db,
      );
      expect((await end()).body.code).toBe('no_mail_address');
      await sql`update account set email = ${`${username}@example.com`} where id = ${id}`.execute(
        test.db,
      );
      expect((await end()).status).toBe(204);
      const token = tokenIn(await mailbox.next(`${username}@example.com`));
      const page = await openBrowser(test);
      expect(
        (
          await page.post('/core/auth/password/reset/', {
            token,
            new_password: 'chosen by myself 7',
          })
        ).status,
      ).toBe(200);
      expect(await canSignIn(username, 'chosen by myself 7')).toBe(true);
    } finally {
      await mailbox.stop();
    }
  });

  it('allows administrators of the installation only', async () => {
    const { id, which } = await person();
    const organization = await buildOrganization(test.db);
    await sql`insert into organization_member (organization_id, user_id, role)
      values (${organization}, ${id}::uuid, 'User')`.execute(test.db);
    const client = await signInMember(test, organization, 'Admin');
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    for (const who of [client, auditor]) {
      expect((await who.get(managed(id))).status).toBe(403);
      expect(
        (
          await who.post(`${managed(id)}end/`, {
            ...which,
            way: 'password',
            password: 'chosen for them 7',
          })
        ).status,
      ).toBe(403);
    }
    expect((await test.visitor.get(OWN)).status).toBe(401);
  });
});

describe('the test of the settings', () => {
  const tryOut = async (more: Json = {}, client = admin) => {
    const { status, body } = await client.post<CasTest & Json>('settings/cas/testing/', form(more));
    return { status, body, steps: (body.steps ?? []).map(({ step, ok }) => `${step} ${ok}`) };
  };

  it('shows each step, and the failed one', async () => {
    const good = await tryOut({ AUTH_CAS: false });
    expect([good.status, good.steps]).toEqual([
      200,
      ['login true', 'validation true', 'service true'],
    ]);
    expect(good.body.msg).toBe(
      `Users can sign in through ${server.address}. CAS sign-in is not enabled yet.`,
    );
    expect(good.body.steps.at(-1)?.detail).toBe(
      `${test.program.url.replace(/\/$/, '')}/core/auth/cas/callback/`,
    );
    expect((await tryOut({ AUTH_CAS_SERVER_URL: `${server.address}/wrong` })).steps).toEqual([
      'login false',
    ]);
    server.isKnown = () => false;
    expect((await tryOut()).steps).toEqual(['login false']);
    server.isKnown = () => true;
    server.tamper = (answer) => answer.replace('INVALID_TICKET', 'INVALID_SERVICE');
    expect((await tryOut()).steps).toEqual(['login true', 'validation false']);
    expect(Object.keys((await tryOut({ AUTH_CAS_SERVER_URL: '' })).body)).toEqual([
      'AUTH_CAS_SERVER_URL',
    ]);
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    expect((await auditor.post('settings/cas/testing/', form())).status).toBe(403);
  });
});
