import {
  type FieldMetadata,
  fieldsDiffer,
  RESOURCES,
  Role,
  readableFields,
} from '@sallyport/contract';
import { generateSshKeyPair } from '@sallyport/ssh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client, Page } from '../../testing/client.ts';
import { ADMIN, bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { addressOf, buildTwoOrganizations, type Objects } from '../../testing/two-organizations.ts';

type Fields = Record<string, FieldMetadata>;
interface Metadata {
  readonly name: string;
  readonly description: string;
  readonly actions: { GET: Fields; POST?: Fields; PUT?: Fields };
}

let test: TestProgram;
let admin: Client;
/** An organization with one object of each kind. */
let organizationWithAll: string;
let own: Objects;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  ({ here: organizationWithAll, own } = await buildTwoOrganizations(test));
  await admin.post('authentication/access-keys/', { password: ADMIN.password });
  await admin.post('authentication/ssh-keys/', {
    name: 'Laptop',
    public_key: generateSshKeyPair('').public,
    password: ADMIN.password,
  });
  // Callers see only their own executions.
  await sql`update command_execution set user_id = (select id from account where username = 'admin') where id = ${own['audits/command-execution-logs']}`.execute(
    test.db,
  );
  await admin.post('terminal/snippets/', { name: 'Load', content: 'uptime' });
  await sql`select notify_users(array(select id from account where username = 'admin'), 'job_failed',
    'Load', '', 'job', '', '')`.execute(test.db);
  await admin.post('audits/event-receivers/', {
    name: 'Logs',
    host: 'logs.example.com',
    is_active: false,
  });
  await admin.post('users/sign-in-rules/', { name: 'Office', is_active: false, everyone: true });
  const mapping = { name: 'Chiefs', source: 'ldap', provider_group: 'chiefs', role: 'Auditor' };
  await admin.post('users/group-mappings/', mapping);
});
afterAll(() => test.stop());

const metadata = async (path: string, language = 'en', client = admin) =>
  (await client.with({ 'accept-language': language }).options<Metadata>(path)).body;

it('describes the fields of a list', async () => {
  const { name, description, actions } = await metadata('assets/labels/');
  expect([name, description, Object.keys(actions)]).toEqual([
    'Label List',
    'Label',
    ['GET', 'POST', 'PUT'],
  ]);
  expect(actions.GET.name).toEqual({
    type: 'string',
    required: true,
    read_only: false,
    label: 'Name',
    max_length: 128,
    write_only: false,
    filter: true,
    order: true,
  });
  expect(actions.POST?.assets).toMatchObject({
    type: 'field',
    required: false,
    read_only: false,
    target: 'asset',
    multiple: true,
  });
  expect(actions.POST?.comment).toMatchObject({ type: 'string', required: false, multiline: true });
  expect(actions.POST?.comment?.max_length).toBeUndefined();
  // A multi-line text also has a maximum length.
  expect((await metadata('assets/assets/')).actions.POST?.comment).toMatchObject({
    max_length: 128,
    multiline: true,
  });
  expect(actions.POST?.is_active).toMatchObject({
    type: 'boolean',
    required: false,
    default: true,
  });
  expect(actions.POST?.date_created).toMatchObject({ type: 'datetime', read_only: true });
});

it('answers in the language of the request, with the cookie before the header', async () => {
  expect((await metadata('assets/labels/', 'zh')).actions.GET.name?.label).toBe('名称');
  expect((await metadata('assets/labels/', 'zh-CN,zh;q=0.9')).description).toBe('标签');
  expect((await metadata('assets/labels/', 'fr')).description).toBe('Label');
  expect(
    (await metadata('assets/labels/', 'zh', admin.with({ cookie: 'django_language=en' })))
      .description,
  ).toBe('Label');
  const choices = (language: string) =>
    metadata('assets/system-users/', language).then(
      ({ actions }) => actions.POST?.login_mode?.choices,
    );
  expect(await choices('en')).toEqual([
    { value: 'auto', display_name: 'Automatic sign-in' },
    { value: 'manual', display_name: 'Manual sign-in' },
    { value: 'certificate', display_name: 'SSH certificate' },
  ]);
  expect(await choices('zh')).toEqual([
    { value: 'auto', display_name: '自动登录' },
    { value: 'manual', display_name: '手动登录' },
    { value: 'certificate', display_name: 'SSH 证书' },
  ]);
});

it('describes the actions on a single object', async () => {
  const { body } = await admin.post('assets/labels/', { name: 'a', value: 'b' });
  const { name, actions } = await metadata(`assets/labels/${body.id}/`);
  expect([name, Object.keys(actions)]).toEqual(['Label Instance', ['GET', 'PUT']]);
});

it('offers no form to auditors', async () => {
  const organization = await buildOrganization(test.db);
  const auditor = await bearer(
    test,
    await buildUser(test.db, { memberOf: [{ organization, role: 'Auditor' }] }),
  );
  const { actions } = await metadata(
    'terminal/sessions/',
    'en',
    auditor.inOrganization(organization),
  );
  expect(Object.keys(actions)).toEqual(['GET']);
});

it('marks secrets as write-only and never lists them', async () => {
  for (const path of [
    'assets/system-users/',
    'assets/admin-users/',
    'assets/gateways/',
    'users/users/',
  ]) {
    const { actions } = await metadata(path);
    expect([path, actions.POST?.password?.write_only, 'password' in actions.GET]).toEqual([
      path,
      true,
      false,
    ]);
  }
});

describe.each(RESOURCES.map((resource) => [resource.path, resource] as const))(
  '%s',
  (path, resource) => {
    const address = () => addressOf(path, own);
    // Nested objects are in the organization of their parent.
    const client = () => (resource.parent ? admin.inOrganization(organizationWithAll) : admin);

    it('lists with draw and display exactly the fields of the rows', async () => {
      const world = admin.inOrganization(organizationWithAll);
      const { body } = await world.get<Page>(`${address()}/?draw=1&display=1&limit=1&offset=0`);
      const { actions } = await metadata(`${address()}/?draw=1&display=1`, 'en', world);
      expect([path, body.results.length]).toEqual([path, 1]);
      expect(Object.keys(actions.GET)).toEqual(Object.keys(body.results[0] ?? {}));
      // Prefer a known object: the server deletes its jobs once they succeed.
      const id = own[path] ?? body.results[0]?.id;
      const detail = await metadata(`${address()}/${id}/`, 'en', world);
      expect(Object.keys(detail.actions.GET)).toEqual(
        Object.keys((await world.get(`${address()}/${id}/`)).body),
      );
      expect(Object.keys(actions.GET)).toEqual(
        readableFields(resource, false).map(([name]) => name),
      );
    });

    it('names the available methods, filters and orders', async () => {
      const { actions } = await metadata(`${address()}/`, 'en', client());
      const { read, create, update } = resource.access;
      const starts = create !== undefined || resource.startForm !== undefined;
      const methods = [
        read !== undefined && 'GET',
        starts && 'POST',
        update !== undefined && 'PUT',
      ].filter(Boolean);
      expect(Object.keys(actions)).toEqual(methods);
      for (const [name, field] of Object.entries(actions.GET)) {
        const value =
          name === 'id' || field.type === 'field'
            ? crypto.randomUUID()
            : field.type === 'boolean'
              ? 'true'
              : (field.choices?.[0]?.value ?? '1');
        const [filtered, ordered] = [
          await client().get(`${address()}/?${name}=${value}&limit=1`),
          await client().get(`${address()}/?order=-${name}&limit=1`),
        ];
        if (field.filter) expect([name, filtered.status]).toEqual([name, 200]);
        expect([name, ordered.status]).toEqual([name, field.order ? 200 : 400]);
      }
    });

    it('describes the form as the console of this version draws it', async () => {
      const { PUT, POST } = (await metadata(`${address()}/`, 'en', client())).actions;
      const described =
        resource.access.update === undefined && resource.startForm ? PUT : (PUT ?? POST);
      if (described)
        expect(fieldsDiffer(resource.fields, described, Role.SuperAdmin | Role.User)).toBe(false);
    });

    it('requires the fields that it marks as required, and enforces the declared limits', async () => {
      const { POST: form } = (await metadata(`${address()}/`, 'en', client())).actions;
      if (!form || resource.access.create === undefined) return;
      const blank = await client().post(`${address()}/`, {});
      const required = Object.entries(form).flatMap(([name, field]) =>
        field.required ? [name] : [],
      );
      if (required.length > 0)
        expect([path, blank.status, Object.keys(blank.body).sort()]).toEqual([
          path,
          400,
          required.sort(),
        ]);
      for (const [name, field] of Object.entries(form)) {
        if (field.read_only || field.max_length === undefined) continue;
        const refused = await client().post(`${address()}/`, {
          [name]: 'x'.repeat(field.max_length + 1),
        });
        expect([
          name,
          refused.status,
          (refused.body as Record<string, string[]>)[name]?.[0],
        ]).toEqual([name, 400, expect.stringContaining(String(field.max_length))]);
      }
    });
  },
);
