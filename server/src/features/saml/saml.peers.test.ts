import type { SamlTest } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { longestBlock } from '../../testing/measures/longest-block.ts';
import {
  type SamlFacts,
  type SamlProvider,
  startSamlProvider,
} from '../../testing/services/saml-provider.ts';
import { bearer, cookiesOf, withinLimit } from '../../testing/sign-in.ts';
import { whileRefused } from '../../testing/sign-in-rule.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

// The provider is `services/saml-provider.ts`. xmlsec1 (libxmlsec) signs and encrypts for it,
// independent of the product's library.
const SETTINGS = 'settings/setting/';
const FAILED = '/core/auth/login/?refused=provider_failed';
let test: TestProgram;
let admin: Client;
let provider: SamlProvider;
const form = (more: Json = {}): Json => ({
  AUTH_SAML: true,
  AUTH_SAML_NAME: 'Example login',
  AUTH_SAML_METADATA_URL: provider.metadataUrl,
  AUTH_SAML_METADATA: '',
  AUTH_SAML_ENTITY_ID: '',
  AUTH_SAML_USER_ATTR_MAP: { username: 'uid', name: 'displayName', email: 'mail' },
  AUTH_SAML_CREATE_USERS: true,
  AUTH_SAML_IDP_INITIATED: false,
  AUTH_SAML_LOGOUT: true,
  ...more,
});
const set = async (more: Json = {}) =>
  expect((await admin.put(SETTINGS, { saml: form(more) })).status).toBe(200);
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  provider = await startSamlProvider(test.program.url);
  await set();
});
afterAll(async () => {
  await test.stop();
  await provider.stop();
});
beforeEach(() => {
  Object.assign(provider, {
    change: undefined,
    tamper: undefined,
    encryption: undefined,
    signsResponse: false,
    refuses: false,
  });
  const uid = unique('person');
  provider.who = {
    nameId: `id of ${uid}`,
    attributes: { uid, displayName: 'Zhang San', mail: `${uid}@example.com` },
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
const go = async (jar: Jar, path: string) => {
  const { headers, status } = await withinLimit(() => withJar(jar).get(path));
  keep(jar, headers);
  return { status, where: headers.get('location') ?? '' };
};

/** Goes to the provider, which answers with a form. */
async function toProvider(jar: Jar, next = '/ui/'): Promise<string> {
  const { where } = await go(jar, `/core/auth/saml/login/?next=${encodeURIComponent(next)}`);
  const page = await (await fetch(where)).text();
  return /name="SAMLResponse" value="([^"]+)"/.exec(page)?.[1] ?? `no form: ${page}`;
}
/** Posts an answer as a browser does from a page of another site, without our cookies. */
async function post(answer: string, more: Json = {}): Promise<string> {
  const response = await withinLimit(() =>
    fetch(new URL('/core/auth/saml/acs/', test.program.url), {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ SAMLResponse: answer, ...(more as Record<string, string>) }),
    }),
  );
  return response.headers.get('location') ?? `${response.status}`;
}
async function come(jar: Jar, answer: string): Promise<string> {
  const where = await post(answer);
  return where.startsWith('/core/auth/saml/finish/') ? (await go(jar, where)).where : where;
}
async function signIn(jar: Jar = {}, next?: string) {
  return { where: await come(jar, await toProvider(jar, next)), jar };
}
/**
 * Returns the failed check of the last message. A rejection for another reason would prove nothing.
 */
const lastReason = () => {
  const line =
    test
      .log()
      .split('\n')
      .findLast((one) => one.includes('a message of the SAML provider was not accepted')) ?? '';
  return /"reason":"([^"]+)"/.exec(line)?.[1] ?? line;
};
const profile = async (jar: Jar) => (await withJar(jar).get<Json>('users/profile/')).body;
const isIn = async (jar: Jar) => (await withJar(jar).get('users/profile/')).status === 200;

describe('signing in through a SAML provider', () => {
  it('redirects to the provider with a signed request, and back to the requested page', async () => {
    const jar: Jar = {};
    expect((await signIn(jar, '/ui/assets?tab=a')).where).toBe('/ui/assets?tab=a');
    // The provider rejects messages with a wrong signature.
    expect(provider.received.at(-1)).toMatch(
      /AuthnRequest.*AssertionConsumerServiceURL="[^"]+\/core\/auth\/saml\/acs\/"/,
    );
    const { uid, mail } = provider.who.attributes;
    expect(await profile(jar)).toMatchObject({
      username: uid,
      name: 'Zhang San',
      email: mail,
      source: 'saml',
      role: 'User',
    });
    expect((await signIn({}, 'https://evil.example.com/')).where).toBe('/ui/');
  });

  it('refuses a sign-in that a rule of the account refuses', async () => {
    const { jar } = await signIn();
    const { id } = (await withJar(jar).get<Json>('users/profile/')).body;
    const refused = await whileRefused(admin, id, () => signIn());
    expect(refused.where).toBe('/core/auth/login/?refused=sign_in_condition');
    expect((await withJar(refused.jar).get('users/profile/')).status).toBe(401);
    expect((await signIn()).where).toBe('/ui/');
  });

  it('gives the user groups that mappings name for the values of an attribute', async () => {
    await set({ AUTH_SAML_GROUPS_ATTR: 'groups' });
    const name = unique('group');
    const group = (await admin.post<Json>('users/groups/', { name })).body.id;
    const mapping = { name, source: 'saml', provider_group: 'ops & <more>', user_groups: [group] };
    const { status } = await admin.post('users/group-mappings/', { ...mapping, is_active: true });
    expect(status).toBe(201);
    const members = async () =>
      (await admin.get<Json>(`users/groups/${String(group)}/`)).body.users_amount;
    provider.who = { ...provider.who, groups: ['others', 'ops & <more>'] };
    await signIn();
    expect(await members()).toBe(1);
    const { groups: _, ...without } = provider.who;
    provider.who = { ...without, groups: ['others'] };
    await signIn();
    expect(await members()).toBe(0);
    provider.who = { ...without, groups: ['ops & <more>'] };
    await signIn();
    expect(await members()).toBe(1);
    // A provider omits the attribute after the user left the last group.
    provider.who = without;
    await signIn();
    expect(await members()).toBe(0);
    await set();
  });

  it('creates one account per subject, even if its name changes later', async () => {
    const first = await profile((await signIn()).jar);
    provider.who = {
      ...provider.who,
      attributes: { uid: 'admin', displayName: 'Li Si', mail: first.email as string },
    };
    expect(await profile((await signIn()).jar)).toMatchObject({
      id: first.id,
      username: first.username,
      name: 'Li Si',
      role: 'User',
    });
    const log = await admin.get<{ results: Json[] }>(
      `audits/operate-logs/?limit=5&order=-datetime&user=SAML&search=${String(first.username)}`,
    );
    expect(log.body.results.map(({ action }) => action)).toEqual(['update', 'create']);
  });

  it.each(['aes256-gcm', 'aes256-cbc'] as const)(
    'decrypts assertions with %s',
    async (encryption) => {
      provider.encryption = encryption;
      expect((await signIn()).where).toBe('/ui/');
      provider.tamper = (response) =>
        response.replace(
          /(<xenc:CipherValue>)([\w+/])/g,
          (_all, tag: string, first: string) => `${tag}${first === 'A' ? 'B' : 'A'}`,
        );
      expect((await signIn()).where).toBe(FAILED);
    },
  );

  it('recognizes users after the provider changed its entityID and the old links were removed', async () => {
    const admin = await bearer(test);
    const first = await profile((await signIn()).jar);
    const links = 'settings/providers/accounts/';
    const [link] = (await admin.get<Json[]>(`${links}?source=saml`)).body;
    expect(link).toMatchObject({
      issuer: expect.stringContaining('http'),
      accounts: expect.any(Number),
    });
    // Simulates another entityID: the links to the provider no longer match.
    await sql`update external_identity set issuer = 'https://before.example.com'
      where source = 'saml'`.execute(test.db);
    provider.who = { ...provider.who };
    expect((await signIn()).where).toContain('provider_username_taken');
    const unlink = (query: string, client = admin) => client.delete(`${links}?${query}`);
    const before = `issuer=${encodeURIComponent('https://before.example.com')}`;
    expect([(await unlink(before)).status, (await unlink(`source=openid&${before}`)).body]).toEqual(
      [400, { unlinked: 0 }],
    );
    const user = await bearer(test, await buildUser(test.db));
    expect([
      (await unlink(`source=saml&${before}`, user)).status,
      (await user.get(`${links}?source=saml`)).status,
    ]).toEqual([403, 403]);
    const done = await unlink(`source=saml&${before}`);
    expect([done.status, done.body]).toEqual([200, { unlinked: link?.accounts }]);
    expect((await profile((await signIn()).jar)).id).toBe(first.id);
    const { rows } = await sql<{
      resource: string;
    }>`select resource from operate_log where resource_type = 'provider_link'`.execute(test.db);
    expect(rows).toEqual([{ resource: 'saml https://before.example.com' }]);
  });

  it('asks for the second factor, and rejects disabled users', async () => {
    const { id } = await profile((await signIn()).jar);
    await sql`update account set mfa_level = 2 where id = ${id}`.execute(test.db);
    const pending = await signIn();
    expect([pending.where, pending.jar.sessionid]).toEqual(['/core/auth/login/', undefined]);
    expect((await withJar(pending.jar).get('/core/auth/login/state/')).body).toMatchObject({
      state: 'mfa_unset',
    });
    await sql`update account set mfa_level = 0, is_active = false where id = ${id}`.execute(
      test.db,
    );
    expect((await signIn()).where).toBe('/core/auth/login/?refused=user_inactive');
  });

  it('shows its button only while SAML is enabled', async () => {
    const button = async () =>
      (await test.visitor.get<{ data: Json }>('settings/public/')).body.data.AUTH_SAML_BUTTON;
    expect(await button()).toBe('Example login');
    await set({ AUTH_SAML: false });
    expect(await button()).toBe('');
    for (const path of ['login', 'finish', 'sls'])
      expect((await test.visitor.get(`/core/auth/saml/${path}/`)).status).toBe(404);
    expect(await post('x')).toBe('404');
    await set();
  });

  it('reports an unreachable provider, and uses pasted metadata without a request', async () => {
    await set({ AUTH_SAML_METADATA_URL: 'http://127.0.0.1:1/metadata' });
    expect((await go({}, '/core/auth/saml/login/')).where).toBe(
      '/core/auth/login/?refused=provider_unavailable',
    );
    await set({ AUTH_SAML_METADATA_URL: 'http://login.example.com/metadata' });
    expect((await go({}, '/core/auth/saml/login/')).where).toContain('provider_unavailable');
    expect(test.log()).toContain('is not protected by HTTPS');
    await set({ AUTH_SAML_METADATA_URL: '', AUTH_SAML_METADATA: provider.metadata });
    expect((await signIn()).where).toBe('/ui/');
    await set();
  });

  it('accepts a sign-in started by the provider only if a setting allows it', async () => {
    await signIn();
    const unasked = () => post(provider.answer().SAMLResponse, { RelayState: '/ui/users' });
    expect(await unasked()).toBe(FAILED);
    await set({ AUTH_SAML_IDP_INITIATED: true });
    const jar: Jar = {};
    expect((await go(jar, await unasked())).where).toBe('/ui/users');
    expect(await isIn(jar)).toBe(true);
    expect(
      (
        await go(
          {},
          await post(provider.answer().SAMLResponse, { RelayState: '//evil.example.com' }),
        )
      ).where,
    ).toBe('/ui/');
    await set();
  });

  it('uses the attribute in the settings as subject, and rejects transient name identifiers', async () => {
    const format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    provider.who = { ...provider.who, format };
    expect((await signIn()).where).toBe(FAILED);
    await set({
      AUTH_SAML_USER_ATTR_MAP: {
        username: 'uid',
        name: 'displayName',
        email: 'mail',
        subject: 'uid',
      },
    });
    const first = await profile((await signIn()).jar);
    provider.who = { ...provider.who, nameId: 'another one' };
    expect((await profile((await signIn()).jar)).id).toBe(first.id);
    await set();
  });
});

describe('signing out', () => {
  const leave = async (jar: Jar) => {
    const { headers } = await withJar(jar).get('/core/auth/login/');
    keep(jar, headers);
    const page = withJar(jar).with({
      'x-csrftoken': jar.csrftoken ?? '',
      origin: new URL(test.program.url).origin,
    });
    return (await page.post<{ next: string }>('/core/auth/logout/', {})).body.next;
  };

  it('signs out at the provider as well, and returns', async () => {
    const { jar } = await signIn();
    expect(await leave(jar)).toBe('/core/auth/saml/logout/');
    const { where } = await go(jar, '/core/auth/saml/logout/');
    const answered = await fetch(where, { redirect: 'manual' });
    expect(provider.received.at(-1)).toMatch(
      /LogoutRequest.*<saml:NameID Format="[^"]+persistent">id of .*<samlp:SessionIndex>_session/,
    );
    const back = new URL(answered.headers.get('location') ?? '');
    expect((await go(jar, `${back.pathname}${back.search}`)).where).toBe('/core/auth/login/');
    expect(jar.sallyport_saml_end).toBeUndefined();
  });

  it('ends the session or all sessions of the user when the provider signs out, and no others', async () => {
    const other = (await signIn()).jar;
    const uid = unique('leaver');
    provider.who = { nameId: `id of ${uid}`, attributes: { uid, mail: `${uid}@example.com` } };
    let index = '';
    provider.change = (facts) => {
      index = facts.sessionIndex;
      return facts;
    };
    const first = (await signIn()).jar;
    const second = (await signIn()).jar;
    const third = (await signIn()).jar;
    const comeBy = async (address: string) => {
      const url = new URL(address);
      return go({}, `${url.pathname}${url.search}`);
    };
    const answered = await comeBy(provider.signOutAddress(provider.who.nameId, index));
    expect(await Promise.all([first, second, third, other].map(isIn))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    // The answer is signed, names the request, and returns the state of the provider.
    const response = await fetch(answered.where);
    expect([response.status, new URL(answered.where).searchParams.get('RelayState')]).toEqual([
      200,
      'state of the provider',
    ]);
    const all = provider.signOutAddress(provider.who.nameId);
    expect((await comeBy(all)).where).toContain('/slo?');
    expect(await Promise.all([first, second, other].map(isIn))).toEqual([false, false, true]);
    expect((await comeBy(all)).where).toBe(FAILED);
  });

  it.each([
    [
      'an old time',
      (request: string) =>
        request.replace(/IssueInstant="[^"]+"/, 'IssueInstant="2020-01-01T00:00:00Z"'),
    ],
    [
      'another destination',
      (request: string) =>
        request.replace(/Destination="[^"]+"/, 'Destination="https://other.example.com/"'),
    ],
    [
      'another issuer',
      (request: string) =>
        request.replace(/<saml:Issuer>[^<]+/, '<saml:Issuer>https://other.example.com'),
    ],
  ])('rejects a sign-out with %s', async (_what, change) => {
    const { jar } = await signIn();
    const url = new URL(provider.signOutAddress(provider.who.nameId, undefined, change));
    expect((await go({}, `${url.pathname}${url.search}`)).where).toBe(FAILED);
    expect(await isIn(jar)).toBe(true);
  });

  it('rejects a sign-out without a signature or with a changed one', async () => {
    const { jar } = await signIn();
    const url = new URL(provider.signOutAddress(provider.who.nameId));
    url.searchParams.delete('Signature');
    expect((await go({}, `${url.pathname}${url.search}`)).where).toBe(FAILED);
    const other = new URL(provider.signOutAddress(provider.who.nameId));
    other.searchParams.set('RelayState', 'changed');
    expect((await go({}, `${other.pathname}${other.search}`)).where).toBe(FAILED);
    expect(await isIn(jar)).toBe(true);
  });
});

describe('accounts of others (M7)', () => {
  const refused = async (attributes: Record<string, string>) => {
    provider.who = { ...provider.who, attributes: { ...provider.who.attributes, ...attributes } };
    return (await signIn()).where;
  };

  it('does not link an existing account by its name or e-mail address', async () => {
    expect(await refused({ uid: 'admin' })).toBe(
      '/core/auth/login/?refused=provider_username_taken',
    );
    expect(await refused({ uid: 'ADMIN' })).toContain('provider_username_taken');
    expect(await refused({ uid: 'no name!' })).toContain('provider_username');
    const local = await buildUser(test.db);
    const [row] = (
      await sql<{ email: string }>`select email from account where id = ${local.id}`.execute(
        test.db,
      )
    ).rows;
    expect(await refused({ uid: unique('x'), mail: row?.email ?? '' })).toContain(
      'provider_email_taken',
    );
    await sql`update account set source = 'openid' where id = ${local.id}`.execute(test.db);
    expect(await refused({ uid: local.username, mail: `${unique('x')}@example.com` })).toContain(
      'provider_username_taken',
    );
  });

  it.each(['system', 'security', 'audit'] as const)(
    'rejects the holder of the duty %s by name, address and an earlier link',
    async (duty) => {
      const { id, username } = await buildUser(test.db, { duty });
      const mail = `${username}@example.com`;
      for (const attributes of [
        { uid: username, mail },
        { uid: username.toUpperCase(), mail: `${unique('x')}@example.com` },
        { uid: unique('x'), mail },
        { uid: unique('x'), mail: mail.toUpperCase() },
      ])
        expect(await refused(attributes)).toContain('refused=duty_provider');
      await sql`insert into external_identity (source, issuer, subject, user_id)
        values ('saml', ${provider.entityId}, ${provider.who.nameId}, ${id})`.execute(test.db);
      expect(await refused({ uid: unique('x') })).toContain('refused=duty_provider');
      const { rows } = await sql`select from web_session where user_id = ${id}`.execute(test.db);
      expect(rows).toEqual([]);
    },
  );

  it('links a prepared account to the first user with its name', async () => {
    const waiting = await buildUser(test.db);
    await sql`update account set source = 'saml' where id = ${waiting.id}`.execute(test.db);
    provider.who = {
      ...provider.who,
      attributes: { ...provider.who.attributes, uid: waiting.username },
    };
    expect(await profile((await signIn()).jar)).toMatchObject({ id: waiting.id });
    provider.who = { ...provider.who, nameId: 'somebody else' };
    expect((await signIn()).where).toContain('provider_username_taken');
  });

  it('rejects accounts that have changed to another source', async () => {
    const { id } = await profile((await signIn()).jar);
    await sql`update account set source = 'local' where id = ${id}`.execute(test.db);
    expect((await signIn()).where).toContain('provider_other_source');
  });

  it('creates no accounts if the settings forbid it', async () => {
    await set({ AUTH_SAML_CREATE_USERS: false });
    expect((await signIn()).where).toBe('/core/auth/login/?refused=provider_no_account');
    await set();
    expect((await signIn()).where).toBe('/ui/');
  });
});

describe('an attack', () => {
  /** The check that must fail. */
  const REASONS: Readonly<Record<string, string>> = {
    'another audience': 'another audience',
    'another recipient': '(Recipient)',
    'another destination': '(Destination)',
    'another issuer': 'another issuer',
    'a time that has passed': 'no longer valid',
    'a time to come': 'not valid yet',
    'no request': 'nobody asked for it',
    'the request of another browser': 'for another browser',
    'a failure of the provider': 'status:Responder',
    'a failure with words': 'status:Requester The account is locked.',
    'a signature of SHA-1': 'the signature algorithm',
    'a digest of SHA-1': 'the digest algorithm',
    'a comment in the name': 'NameID has more than text',
    'no signature': 'not signed',
    'a changed name': 'none of the known certificates',
    'another assertion before the signed one': 'not exactly one',
    'another assertion after the signed one': 'not exactly one',
    'the signed assertion hidden in extensions': 'not signed',
    'the signed assertion within the signature of another': 'for something else',
    'two elements of the signed identifier': 'none of the known certificates',
    'the certificate of the attacker beside the signature': 'none of the known certificates',
    'a shared key': 'the signature algorithm',
    'a digest that a comment splits': 'none of the known certificates',
    'an entity': 'a document type',
    'a bomb of entities': 'a document type',
    'more elements than any answer has': 'too many elements',
    'more in its signature': 'has more in it',
    'XML that is not well-formed': 'not well-formed',
    'another transform': 'the transforms',
  };
  const nothingChanged = (facts: SamlFacts) => facts;

  it.each<[string, Partial<SamlFacts> | ((facts: SamlFacts) => Partial<SamlFacts>)]>([
    ['another audience', { audience: 'https://other.example.com' }],
    ['another recipient', { recipient: 'https://other.example.com/acs' }],
    ['another destination', { destination: 'https://other.example.com/acs' }],
    ['another issuer', { issuer: 'https://other.example.com' }],
    [
      'a time that has passed',
      { notBefore: '2020-01-01T00:00:00Z', notOnOrAfter: '2020-01-01T00:05:00Z' },
    ],
    ['a time to come', { notBefore: '2099-01-01T00:00:00Z', notOnOrAfter: '2099-01-01T00:05:00Z' }],
    ['no request', { inResponseTo: undefined }],
    [
      'the request of another browser',
      { inResponseTo: '_0123456789abcdef0123456789abcdef01234567' },
    ],
    ['a failure of the provider', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }],
    [
      'a failure with words',
      {
        status: 'urn:oasis:names:tc:SAML:2.0:status:Requester',
        statusMessage: ' The account is locked. ',
      },
    ],
    ['a signature of SHA-1', { signatureMethod: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }],
    ['a digest of SHA-1', { digestMethod: 'http://www.w3.org/2000/09/xmldsig#sha1' }],
    // CVE-2018-0489 and others: the name ended at the comment.
    ['a comment in the name', { nameIdXml: '<saml:NameID>admin<!-- --><x/></saml:NameID>' }],
  ])('rejects an answer with %s', async (what, changes) => {
    provider.change = (facts) => ({
      ...facts,
      ...(typeof changes === 'function' ? changes(facts) : changes),
    });
    const { where, jar } = await signIn();
    expect(lastReason()).toContain(REASONS[what]);
    expect(where).toBe(FAILED);
    expect(jar.sessionid).toBeUndefined();
    provider.change = nothingChanged;
    expect((await signIn()).where).toBe('/ui/');
  });

  it('reads the whole name around a signed comment', async () => {
    const { username } = await profile((await signIn()).jar);
    provider.change = (facts) => ({
      ...facts,
      nameIdXml: `<saml:NameID>id of ${String(username)}<!-- -->.evil</saml:NameID>`,
    });
    // The name without the comment is another subject, with a taken username.
    expect((await signIn()).where).toContain('provider_username_taken');
  });

  const assertionIn = (response: string) =>
    /<saml:Assertion [\s\S]*<\/saml:Assertion>/.exec(response)?.[0] ?? '';
  const evil = (assertion: string, id = '_evil') =>
    assertion
      .replace(/<ds:Signature [\s\S]*<\/ds:Signature>/, '')
      .replace(/ID="[^"]+"/, `ID="${id}"`)
      .replace(/<saml:NameID[^>]*>[^<]+/, '<saml:NameID>somebody else')
      .replace(/(<saml:Attribute Name="uid"><saml:AttributeValue>)[^<]+/, '$1evil');

  it.each<[string, (response: string) => string]>([
    ['no signature', (response) => response.replace(/<ds:Signature [\s\S]*<\/ds:Signature>/, '')],
    ['a changed name', (response) => response.replace(/(<saml:AttributeValue>)person/, '$1qerson')],
    [
      'another assertion before the signed one',
      (response) =>
        response.replace('<saml:Assertion ', `${evil(assertionIn(response))}<saml:Assertion `),
    ],
    [
      'another assertion after the signed one',
      (response) =>
        response.replace('</samlp:Response>', `${evil(assertionIn(response))}</samlp:Response>`),
    ],
    [
      'the signed assertion hidden in extensions',
      (response) => {
        const signed = assertionIn(response);
        return response
          .replace(signed, evil(signed))
          .replace(
            '<samlp:Status>',
            `<samlp:Extensions>${signed}</samlp:Extensions><samlp:Status>`,
          );
      },
    ],
    [
      'the signed assertion within the signature of another',
      (response) => {
        const signed = assertionIn(response);
        const signature = /<ds:Signature [\s\S]*<\/ds:Signature>/.exec(signed)?.[0] ?? '';
        const wrapped = signature.replace(
          '</ds:Signature>',
          `<ds:Object>${signed.replace(signature, '')}</ds:Object></ds:Signature>`,
        );
        return response.replace(
          signed,
          evil(signed).replace('</saml:Issuer>', `</saml:Issuer>${wrapped}`),
        );
      },
    ],
    [
      'two elements of the signed identifier',
      (response) => {
        const id = /ID="([^"]+)"/.exec(assertionIn(response))?.[1] ?? '';
        return response.replace(
          '<samlp:Status>',
          `<samlp:Extensions>${evil(assertionIn(response), id)}</samlp:Extensions><samlp:Status>`,
        );
      },
    ],
    [
      'the certificate of the attacker beside the signature',
      (response) =>
        response
          .replace(
            '</ds:SignatureValue>',
            '</ds:SignatureValue><ds:KeyInfo><ds:X509Data><ds:X509Certificate>AAAA</ds:X509Certificate></ds:X509Data></ds:KeyInfo>',
          )
          .replace('person', 'qerson'),
    ],
    // The public key of the provider must not act as a shared key.
    [
      'a shared key',
      (response) => response.replace(/xmldsig-more#rsa-sha256/, 'xmldsig-more#hmac-sha256'),
    ],
    [
      'a digest that a comment splits',
      (response) =>
        response
          .replace(/<ds:DigestValue>/, '<ds:DigestValue><!--AAAA-->')
          .replace('person', 'qerson'),
    ],
    [
      'an entity',
      (response) =>
        `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${response.replace('Zhang San', '&e;')}`,
    ],
    [
      'a bomb of entities',
      (response) =>
        `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>${response.replace('Zhang San', '&b;')}`,
    ],
    [
      'more elements than any answer has',
      (response) =>
        response.replace(
          '<samlp:Status>',
          `<samlp:Extensions>${'<a/>'.repeat(3_000)}</samlp:Extensions><samlp:Status>`,
        ),
    ],
    [
      'more in its signature',
      (response) => response.replace('</ds:Signature>', '<ds:Object/></ds:Signature>'),
    ],
    ['XML that is not well-formed', (response) => response.slice(0, -20)],
    [
      'another transform',
      (response) =>
        response.replace(
          /<ds:Transform Algorithm="http:\/\/www.w3.org\/2001\/10\/xml-exc-c14n#"\/>/,
          '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"/>',
        ),
    ],
  ])('rejects a tampered answer: %s', async (what, tamper) => {
    provider.tamper = (response) => {
      const changed = tamper(response);
      expect(changed).not.toBe(response);
      return changed;
    };
    const { where, jar } = await signIn();
    expect(lastReason()).toContain(REASONS[what]);
    expect(where).toBe(FAILED);
    expect(jar.sessionid).toBeUndefined();
    const { rows } = await sql`select 1 from account where username = 'evil'`.execute(test.db);
    expect(rows).toEqual([]);
  });

  it('rejects an answer with a wrong signature around a valid one', async () => {
    provider.signsResponse = true;
    expect((await signIn()).where).toBe('/ui/');
    provider.tamper = (response) => response.replace(/(IssueInstant=")\d{4}/, '$12021');
    expect((await signIn()).where).toBe(FAILED);
  });

  it('rejects a replayed answer in the same and in another browser', async () => {
    const jar: Jar = {};
    const answer = await toProvider(jar);
    const copy = { ...jar };
    expect(await come(jar, answer)).toBe('/ui/');
    expect(await come(copy, answer)).toBe(FAILED);
  });

  it('rejects the answer to another browser (login CSRF)', async () => {
    const attacker = await toProvider({});
    const victim: Jar = {};
    expect(await come(victim, attacker)).toBe(FAILED);
    await toProvider(victim);
    expect(await come(victim, await toProvider({}))).toBe(FAILED);
    expect(victim.sessionid).toBeUndefined();
    // A waiting answer can be fetched once, by its browser only.
    const place = await post(await toProvider({}));
    expect((await go({}, place)).where).toBe(FAILED);
    expect((await go({}, place)).where).toBe(FAILED);
  });

  it('rejects a message before parsing it if a parser would need minutes', async () => {
    const text = `<x>${'<?'.repeat(60_000)}</x>`;
    expect(await longestBlock(() => post(Buffer.from(text).toString('base64')))).toBeLessThan(1);
    expect(test.log()).toContain('a processing instruction is not accepted');
  });

  it('rejects a message that is too large before reading it', async () => {
    expect(await post('A'.repeat(300_000))).toBe('413');
    expect(await post(Buffer.from(`<a>${' '.repeat(131_100)}</a>`).toString('base64'))).toBe(
      FAILED,
    );
    expect(test.log()).toContain('the document is too large');
  });
});

describe('the test of the settings', () => {
  const tryOut = async (more: Json = {}, client = admin) => {
    const { status, body } = await client.post<SamlTest & Json>(
      'settings/saml/testing/',
      form(more),
    );
    return { status, body, steps: (body.steps ?? []).map(({ step, ok }) => `${step} ${ok}`) };
  };

  it('shows each step, including the certificates with their expiry', async () => {
    const { status, body, steps } = await tryOut();
    expect([status, steps]).toEqual([
      200,
      ['metadata true', 'endpoints true', 'certificates true', 'ourselves true', 'request true'],
    ]);
    expect(body.msg).toBe(`Users can sign in through ${provider.entityId}.`);
    expect(body.steps[2]?.detail).toMatch(/^CN=Test provider, until \d{4}-\d\d-\d\d$/);
    expect(body.steps[3]?.detail).toContain(
      `${test.program.url.replace(/\/$/, '')}/core/auth/saml/metadata/`,
    );
    const chinese = await tryOut({ AUTH_SAML: false }, admin.with({ 'accept-language': 'zh' }));
    expect(chinese.body.msg).toBe(`用户可以通过 ${provider.entityId} 登录。 尚未启用 SAML 认证。`);
  });

  it('names the failed step and stops there', async () => {
    provider.refuses = true;
    expect((await tryOut()).steps.at(-1)).toBe('request false');
    expect((await tryOut({ AUTH_SAML_METADATA_URL: 'http://127.0.0.1:1/' })).steps).toEqual([
      'metadata false',
    ]);
    const pasted = (text: string) =>
      tryOut({ AUTH_SAML_METADATA_URL: '', AUTH_SAML_METADATA: text });
    for (const text of [
      '<a/>',
      `<!DOCTYPE a>${provider.metadata}`,
      provider.metadata.replaceAll('http://127.0.0.1', 'http://login.example.com'),
      provider.metadata.replace('<md:IDP', '<md:SP'),
    ])
      expect((await pasted(text)).steps).toEqual(['metadata false']);
    expect(
      (
        await pasted(
          provider.metadata.replace('entityID=', 'validUntil="2020-01-01T00:00:00Z" entityID='),
        )
      ).body.detail,
    ).toContain('no longer valid');
  });

  it.each([
    [{ AUTH_SAML_METADATA_URL: '' }, 'AUTH_SAML_METADATA_URL'],
    [{ AUTH_SAML_METADATA: '<a/>' }, 'AUTH_SAML_METADATA'],
    [{ AUTH_SAML_METADATA_URL: 'nowhere' }, 'AUTH_SAML_METADATA_URL'],
  ])('rejects testing and saving %j', async (changes, field) => {
    const { status, body } = await tryOut(changes);
    expect([status, Object.keys(body)]).toEqual([400, [field]]);
    const saved = await admin.put<Json>(SETTINGS, { saml: form(changes) });
    expect([saved.status, JSON.stringify(saved.body)]).toEqual([
      400,
      expect.stringContaining(field),
    ]);
  });

  it('allows super administrators only', async () => {
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    expect((await auditor.post('settings/saml/testing/', form())).status).toBe(403);
  });
});
