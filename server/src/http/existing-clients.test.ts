import type { FieldMetadata } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BuiltUser,
  buildAsset,
  buildPermission,
  buildSystemUser,
  buildUser,
} from '../testing/builders.ts';
import type { Client, Json } from '../testing/client.ts';
import { agePasswordProofs, bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

/** Requests of consoles and scripts for API version 2.1, and the answers that they expect. */

interface Metadata {
  readonly name: string;
  readonly description: string;
  readonly renders: string[];
  readonly parses: string[];
  readonly actions?: Readonly<
    Partial<Record<'GET' | 'POST' | 'PUT', Readonly<Record<string, FieldMetadata>>>>
  >;
}

let test: TestProgram;
let admin: Client;
let user: Client;
let person: BuiltUser;
let rule: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  person = await buildUser(test.db);
  user = await bearer(test, person);
  const [asset, systemUser] = [await buildAsset(test.db), await buildSystemUser(test.db)];
  rule = await buildPermission(test.db, {
    organization: '',
    users: [person.id],
    assets: [asset],
    systemUsers: [systemUser],
  });
});
afterAll(() => test.stop());

describe('OPTIONS before a table or a form is drawn', () => {
  it('returns the readable and writable fields of every declared list and form', async () => {
    const routes = test.program.app.routes.filter(
      ({ url, socket, access }) => url.startsWith('/api/v1/') && !socket && access !== 'public',
    );
    const urls = [...new Set(routes.map(({ url }) => url))];
    expect(urls.length).toBeGreaterThan(100);
    for (const url of urls) {
      const here = routes.filter((one) => one.url === url);
      expect([url, here.some(({ method }) => method === 'OPTIONS')]).toEqual([url, true]);
      // Tests of the resources cover paths with ids.
      if (url.includes(':')) continue;
      const { status, body } = await admin.options<Metadata>(url);
      expect([url, status, typeof body.name, Array.isArray(body.renders)]).toEqual([
        url,
        200,
        'string',
        true,
      ]);
      const list = here.find(
        ({ method, answer }) => method === 'GET' && Array.isArray(answer?.example),
      );
      if (list) expect([url, Object.keys(body.actions?.GET ?? {}).length > 0]).toEqual([url, true]);
      const form = here.find(
        ({ body: fields }) => fields !== undefined && Object.keys(fields).length > 0,
      );
      if (form)
        expect([
          url,
          Object.keys({ ...body.actions?.POST, ...body.actions?.PUT }).length > 0,
        ]).toEqual([url, true]);
    }
  });

  it.each([
    ['perms/users/assets/', () => user],
    ['perms/users/nodes/{id}/assets/', () => user],
    ['perms/users/{user}/assets/', () => admin],
    ['perms/users/{user}/nodes/{id}/assets/', () => admin],
    ['perms/user-groups/{id}/assets/', () => admin],
    ['perms/user-groups/{id}/nodes/{id}/assets/', () => admin],
  ])('lists the columns of granted assets at %s', async (path, who) => {
    const url = path.replaceAll('{user}', person.id).replaceAll('{id}', crypto.randomUUID());
    const { status, body } = await who().options<Metadata>(`${url}?draw=1&display=1`);
    expect(status).toBe(200);
    expect(body.actions?.GET?.hostname).toMatchObject({
      type: 'string',
      label: 'Hostname',
      read_only: true,
      filter: true,
      order: true,
    });
    expect(Object.keys(body.actions?.GET ?? {})).toEqual(
      expect.arrayContaining(['ip', 'protocols', 'platform', 'comment', 'org_name']),
    );
  });

  it.each(['users', 'assets'])('lists the columns of all %s of a permission', async (what) => {
    const { status, body } = await admin.options<Metadata>(
      `perms/asset-permissions/${rule}/${what}/all/`,
    );
    // Our additional columns follow those that clients know.
    expect([status, Object.keys(body.actions?.GET ?? {})]).toEqual([
      200,
      [what.slice(0, -1), `${what.slice(0, -1)}_display`, 'direct', 'through'],
    ]);
  });

  it('lists the columns of the users of a directory', async () => {
    const { body } = await admin.options<Metadata>('settings/ldap/users/');
    expect(Object.keys(body.actions?.GET ?? {})).toEqual([
      'id',
      'username',
      'name',
      'email',
      'existing',
    ]);
  });

  it.each([
    ['users/profile/', ['phone', 'wechat', 'comment', 'mfa_level', 'public_key']],
    ['users/profile/password/', ['old_password', 'new_password', 'new_password_again']],
    ['users/profile/public-key/', ['public_key']],
  ])('lists the form fields of %s', async (path, writable) => {
    const { status, body } = await user.options<Metadata>(path);
    expect(status).toBe(200);
    const form = body.actions?.PUT ?? {};
    expect(writable.filter((name) => form[name]?.read_only !== false)).toEqual([]);
  });

  it('rejects other users', async () => {
    expect((await test.visitor.options('perms/users/assets/')).status).toBe(401);
    expect((await user.options(`perms/users/${person.id}/assets/`)).status).toBe(403);
    expect((await user.options('settings/ldap/users/')).status).toBe(403);
  });
});

describe('what known clients send along', () => {
  it("returns an empty form for the caller's password", async () => {
    const { status, body } = await user.get('users/profile/password/');
    expect([status, body]).toEqual([200, {}]);
  });

  it('accepts and ignores the check boxes of the user form, and rejects other unknown fields', async () => {
    const { body } = await admin.get(`users/users/${person.id}/`);
    const sent = { ...body, update_password: false, set_public_key: true };
    expect((await admin.put(`users/users/${person.id}/`, sent)).status).toBe(200);
    const refused = await admin.put(`users/users/${person.id}/`, {
      ...sent,
      updat_password: false,
    });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['updat_password']]);
  });

  it("accepts the caller's key with the fields that were read with it", async () => {
    const key =
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/0tFxgfHq6M8tTSqUXHfWQuzChxBY6vPmF9XWMY2Q4 me@example.com';
    const first = await user.put('users/profile/public-key/', {
      public_key: key,
      password: person.password,
    });
    expect(first.status).toBe(200);
    const again = await user.put(
      'users/profile/public-key/',
      (await user.get('users/profile/public-key/')).body,
    );
    expect([again.status, again.body]).toEqual([200, first.body]);
  });
});

describe('a body that is absent', () => {
  it('counts as an empty object: creates an access key shortly after a sign-in, then needs a password', async () => {
    const first = await user.send<Json>('POST', 'authentication/access-keys/');
    expect([first.status, typeof first.body.secret]).toEqual([201, 'string']);
    await user.delete(`authentication/access-keys/${first.body.id}/`);
    await agePasswordProofs(test);
    expect(await user.send<Json>('POST', 'authentication/access-keys/')).toMatchObject({
      status: 400,
      body: { password: [expect.any(String)] },
    });
    const created = await user.post<Json>('authentication/access-keys/', {
      password: person.password,
    });
    expect([created.status, typeof created.body.secret]).toEqual([201, 'string']);
    const listed = await user.get<Json[]>('authentication/access-keys/');
    expect(listed.body.map(({ secret }) => secret)).toEqual([null]);
  });

  it.each([
    ['application/json', ''],
    ['text/plain', ''],
    [undefined, undefined],
  ])('reports the missing fields for a body of type %s', async (type, body) => {
    const refused = await admin.send('POST', 'assets/labels/', body, type);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['name', 'value']]);
  });

  it('changes nothing when all fields are optional', async () => {
    expect((await admin.send('PATCH', `users/users/${person.id}/`)).status).toBe(200);
  });
});

describe('what a refusal says', () => {
  it('returns the sentence in `error`, which clients show first, and the code in `code`', async () => {
    for (const refused of [
      await user.get('assets/assets/'),
      await admin.get(`assets/assets/${crypto.randomUUID()}/`),
      await admin.request('PROPFIND', 'assets/assets/'),
      await admin.put(`users/users/${person.id}/password/reset/`),
    ]) {
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused.body.error).toBe(refused.body.msg);
      expect(String(refused.body.error)).toMatch(/^[A-Z].* .*\.$/);
      expect(String(refused.body.code)).toMatch(/^[a-z_]+$/);
    }
  });

  it('returns the code in `error` at sign-in', async () => {
    const refused = await test.visitor.post('authentication/auth/', {
      username: 'nobody',
      password: 'wrong',
    });
    expect([refused.status, refused.body.error]).toEqual([400, 'password_failed']);
  });
});
