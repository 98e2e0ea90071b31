import type { ScimToken, ScimTokenCreated } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { createScimToken, sendScim } from '../../testing/scim.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

// No SCIM compliance suite on npm runs here, so the tests transcribe statements of RFC 7643 and RFC
// 7644. Each title contains its section.
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const TOKENS = 'settings/scim/tokens/';

let test: TestProgram;
let admin: Client;
let token: ScimTokenCreated;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  token = await createScimToken(admin);
});
afterAll(() => test.stop());

const ask = (
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
) =>
  sendScim(test, {
    method,
    path,
    body,
    headers: { authorization: `Bearer ${token.token}`, ...headers },
  });
const person = (more: Json = {}): Json => {
  const userName = unique('scim');
  return {
    schemas: [USER],
    userName,
    externalId: `ext ${userName}`,
    name: { givenName: 'San', familyName: 'Zhang' },
    emails: [{ value: `${userName}@example.com`, type: 'work', primary: true }],
    active: true,
    ...more,
  };
};
const createUser = async (more: Json = {}): Promise<Json & { id: string; userName: string }> => {
  const { status, body } = await ask('POST', 'Users', person(more));
  expect([status, body.detail]).toEqual([201, undefined]);
  return body as Json & { id: string; userName: string };
};
const madeGroup = async (
  members: readonly Json[] = [],
  displayName = unique('group'),
): Promise<Json & { id: string; displayName: string }> =>
  (
    await ask('POST', 'Groups', {
      schemas: [GROUP],
      displayName,
      members: members.map(({ id }) => ({ value: id })),
    })
  ).body as Json & {
    id: string;
    displayName: string;
  };
const patch = (path: string, ...Operations: Json[]) =>
  ask('PATCH', path, { schemas: [PATCH], Operations });
const find = async (filter: string, more = '') => {
  const { status, body } = await ask('GET', `Users?filter=${encodeURIComponent(filter)}${more}`);
  return {
    status,
    scimType: body.scimType,
    names: ((body.Resources ?? []) as Json[]).map(({ userName }) => userName),
    total: body.totalResults,
  };
};
const accountOf = async (id: string) => (await admin.get<Json>(`users/users/${id}/`)).body;

describe('discovery (RFC 7644, 4)', () => {
  it('rejects Me, as a token belongs to no user, and Bulk', async () => {
    const refused = {
      status: '501',
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      detail: expect.any(String),
    };
    for (const method of ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'] as const) {
      const { status, body } = await ask(
        method,
        'Me',
        method === 'GET' || method === 'DELETE' ? undefined : {},
      );
      expect([method, status, body]).toEqual([method, 501, refused]);
    }
    const { status, body } = await ask('POST', 'Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [],
    });
    expect([status, body]).toEqual([501, refused]);
    expect((await ask('GET', 'ServiceProviderConfig')).body).toMatchObject({
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    });
    // The discovery also requires a token.
    expect((await ask('GET', 'Me', undefined, { authorization: '' })).status).toBe(401);
  });

  it('returns capabilities, resource types and schemas', async () => {
    const { body, headers } = await ask('GET', 'ServiceProviderConfig');
    expect(headers.get('content-type')).toContain('application/scim+json');
    expect(body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      etag: { supported: true },
    });
    expect((await ask('GET', 'ResourceTypes')).body).toMatchObject({
      totalResults: 2,
      Resources: [
        { id: 'User', endpoint: '/Users' },
        { id: 'Group', endpoint: '/Groups' },
      ],
    });
    expect((await ask('GET', `Schemas/${encodeURIComponent(USER)}`)).body).toMatchObject({
      id: USER,
      attributes: expect.arrayContaining([
        expect.objectContaining({ name: 'userName', required: true, uniqueness: 'server' }),
      ]),
    });
    expect((await ask('GET', 'Schemas/urn:nothing')).status).toBe(404);
  });
});

describe('tokens (RFC 7644, 2)', () => {
  it('shows a token once, stores its digest, lists it without the secret, and revokes it, all with log entries', async () => {
    const { status, body } = await admin.post<ScimTokenCreated>(TOKENS, {
      name: 'Okta',
      source: 'openid',
      date_expired: null,
    });
    expect([status, body.token]).toEqual([
      201,
      expect.stringMatching(/^sallyport_scim_[\w-]{43}$/),
    ]);
    const list = await admin.get<ScimToken[]>(TOKENS);
    expect(list.text).not.toContain(body.token);
    expect(list.body.map(({ name }) => name)).toContain('Okta');
    const { rows } = await sql<{
      row: string;
    }>`select to_jsonb(t)::text as row from scim_token t`.execute(test.db);
    expect(rows.map(({ row }) => row).join()).not.toContain(body.token);
    const asOkta = { authorization: `Bearer ${body.token}` };
    expect((await ask('GET', 'Users', undefined, asOkta)).status).toBe(200);
    expect((await admin.delete(`${TOKENS}${body.id}/`)).status).toBe(204);
    expect((await ask('GET', 'Users', undefined, asOkta)).status).toBe(401);
    const log = await admin.get<{ results: Json[] }>(
      'audits/operate-logs/?limit=5&order=-datetime&resource_type=scim_token',
    );
    expect(log.body.results.map(({ action, resource }) => [action, resource])).toEqual(
      expect.arrayContaining([
        ['delete', 'Okta'],
        ['create', 'Okta'],
      ]),
    );
    expect(test.log()).not.toContain(body.token);
  });

  it('requires a token at every address, with errors in the format of SCIM', async () => {
    const nobody = { authorization: '' };
    for (const [method, path] of [
      ['GET', 'Users'],
      ['POST', 'Users'],
      ['GET', 'Users/x'],
      ['DELETE', 'Groups/x'],
      ['GET', 'Schemas'],
      ['GET', 'ServiceProviderConfig'],
      ['POST', 'Users/.search'],
    ] as const) {
      const { status, body, headers } = await ask(
        method,
        path,
        method === 'POST' ? {} : undefined,
        nobody,
      );
      expect([status, body.schemas, headers.get('www-authenticate')]).toEqual([
        401,
        ['urn:ietf:params:scim:api:messages:2.0:Error'],
        'Bearer realm="scim"',
      ]);
    }
    // A token of another kind is not accepted.
    const { body } = await tryToSignIn(test, { username: 'admin', password: 'nothing' });
    expect(body.token).toBeUndefined();
    expect(
      (await ask('GET', 'Users', undefined, { authorization: admin.headers.authorization ?? '' }))
        .status,
    ).toBe(401);
  });

  it('rejects a token after its end, and a token without an end', async () => {
    const far = new Date(Date.now() + 5_000 * 86_400_000).toISOString();
    for (const date_expired of ['2020-01-01 00:00:00 +0000', far])
      expect(
        Object.keys(
          (await admin.post<Json>(TOKENS, { name: unique('t'), source: 'saml', date_expired }))
            .body,
        ),
      ).toEqual(['date_expired']);
    await sql`update scim_token set date_expired = now() - interval '1 second'
      where id = ${token.id}`.execute(test.db);
    expect((await ask('GET', 'Users')).status).toBe(401);
    await sql`update scim_token set date_expired = now() + interval '1 year'
      where id = ${token.id}`.execute(test.db);
    expect((await ask('GET', 'Users')).status).toBe(200);
  });

  it('allows super administrators only, and answers nothing while SCIM is off', async () => {
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    expect([(await auditor.get(TOKENS)).status, (await auditor.post(TOKENS, {})).status]).toEqual([
      403, 403,
    ]);
    await admin.patch('settings/setting/', { AUTH_SCIM: false });
    expect((await ask('GET', 'Users')).status).toBe(404);
    await admin.patch('settings/setting/', { AUTH_SCIM: true });
  });
});

describe('creating and reading (RFC 7644, 3.3 and 3.4)', () => {
  it('answers 201 with the resource, its location and version, and reads it back', async () => {
    const { status, body, headers } = await ask('POST', 'Users', person({ displayName: '张三' }));
    const { id, meta } = body as { id: string; meta: Json };
    expect([status, headers.get('location'), headers.get('etag')]).toEqual([
      201,
      meta.location,
      meta.version,
    ]);
    expect(meta).toMatchObject({
      resourceType: 'User',
      location: `${test.program.url.replace(/\/$/, '')}/scim/v2/Users/${id}`,
    });
    expect((await ask('GET', `Users/${id}`)).body).toEqual(body);
    expect(body).toMatchObject({
      displayName: '张三',
      name: { givenName: 'San', familyName: 'Zhang', formatted: '张三' },
      active: true,
    });
    expect(await accountOf(id)).toMatchObject({
      username: body.userName,
      name: '张三',
      source: 'saml',
      role: 'User',
      is_active: true,
    });
    const log = await admin.get<{ results: Json[] }>(
      `audits/operate-logs/?limit=1&order=-datetime&search=${String(body.userName)}`,
    );
    expect(log.body.results[0]).toMatchObject({ action: 'create', user: 'SCIM(Entra ID)' });
  });

  it.each<[string, Json, number, string | undefined]>([
    ['3.3: a name that is taken', { userName: 'admin' }, 409, 'uniqueness'],
    ['3.3: a name that is taken in another case', { userName: 'ADMIN' }, 409, 'uniqueness'],
    ['3.12: no name', { userName: undefined }, 400, 'invalidValue'],
    ['3.12: a name that no account can have', { userName: 'a b!' }, 400, 'invalidValue'],
    ['3.12: an address that is none', { emails: [{ value: 'nothing' }] }, 400, 'invalidValue'],
    ['3.12: the schema of something else', { schemas: [GROUP] }, 400, 'invalidSyntax'],
    ['3.12: a value of another kind', { active: 'perhaps' }, 400, 'invalidValue'],
    ['3.12: a list that is none', { emails: 'x' }, 400, 'invalidValue'],
  ])('rejects a new user with %s', async (_what, more, status, scimType) => {
    const answer = await ask('POST', 'Users', person(more));
    expect([answer.status, answer.body.scimType, answer.body.status]).toEqual([
      status,
      scimType,
      String(status),
    ]);
  });

  it('returns the requested attributes only (3.9)', async () => {
    const { id } = await createUser();
    expect(
      Object.keys((await ask('GET', `Users/${id}?attributes=userName,emails.value`)).body).sort(),
    ).toEqual(['emails', 'id', 'schemas', 'userName']);
    expect(
      (await ask('GET', `Users/${id}?excludedAttributes=emails,meta`)).body,
    ).not.toHaveProperty('emails');
  });

  it('supports versions (3.14)', async () => {
    const { id, meta } = await createUser();
    const { version } = meta as { version: string };
    expect((await ask('GET', `Users/${id}`, undefined, { 'if-none-match': version })).status).toBe(
      304,
    );
    const change = {
      schemas: [PATCH],
      Operations: [{ op: 'replace', path: 'displayName', value: 'Li Si' }],
    };
    expect((await ask('PATCH', `Users/${id}`, change, { 'if-match': 'W/"other"' })).status).toBe(
      412,
    );
    expect((await ask('PATCH', `Users/${id}`, change, { 'if-match': version })).status).toBe(200);
    expect((await ask('DELETE', `Users/${id}`, undefined, { 'if-match': version })).status).toBe(
      412,
    );
  });
});

describe('finding (RFC 7644, 3.4.2)', () => {
  it.each([
    ['userName eq "NAME"', true],
    ['userName eq "UPPER"', true],
    ['userName ne "NAME" and externalId eq "ext NAME"', false],
    ['externalId eq "EXT NAME"', false],
    ['externalId eq "ext NAME"', true],
    ['emails.value co "NAME@"', true],
    ['emails[type eq "work" and value sw "NAME"]', true],
    ['emails[type eq "home" and value sw "NAME"]', false],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "NAME"', true],
    ['name.familyName eq "zhang" and userName ew "NAME"', true],
    ['userName eq "NAME" and active eq true', true],
    ['userName eq "NAME" and active eq false', false],
    ['userName eq "NAME" and not (active eq true)', false],
    ['userName eq "nobody" or (userName eq "NAME" and externalId pr)', true],
    ['userName eq "NAME" and phoneNumbers pr', false],
    ['userName eq "NAME" and meta.created gt "2020-01-01T00:00:00Z"', true],
    ['userName eq "NAME" and meta.lastModified lt "2020-01-01T00:00:00Z"', false],
    ['userName ge "NAME" and userName le "NAME"', true],
    ['userName eq "NAME\' or 1=1 --"', false],
  ])('matches the filter %s: %s', async (filter, isFound) => {
    const { userName } = await createUser();
    const { status, names } = await find(
      filter.replace('UPPER', userName.toUpperCase()).replaceAll('NAME', userName),
    );
    expect([status, names]).toEqual([200, isFound ? [userName] : []]);
  });

  it.each([
    'userName',
    'userName eq',
    'userName xx "a"',
    'password eq "a"',
    '(userName eq "a"',
    'userName eq a',
    'emails[emails[value eq "a"]]',
    `userName eq "${'a'.repeat(3_000)}"`,
    `${'('.repeat(30)}userName pr${')'.repeat(30)}`,
    Array(60).fill('userName pr').join(' or '),
    'active eq "true"',
    '__proto__ eq "a"',
    'constructor pr',
    'meta.created gt "yesterday"',
  ])('rejects the filter %s', async (filter) =>
    expect(await find(filter)).toMatchObject({ status: 400, scimType: 'invalidFilter' }),
  );

  it('sorts and pages lists (3.4.2.3 and 3.4.2.4)', async () => {
    const group = unique('Paging');
    const names = (
      await Promise.all(
        ['c', 'a', 'b'].map((letter) =>
          createUser({ displayName: group, userName: `${letter}.${unique('page')}` }),
        ),
      )
    )
      .map(({ userName }) => userName)
      .sort();
    const filter = `displayName eq "${group}"`;
    expect((await find(filter, '&sortBy=userName&sortOrder=descending')).names).toEqual(
      [...names].reverse(),
    );
    const page = await find(filter, '&startIndex=2&count=1');
    expect([page.total, page.names]).toEqual([3, [names[1]]]);
    expect(await find(filter, '&count=0')).toMatchObject({ total: 3, names: [] });
    expect(await find(filter, '&startIndex=-5&count=-1')).toMatchObject({
      status: 200,
      total: 3,
      names: [],
    });
    expect((await find(filter, '&count=x')).status).toBe(400);
    const { body } = await ask('POST', 'Users/.search', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter,
      count: 2,
      attributes: ['userName'],
    });
    expect([
      body.totalResults,
      body.itemsPerPage,
      Object.keys((body.Resources as Json[])[0] ?? {}).sort(),
    ]).toEqual([3, 2, ['id', 'schemas', 'userName']]);
  });
});

describe('changing (RFC 7644, 3.5)', () => {
  it('replaces a user by PUT, and keeps the active state unless it is sent (3.5.1)', async () => {
    const user = await createUser();
    await patch(`Users/${user.id}`, { op: 'replace', path: 'active', value: false });
    const { status, body } = await ask('PUT', `Users/${user.id}`, {
      schemas: [USER],
      userName: user.userName,
      name: { formatted: 'Li Si' },
    });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ displayName: 'Li Si', active: false }),
    ]);
    expect(body).not.toHaveProperty('externalId');
    expect(body).not.toHaveProperty('emails');
    expect(
      (await ask('PUT', `Users/${user.id}`, { schemas: [USER], userName: 'admin' })).body.scimType,
    ).toBe('uniqueness');
  });

  it.each<[string, Json[], Json]>([
    [
      'replace of an attribute',
      [{ op: 'replace', path: 'displayName', value: 'Li Si' }],
      { displayName: 'Li Si' },
    ],
    [
      'replace without a path',
      [{ op: 'Replace', value: { displayName: 'Li Si', active: 'False' } }],
      { displayName: 'Li Si', active: false },
    ],
    [
      'a part of an attribute',
      [{ op: 'Replace', path: 'name.givenName', value: 'Si' }],
      { name: { givenName: 'Si', familyName: 'Zhang', formatted: 'Si Zhang' } },
    ],
    [
      'dotted names without a path',
      [{ op: 'add', value: { 'name.familyName': 'Li', externalId: 'other' } }],
      { externalId: 'other', displayName: 'San Li' },
    ],
    [
      'one of several values',
      [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'other@example.com' }],
      { emails: [{ value: 'other@example.com', type: 'work', primary: true }] },
    ],
    [
      'a value that is not there yet',
      [{ op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '123' }],
      { phoneNumbers: [{ value: '123', type: 'work' }] },
    ],
    [
      'several operations in their order',
      [
        { op: 'replace', path: 'displayName', value: 'A' },
        {
          op: 'replace',
          path: 'urn:ietf:params:scim:schemas:core:2.0:User:displayName',
          value: 'B',
        },
      ],
      { displayName: 'B' },
    ],
    [
      'what this server does not keep',
      [
        { op: 'add', path: 'title', value: 'Dr' },
        {
          op: 'add',
          path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
          value: 'IT',
        },
      ],
      { active: true },
    ],
  ])('applies by PATCH (3.5.2): %s', async (_what, operations, expected) => {
    const { id } = await createUser();
    const { status, body } = await patch(`Users/${id}`, ...operations);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining(Object.fromEntries(Object.entries(expected))),
    ]);
  });

  it('removes attributes by PATCH (3.5.2.2)', async () => {
    const { id } = await createUser({ phoneNumbers: [{ value: '123' }] });
    expect(
      (await patch(`Users/${id}`, { op: 'remove', path: 'phoneNumbers' })).body,
    ).not.toHaveProperty('phoneNumbers');
    expect(
      (await patch(`Users/${id}`, { op: 'remove', path: 'emails[type eq "work"]' })).body,
    ).not.toHaveProperty('emails');
  });

  it.each<[string, unknown, string]>([
    ['no operations', { schemas: [PATCH], Operations: [] }, 'invalidSyntax'],
    ['another schema', { schemas: [USER], Operations: [{ op: 'add' }] }, 'invalidSyntax'],
    [
      'an operation that is none',
      { schemas: [PATCH], Operations: [{ op: 'move', path: 'a' }] },
      'invalidSyntax',
    ],
    [
      'a path that is none',
      { schemas: [PATCH], Operations: [{ op: 'add', path: '][', value: 1 }] },
      'invalidPath',
    ],
    [
      'the prototype',
      { schemas: [PATCH], Operations: [{ op: 'add', path: '__proto__.x', value: 1 }] },
      'invalidPath',
    ],
    ['a removal of everything', { schemas: [PATCH], Operations: [{ op: 'remove' }] }, 'noTarget'],
    [
      'no value',
      { schemas: [PATCH], Operations: [{ op: 'add', path: 'displayName' }] },
      'invalidValue',
    ],
    [
      'too many operations',
      { schemas: [PATCH], Operations: Array(1_001).fill({ op: 'add', path: 'title', value: 'x' }) },
      'tooMany',
    ],
    [
      'the state of an account',
      { schemas: [PATCH], Operations: [{ op: 'remove', path: 'active' }] },
      'mutability',
    ],
    [
      'the name of a person',
      { schemas: [PATCH], Operations: [{ op: 'remove', path: 'displayName' }] },
      'mutability',
    ],
    [
      'a name that is required',
      { schemas: [PATCH], Operations: [{ op: 'remove', path: 'userName' }] },
      'invalidValue',
    ],
  ])('rejects a PATCH (3.5.2) with %s, and changes nothing', async (_what, body, scimType) => {
    const user = await createUser();
    const answer = await ask('PATCH', `Users/${user.id}`, body);
    expect([answer.status, answer.body.scimType]).toEqual([400, scimType]);
    expect((await ask('GET', `Users/${user.id}`)).body).toEqual(user);
  });
});

describe('a user who leaves', () => {
  const signedIn = async (id: string) => {
    const secret = 'x'.repeat(43);
    await sql`insert into web_session (token_digest, user_id, kind, remote_addr, date_expired)
      values (sha256(${Buffer.from(`${secret}${id}`)}), ${id}, 'bearer', '127.0.0.1',
      now() + interval '1 hour')`.execute(test.db);
    return test.visitor.with({ authorization: `Bearer ${secret}${id}` });
  };

  it('disables the user with active: false, and ends every sign-in at once', async () => {
    const { id } = await createUser();
    const own = await signedIn(id);
    expect((await own.get('users/profile/')).status).toBe(200);
    expect(
      (await patch(`Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })).body.active,
    ).toBe(false);
    expect((await own.get('users/profile/')).status).toBe(401);
    expect(await accountOf(id)).toMatchObject({ is_active: false });
  });

  it('disables a user by DELETE, hides it from the provider, and restores it when it is created again (3.6)', async () => {
    const { id, userName } = await createUser();
    const own = await signedIn(id);
    expect((await ask('DELETE', `Users/${id}`)).status).toBe(204);
    expect([
      (await own.get('users/profile/')).status,
      (await ask('GET', `Users/${id}`)).status,
      (await ask('DELETE', `Users/${id}`)).status,
    ]).toEqual([401, 404, 404]);
    expect((await find(`userName eq "${userName}"`)).names).toEqual([]);
    expect(await accountOf(id)).toMatchObject({ is_active: false });
    const back = await ask('POST', 'Users', person({ userName }));
    expect([back.status, back.body.id, back.body.active]).toEqual([201, id, true]);
  });

  it('deletes users if the settings say so, except administrators appointed in Sallyport', async () => {
    await admin.patch('settings/setting/', { AUTH_SCIM_DELETE_USERS: true });
    const [user, chief] = [await createUser(), await createUser()];
    expect((await ask('DELETE', `Users/${user.id}`)).status).toBe(204);
    expect((await admin.get(`users/users/${user.id}/`)).status).toBe(404);
    expect((await admin.patch(`users/users/${chief.id}/`, { role: 'Admin' })).status).toBe(200);
    expect((await ask('DELETE', `Users/${chief.id}`)).status).toBe(403);
    expect(
      (await patch(`Users/${chief.id}`, { op: 'replace', path: 'active', value: false })).body
        .active,
    ).toBe(false);
    await admin.patch('settings/setting/', { AUTH_SCIM_DELETE_USERS: false });
  });
});

describe('what a token does not reach', () => {
  it('hides accounts of other sources: the provider cannot find, change or take them over (M7)', async () => {
    const local = await buildUser(test.db);
    expect((await find(`userName eq "${local.username}"`)).names).toEqual([]);
    expect((await ask('POST', 'Users', person({ userName: local.username }))).body.scimType).toBe(
      'uniqueness',
    );
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', person()],
      [
        'PATCH',
        { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: false }] },
      ],
      ['DELETE', undefined],
    ] as const)
      expect((await ask(method, `Users/${local.id}`, body)).status).toBe(404);
    expect(await accountOf(local.id)).toMatchObject({ source: 'local', is_active: true });
    expect((await ask('GET', 'Users/not-an-id')).status).toBe(404);
  });

  it('grants no role, such as administrator', async () => {
    const user = await createUser({
      roles: [{ value: 'Admin' }],
      role: 'Admin',
      userType: 'Admin',
    });
    await patch(
      `Users/${user.id}`,
      { op: 'add', path: 'roles', value: [{ value: 'Admin' }] },
      { op: 'add', value: { role: 'Admin' } },
    );
    expect(await accountOf(user.id)).toMatchObject({ role: 'User' });
  });
});

describe('groups (RFC 7643, 4.2)', () => {
  it('maintains user groups of the default organization, and adds and removes single members', async () => {
    const [a, b, c] = [await createUser(), await createUser(), await createUser()];
    const group = await madeGroup([a]);
    const members = (body: Json) => (body.members as Json[]).map(({ value }) => value).sort();
    expect(
      members(
        (
          await patch(`Groups/${group.id}`, {
            op: 'Add',
            path: 'members',
            value: [{ value: b.id }, { value: c.id }],
          })
        ).body,
      ),
    ).toEqual([a.id, b.id, c.id].sort());
    expect(
      members(
        (await patch(`Groups/${group.id}`, { op: 'remove', path: `members[value eq "${a.id}"]` }))
          .body,
      ),
    ).toEqual([b.id, c.id].sort());
    expect(
      members(
        (
          await patch(`Groups/${group.id}`, {
            op: 'Remove',
            path: 'members',
            value: [{ value: b.id }],
          })
        ).body,
      ),
    ).toEqual([c.id]);
    expect((await ask('GET', `Users/${c.id}`)).body.groups).toEqual([
      expect.objectContaining({ value: group.id, display: group.displayName }),
    ]);
    const renamed = unique('renamed');
    expect(
      (
        await patch(`Groups/${group.id}`, {
          op: 'replace',
          value: { id: group.id, displayName: renamed },
        })
      ).body.displayName,
    ).toBe(renamed);
    const filtered = await ask(
      'GET',
      `Groups?filter=${encodeURIComponent(`displayName eq "${renamed}"`)}&excludedAttributes=members`,
    );
    expect([filtered.body.totalResults, (filtered.body.Resources as Json[])[0]]).toEqual([
      1,
      expect.not.objectContaining({ members: expect.anything() }),
    ]);
    expect((await admin.get<Json>(`users/groups/${group.id}/`)).body).toMatchObject({
      name: renamed,
      users_amount: 1,
    });
    expect((await ask('DELETE', `Groups/${group.id}`)).status).toBe(204);
    expect((await ask('GET', `Groups/${group.id}`)).status).toBe(404);
  });

  it('finds users and groups in one search, users first, page by page', async () => {
    const mark = unique('both');
    const both = [
      await createUser({ displayName: mark }),
      await createUser({ displayName: mark }),
      await madeGroup([], mark),
    ];
    const search = async (more: Json) =>
      (
        await ask('POST', '.search', {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
          filter: `displayName eq "${mark}"`,
          ...more,
        })
      ).body as { totalResults: number; Resources: Json[] };
    const ids = async (more: Json) => (await search(more)).Resources.map(({ id }) => id);
    const users = (await ids({})).slice(0, 2);
    expect((await search({})).totalResults).toBe(3);
    expect([...users].sort()).toEqual([both[0]?.id, both[1]?.id].sort());
    expect(await ids({ startIndex: 2, count: 1 })).toEqual([users[1]]);
    expect(await ids({ startIndex: 2, count: 2 })).toEqual([users[1], both[2]?.id]);
    expect(await ids({ startIndex: 3 })).toEqual([both[2]?.id]);
    expect(await ids({ filter: `userName eq "${both[0]?.userName}"` })).toEqual([both[0]?.id]);
    expect(
      (await search({ startIndex: 3, attributes: ['displayName'] })).Resources.map(Object.keys),
    ).toEqual([['schemas', 'id', 'displayName']]);
    expect((await ask('POST', '.search', { filter: 'nothing eq "x"' })).body.scimType).toBe(
      'invalidFilter',
    );
  });

  it('returns type and primary of addresses as the provider sent them', async () => {
    const { id } = await createUser({
      emails: [{ value: 'plain@example.com' }],
      phoneNumbers: [{ value: '123', type: 'mobile', primary: true }],
    });
    const read = async () => (await ask('GET', `Users/${id}`)).body;
    expect(await read()).toMatchObject({
      emails: [{ value: 'plain@example.com' }],
      phoneNumbers: [{ value: '123', type: 'mobile', primary: true }],
    });
    const matchesOf = async (filter: string) =>
      (await ask('GET', `Users?filter=${encodeURIComponent(`id eq "${id}" and ${filter}`)}`)).body
        .totalResults;
    expect(await matchesOf('phoneNumbers.type eq "mobile"')).toBe(1);
    expect(await matchesOf('emails.type eq "work"')).toBe(0);
    await patch(`Users/${id}`, {
      op: 'add',
      path: 'emails[type eq "work"].value',
      value: 'work@example.com',
    });
    expect((await read()).emails).toEqual([{ value: 'work@example.com', type: 'work' }]);
    expect(await matchesOf('emails.type eq "work"')).toBe(1);
  });

  it("keeps members that an administrator added, and rejects members outside of the token's scope", async () => {
    const [own, local] = [await createUser(), await buildUser(test.db)];
    const group = await madeGroup([own]);
    expect(
      (await admin.patch(`users/groups/${group.id}/`, { users: [own.id, local.id] })).status,
    ).toBe(200);
    expect(
      (
        await ask('PUT', `Groups/${group.id}`, {
          schemas: [GROUP],
          displayName: group.displayName,
          members: [],
        })
      ).body.members,
    ).toEqual([]);
    expect((await admin.get<{ users: string[] }>(`users/groups/${group.id}/`)).body.users).toEqual([
      local.id,
    ]);
    expect(
      (
        await patch(`Groups/${group.id}`, {
          op: 'add',
          path: 'members',
          value: [{ value: local.id }],
        })
      ).body.scimType,
    ).toBe('invalidValue');
    expect(
      (
        await ask('POST', 'Groups', {
          schemas: [GROUP],
          displayName: unique('g'),
          members: [{ value: 'x' }],
        })
      ).status,
    ).toBe(400);
  });

  it('hides groups that were created in Sallyport, whose names are taken', async () => {
    const name = unique('local group');
    const { body } = await admin.post<{ id: string }>('users/groups/', { name, users: [] });
    for (const [method, sent] of [
      ['GET', undefined],
      ['DELETE', undefined],
      ['PUT', { schemas: [GROUP], displayName: 'x' }],
    ] as const)
      expect((await ask(method, `Groups/${body.id}`, sent)).status).toBe(404);
    expect(
      (await ask('POST', 'Groups', { schemas: [GROUP], displayName: name })).body.scimType,
    ).toBe('uniqueness');
  });
});

describe('the test of the settings', () => {
  const tryOut = async () => {
    const { status, body } = await admin.post<Json & { steps: { step: string; ok: boolean }[] }>(
      'settings/scim/testing/',
      { AUTH_SCIM: true },
    );
    return { status, steps: body.steps.map(({ step, ok }) => `${step} ${ok}`) };
  };

  it('sends requests as a provider does, and leaves no token', async () => {
    const before = (await admin.get<ScimToken[]>(TOKENS)).body.length;
    expect(await tryOut()).toEqual({
      status: 200,
      steps: ['settings true', 'tokens true', 'address true', 'users true', 'groups true'],
    });
    expect((await admin.get<ScimToken[]>(TOKENS)).body.length).toBe(before);
    await admin.patch('settings/setting/', { AUTH_SCIM: false });
    expect(await tryOut()).toEqual({ status: 400, steps: ['settings false'] });
    await admin.patch('settings/setting/', { AUTH_SCIM: true });
  });
});

it('rejects bodies that are not JSON or too large', async () => {
  const send = (body: string) =>
    fetch(new URL('/scim/v2/Users', test.program.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/scim+json' },
      body,
    });
  expect((await send('{')).status).toBe(400);
  expect((await send(`"${'x'.repeat(5_000_000)}"`)).status).toBe(413);
  expect((await send('[]')).status).toBe(400);
});

it('answers an unknown address in the format of SCIM', async () => {
  const { status, body, headers } = await sendScim(test, { method: 'GET', path: 'Devices' });
  expect([status, headers.get('content-type'), body]).toEqual([
    404,
    'application/scim+json; charset=utf-8',
    expect.objectContaining({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '404',
    }),
  ]);
});
