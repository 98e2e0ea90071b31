import {
  DUTIES,
  DUTY,
  type Duty,
  isIdentitySetting,
  SETTING_CATEGORIES,
} from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenDigest } from '../../../platform/crypto/token.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser, unique } from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import { runOperatorCommand } from '../../../testing/operator-command.ts';
import { createScimToken, sendScim } from '../../../testing/scim.ts';
import { buildFactor } from '../../../testing/second-factors.ts';
import {
  type AcceptingRadius,
  startAcceptingRadius,
} from '../../../testing/services/accepting-radius.ts';
import { type CasTestServer, startCasServer } from '../../../testing/services/cas-server.ts';
import { type Mailbox, startMailbox, useMailbox } from '../../../testing/services/mailbox.ts';
import {
  type OpenidProvider,
  startOpenidProvider,
} from '../../../testing/services/openid-provider.ts';
import { signInAtProvider } from '../../../testing/services/provider-sign-in.ts';
import {
  type ScriptedDirectory,
  startScriptedDirectory,
} from '../../../testing/services/scripted-directory.ts';
import { bearer, cookiesOf, openBrowser, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

type Problems = Record<string, string[]>;

let test: TestProgram;
let first: Client;
let mailbox: Mailbox;
let cas: CasTestServer;
let openid: OpenidProvider;
let directory: ScriptedDirectory;
let radius: AcceptingRadius;
/** Token of an identity provider, from before duties were separated. */
let scim: string;
const holders = {} as Record<Duty, BuiltUser & { readonly client: Client }>;

beforeAll(async () => {
  [test, mailbox, cas, directory, radius] = await Promise.all([
    startTestProgram(),
    startMailbox(),
    startCasServer(),
    startScriptedDirectory(),
    startAcceptingRadius(),
  ]);
  openid = await startOpenidProvider(test.program.url);
  first = (await bearer(test)).inOrganization('');
  await useMailbox(first, mailbox);
  scim = (await createScimToken(first)).token;
  for (const duty of DUTIES) {
    const built = await buildUser(test.db, { duty });
    const client = (await bearer(test, built)).inOrganization('');
    holders[duty] = { ...built, client };
  }
  const { status, text } = await first.patch('settings/setting/', {
    ...{ AUTH_CAS: true, AUTH_CAS_SERVER_URL: cas.address, AUTH_CAS_VERSION: '3' },
    AUTH_CAS_USER_ATTR_MAP: { username: 'user', name: 'displayName', email: 'mail' },
    ...{ AUTH_LDAP: true, AUTH_LDAP_SERVER_URI: directory.url, AUTH_LDAP_BIND_DN: 'cn=reader' },
    ...{ AUTH_LDAP_BIND_PASSWORD: 'reader', AUTH_LDAP_SEARCH_OU: 'dc=example,dc=com' },
    ...{ AUTH_OPENID: true, AUTH_OPENID_ISSUER: openid.issuer },
    AUTH_OPENID_CLIENT_ID: openid.clientId,
    AUTH_OPENID_CLIENT_SECRET: openid.secret,
    AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
    AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
    ...{ AUTH_RADIUS: true, AUTH_RADIUS_CREATE_USERS: true, AUTH_RADIUS_SERVERS: radius.address },
    AUTH_RADIUS_SECRET: radius.secret,
    SECURITY_SEPARATE_DUTIES: true,
  });
  if (status !== 200) throw new Error(text);
});
afterAll(async () => {
  await test.stop();
  const services = [mailbox, cas, openid, directory, radius];
  await Promise.all(services.map((service) => service.stop()));
});

const url = (id: string) => `users/users/${id}/`;

describe('a duty', () => {
  it.each(DUTIES)(
    'needs a local account with a second factor, and keeps both: %s',
    async (duty) => {
      const { id, username } = await buildUser(test.db);
      const give = () => first.patch<Problems>(url(id), { duty });
      const bare = await give();
      expect([bare.status, bare.body.duty?.[0]]).toEqual([
        400,
        expect.stringContaining('second factor'),
      ]);
      const inChinese = await first
        .with({ 'accept-language': 'zh' })
        .patch<Problems>(url(id), { duty });
      expect(inChinese.body.duty?.[0]).toContain('双重认证');
      await buildFactor(test.db, id);
      await sql`update account set source = 'ldap' where id = ${id}`.execute(test.db);
      const foreign = await give();
      expect([foreign.status, foreign.body.duty?.[0]]).toEqual([
        400,
        expect.stringContaining('local account'),
      ]);
      const both = await first.patch<Problems>('users/users/', [{ id, duty, source: 'radius' }]);
      expect(both.status).toBe(400);
      await sql`update account set source = 'local' where id = ${id}`.execute(test.db);
      const held = await give();
      expect([held.status, held.body], held.text).toMatchObject([200, { duty, mfa_level: 2 }]);
      for (const [field, value] of [
        ['source', 'openid'],
        ['mfa_level', 1],
      ] as const) {
        const { status, body } = await first.patch<Problems>(url(id), { [field]: value });
        expect([field, status, Object.keys(body)]).toEqual([field, 400, [field]]);
      }
      for (const write of [
        sql`update account set source = 'saml' where id = ${id}`,
        sql`update account set source = 'saml', external_duty = true where id = ${id}`,
        sql`update account set mfa_level = 1 where id = ${id}`,
        sql`insert into account (name, username, email, role, duty, source, mfa_level)
        values ('x', ${`${username}-2`}, ${`${username}-2@example.com`}, ${DUTY[duty].role},
          ${duty}, 'cas', 2)`,
      ])
        await expect(write.execute(test.db)).rejects.toMatchObject({ code: '23514' });
      expect((await first.patch(url(id), { duty: '', role: 'User' })).status).toBe(200);
      expect((await first.patch(url(id), { source: 'openid', mfa_level: 0 })).status).toBe(200);
    },
  );

  it('needs a password that no other duty knows, and keeps no key from before', async () => {
    const person = await buildUser(test.db);
    const { system, security } = holders;
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIWq0V4zvSIT3H8xqO7s7nIMKk8Zt9hkSkz1cWyJ7G6W';
    for (const body of [{ password: NEW }, { public_key: key }]) {
      const { status, text } = await system.client.patch(url(person.id), body);
      expect(status, text).toBe(200);
    }
    await buildFactor(test.db, person.id);
    const give = (client: Client) =>
      client.patch<Problems>(url(person.id), { duty: 'security', role: 'Admin' });
    const refused = await give(security.client);
    expect([refused.status, refused.body.duty?.[0]]).toEqual([
      400,
      expect.stringContaining('only its holder knows'),
    ]);
    const inChinese = await give(security.client.with({ 'accept-language': 'zh' }));
    expect(inChinese.body.duty?.[0]).toContain('他人设置');
    const withPassword = { duty: 'audit', password: 'another password 2 of a form' };
    expect(Object.keys((await first.patch(url(person.id), withPassword)).body)).toEqual(['duty']);
    const own = await bearer(test, { ...person, password: NEW });
    const chosen = await own.put('users/profile/password/', {
      ...{ old_password: NEW, new_password: 'chosen 1 by the user' },
      new_password_again: 'chosen 1 by the user',
    });
    expect(chosen.status, chosen.text).toBe(200);
    const held = await give(security.client);
    expect([held.status, held.body], held.text).toMatchObject([200, { duty: 'security' }]);
    const keys = await sql`select from ssh_key where user_id = ${person.id}`.execute(test.db);
    expect([keys.rows, await proofsOf(person.id)]).toMatchObject([[], { public_key: null }]);
  });

  it('refuses a new account, whose user has no second factor yet', async () => {
    const username = unique('new');
    const body = { name: username, username, email: `${username}@example.com`, duty: 'audit' };
    const { status, body: problems } = await first.post<Problems>('users/users/', {
      ...body,
      password_strategy: 1,
      password: 'a password of the tests 1',
    });
    expect([status, Object.keys(problems)]).toEqual([400, ['duty']]);
    const file = `name,username,email,duty\nX,${unique('x')},${unique('x')}@example.com,audit\n`;
    expect((await first.send('POST', 'users/users/', file, 'text/csv')).status).toBe(400);
  });

  it('keeps the last second factor of its holder, who cannot remove it', async () => {
    const { client, password } = holders.system;
    const removed = await client.post<Json>('authentication/mfa/totp/disable/', { password });
    expect(removed.status).toBeGreaterThanOrEqual(400);
    expect(await proofsOf(holders.system.id)).toMatchObject({ factors: 1 });
  });
});

/** Reads the proofs of identity of an account, and the number of its sign-ins. */
const proofsOf = async (id: string) =>
  (
    await sql<Json>`
      select password, source, email, mfa_level, public_key, duty,
        (select count(*)::int from totp where user_id = a.id) as factors,
        (select count(*)::int from external_identity where user_id = a.id) as identities,
        (select count(*)::int from web_session where user_id = a.id) as sign_ins
      from account a where id = ${id}`.execute(test.db)
  ).rows[0];

interface Attack {
  readonly client: Client;
  readonly target: BuiltUser;
  readonly page: Client;
}
type Way = readonly [name: string, run: (attack: Attack) => Promise<unknown>];

const NEW = 'taken over 1 and long';
const mailOf = ({ username }: BuiltUser) => `${username}@example.com`;

/** Signs in at a provider as a user of a name. Returns where the browser goes then. */
async function signInAtCas(username: string): Promise<string> {
  cas.who = {
    user: username,
    attributes: { displayName: 'Mine', mail: `${username}@example.com` },
  };
  const left = await test.visitor.get('/core/auth/cas/login/');
  const cookie = Object.entries(cookiesOf(left.headers))
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
  const back = await fetch(left.headers.get('location') ?? '', { redirect: 'manual' });
  const { pathname, search } = new URL(back.headers.get('location') ?? '');
  const arrived = await test.visitor.with({ cookie }).get(`${pathname}${search}`);
  return arrived.headers.get('location') ?? '';
}
const REFUSED = expect.stringContaining('refused=duty_provider');

/** Gives the target an identity at the provider, as from before the duty. */
const linkToCas = ({ id, username }: BuiltUser) =>
  sql`insert into external_identity (source, issuer, subject, user_id)
    values ('cas', ${cas.address}, ${username}, ${id})`.execute(test.db);

/** Signs in at an OpenID provider that gives its user these claims, which must fail. */
async function signInAtOpenid(claims: Json): Promise<void> {
  openid.who = { sub: unique('subject'), name: 'Mine', ...claims };
  expect(String(await signInAtProvider(test, 'openid').catch((error: unknown) => error))).toContain(
    'refused=duty_provider',
  );
}

/** Spellings of a name that a source may take for the same user. */
const spellingsOf = (name: string) => [name, name.toUpperCase(), `${name}@example.com`];

/** Signs in with a password that no server but the caller's own confirms. */
async function signInWithInvented({ username }: BuiltUser): Promise<void> {
  for (const name of spellingsOf(username)) {
    directory.entries = [{ uid: name, cn: 'Mine', mail: `${username}@example.com` }];
    const { status, text } = await tryToSignIn(test, { username: name, password: NEW });
    expect([name, status], text).toEqual([name, 400]);
  }
}

/** Creates, changes and removes the user of a name as an identity provider. */
async function provision({ id, username }: BuiltUser): Promise<void> {
  const headers = { authorization: `Bearer ${scim}` };
  const active = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] };
  for (const userName of spellingsOf(username).slice(0, 2)) {
    const user = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      ...{ userName, displayName: 'Mine', active: false },
      emails: [{ value: mailOf({ username } as BuiltUser), primary: true }],
    };
    for (const [method, path, body] of [
      ['POST', 'Users', user],
      ['PUT', `Users/${id}`, user],
      ['PATCH', `Users/${id}`, { ...active, Operations: [{ op: 'replace', value: user }] }],
      ['DELETE', `Users/${id}`, undefined],
    ] as const) {
      const { status } = await sendScim(test, { method, path, body, headers });
      expect([method, status]).toEqual([method, method === 'POST' ? 409 : 404]);
    }
  }
}

const WAYS: readonly Way[] = [
  [
    'a mailed link for a forgotten password',
    async ({ page, target }) => {
      const sent = await page.post('/core/auth/password/forgot/', { email: mailOf(target) });
      expect(sent.status).toBe(200);
    },
  ],
  ['a link mailed by an administrator', at('PUT', 'password/reset/', {})],
  [
    'a link from before the duty',
    async ({ page, target }) => {
      const token = unique('token-of-a-link-of-a-user');
      await sql`insert into password_reset (token_digest, user_id, password_digest, date_expired)
        select ${tokenDigest(token)}, id, sha256(convert_to(password, 'UTF8')),
          now() + interval '1 hour' from account where id = ${target.id}`.execute(test.db);
      const used = await page.post('/core/auth/password/reset/', { token, new_password: NEW });
      expect(used.status).toBe(400);
    },
  ],
  ['a new password', at('PUT', 'password/', { password: NEW })],
  ['a new password in the form', at('PATCH', '', { password: NEW })],
  ['another address', at('PATCH', '', { email: 'mine@example.com' })],
  ['another username', at('PATCH', '', { username: 'mine' })],
  ['a lower level of the second factor', at('PATCH', '', { mfa_level: 0 })],
  ['removed factors', at('POST', 'otp/reset/', undefined)],
  ['an SSH key', at('PATCH', '', { public_key: 'ssh-ed25519 AAAA' })],
  ['removed SSH keys', at('PUT', 'pubkey/reset/', {})],
  ...(['ldap', 'radius', 'openid', 'saml', 'cas'] as const).map(
    (source): Way => [`the source ${source}`, at('PATCH', '', { source })],
  ),
  [
    'an LDAP directory and a RADIUS server that confirm every password',
    ({ target }) => signInWithInvented(target),
  ],
  ['an identity provider that uses SCIM', ({ target }) => provision(target)],
  ['the duty of the other', at('PATCH', '', { duty: '' })],
  [
    'a provider that confirms the name',
    async ({ target }) => expect(await signInAtCas(target.username)).toEqual(REFUSED),
  ],
  [
    'a subject of an OpenID provider from before the duty',
    async ({ target: { id } }) => {
      const sub = unique('subject');
      await sql`insert into external_identity (source, issuer, subject, user_id)
        values ('openid', ${openid.issuer}, ${sub}, ${id})`.execute(test.db);
      await signInAtOpenid({ sub, preferred_username: unique('x') });
      await sql`delete from external_identity where user_id = ${id}`.execute(test.db);
    },
  ],
  ['an invitation of a newcomer with the name', invite(({ username }) => `${username}@x.example`)],
  ['an invitation of a newcomer with the address', invite((target) => `X <${mailOf(target)}>`)],
  [
    'an identity at a provider from before the duty',
    async ({ target }) => {
      await linkToCas(target);
      expect(await signInAtCas(target.username)).toEqual(REFUSED);
      await sql`delete from external_identity where user_id = ${target.id}`.execute(test.db);
    },
  ],
  ...Object.values(SETTING_CATEGORIES)
    .flatMap(({ fields }) => Object.entries(fields))
    .filter(([name, { kind }]) => isIdentitySetting(name) && kind === 'text')
    .map(([name]): Way => [`the setting ${name}`, (attack) => changeSetting(name, attack)]),
];

/** Invites a person whose account is the one of the target, which must fail. */
function invite(person: (target: BuiltUser) => string): Way[1] {
  return async ({ client, target }) => {
    for (const inviting of [client, first]) {
      const { status } = await inviting.post('users/users/newcomers/', { people: person(target) });
      expect(status).toBeGreaterThanOrEqual(400);
    }
  };
}

/** Changes the target by a request, which must fail. */
function at(method: string, path: string, body: Json | undefined): Way[1] {
  return async ({ client, target }) => {
    const { status } = await client.request(method, url(target.id) + path, body);
    expect(status).toBeGreaterThanOrEqual(400);
  };
}

async function changeSetting(name: string, { client }: Attack): Promise<void> {
  const stored = () =>
    sql`select value from setting where name = ${name}`.execute(test.db).then(({ rows }) => rows);
  const before = await stored();
  const { status } = await client.patch('settings/setting/', { [name]: 'https://mine.example' });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(await stored()).toEqual(before);
}

const PAIRS = DUTIES.flatMap((duty) =>
  DUTIES.filter((other) => other !== duty).map((other) => [duty, other] as const),
);

describe.each(PAIRS)('the %s administrator takes over the %s administrator', (duty, other) => {
  it.each(WAYS)('changes nothing by %s', async (_name, run) => {
    const target = await buildUser(test.db, { duty: other });
    const before = await proofsOf(target.id);
    await run({ client: holders[duty].client, target, page: await openBrowser(test) });
    expect(await proofsOf(target.id)).toEqual(before);
  });
});

it('lets other users in by the directory and the RADIUS server of these tests', async () => {
  const [listed, unlisted] = [unique('listed'), unique('unlisted')];
  directory.entries = [{ uid: listed, cn: 'Listed', mail: `${listed}@example.com` }];
  const before = radius.accepted();
  expect((await tryToSignIn(test, { username: listed, password: NEW })).status).toBe(201);
  directory.entries = [];
  expect((await tryToSignIn(test, { username: unlisted, password: NEW })).status).toBe(201);
  expect(radius.accepted()).toBe(before + 1);
});

it('mails no link to a holder of a duty, and answers as for any address', async () => {
  const page = await openBrowser(test);
  const person = await buildUser(test.db);
  const answers: string[] = [];
  for (const user of [holders.security, person])
    answers.push((await page.post('/core/auth/password/forgot/', { email: mailOf(user) })).text);
  expect(answers[0]).toBe(answers[1]);
  // The mail of the other user was requested later.
  await mailbox.next(mailOf(person));
  const links = await sql`select from password_reset
    where user_id = ${holders.security.id}`.execute(test.db);
  expect(links.rows).toEqual([]);
  const refused = await first.put<Json>(`${url(holders.security.id)}password/reset/`, {});
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining(`user reset-password ${holders.security.username}`),
  ]);
});

it('refuses a holder at a provider with an own reason in the log', async () => {
  expect(await signInAtCas(holders.audit.username)).toEqual(REFUSED);
  const log = await first.get<Page<Json>>('audits/login-logs/?limit=1');
  expect(log.body.results[0]).toMatchObject({
    username: holders.audit.username,
    status: false,
    reason: 'duty_provider',
    reason_display: expect.stringContaining('local password'),
  });
});

it('resets the lost factor of the last holder on the server only, logged and alerted', async () => {
  const last = await buildUser(test.db, { duty: 'security' });
  const { code } = await runOperatorCommand(test, ['user', 'reset-mfa', last.username]);
  expect([code, (await proofsOf(last.id))?.factors]).toEqual([0, 0]);
  const log = await first.get('audits/operate-logs/?limit=1');
  expect(log.text).toContain(last.id);
  const alerts = await holders.audit.client.get<Page<Json>>(
    'audits/alerts/?kind=recovered&limit=9',
  );
  expect(alerts.body.results).toContainEqual(
    expect.objectContaining({ username: last.username, subject: 'user reset-mfa' }),
  );
  expect((await tryToSignIn(test, last)).text).toContain('mfa_unset');
  await sql`update account set is_active = false where id = ${last.id}`.execute(test.db);
});

it('lets the holder of an earlier version in through the provider, with a second factor', async () => {
  const earlier = await buildUser(test.db);
  await linkToCas(earlier);
  await test.db.transaction(async (tx) => {
    await sql`alter table account disable trigger external_duty`.execute(tx);
    await sql`update account set role = 'Auditor', duty = 'audit', source = 'cas', mfa_level = 2,
      external_duty = true where id = ${earlier.id}`.execute(tx);
    await sql`alter table account enable trigger external_duty`.execute(tx);
  });
  expect(await signInAtCas(earlier.username)).toBe('/core/auth/login/');
  const list = await first.get<Page<Json>>('users/users/?attention=duty_holders_elsewhere&limit=9');
  expect(list.body.results.map(({ id }) => id)).toEqual([earlier.id]);
  const examined = await runOperatorCommand(test, ['doctor']);
  expect(examined.stdout).toContain(earlier.username);
  expect((await first.patch(url(earlier.id), { comment: 'Ask for a local account.' })).status).toBe(
    200,
  );
  expect((await first.patch(url(earlier.id), { source: 'local' })).status).toBe(200);
  expect((await first.patch(url(earlier.id), { source: 'cas' })).status).toBe(400);
  expect(await signInAtCas(earlier.username)).toEqual(REFUSED);
});
