import type { FieldMetadata } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

type Fields = Record<string, FieldMetadata>;
interface Metadata {
  readonly name: string;
  readonly description: string;
  readonly actions: { GET: Fields; POST?: Fields; PUT?: Fields };
}

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const metadata = async (path: string, language = 'en', client = admin) => (await client.with({ 'accept-language': language }).options<Metadata>(path)).body;

it('describes the fields of a list', async () => {
  const { name, description, actions } = await metadata('assets/labels/');
  expect([name, description, Object.keys(actions)]).toEqual(['Label List', 'Label', ['GET', 'POST', 'PUT']]);
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
  expect(actions.POST?.assets).toMatchObject({ type: 'field', required: false, read_only: false, target: 'asset', multiple: true });
  expect(actions.POST?.comment).toMatchObject({ type: 'string', required: false, multiline: true });
  expect(actions.POST?.comment?.max_length).toBeUndefined();
  // What is long has its limit all the same, and says that it is long.
  expect((await metadata('assets/assets/')).actions.POST?.comment).toMatchObject({ max_length: 128, multiline: true });
  expect(actions.POST?.is_active).toMatchObject({ type: 'boolean', required: false, default: true });
  expect(actions.POST?.date_created).toMatchObject({ type: 'datetime', read_only: true });
});

it('speaks the language of the request, by header and before that by cookie', async () => {
  expect((await metadata('assets/labels/', 'zh')).actions.GET.name?.label).toBe('名称');
  expect((await metadata('assets/labels/', 'zh-CN,zh;q=0.9')).description).toBe('标签');
  expect((await metadata('assets/labels/', 'fr')).description).toBe('Label');
  expect((await metadata('assets/labels/', 'zh', admin.with({ cookie: 'django_language=en' }))).description).toBe('Label');
  const choices = (language: string) => metadata('assets/system-users/', language).then(({ actions }) => actions.POST?.login_mode?.choices);
  expect(await choices('en')).toEqual([
    { value: 'auto', display_name: 'Automatic login' },
    { value: 'manual', display_name: 'Manually login' },
  ]);
  expect(await choices('zh')).toEqual([
    { value: 'auto', display_name: '自动登录' },
    { value: 'manual', display_name: '手动登录' },
  ]);
});

it('says of the one object what may be done with it', async () => {
  const { body } = await admin.post('assets/labels/', { name: 'a', value: 'b' });
  const { name, actions } = await metadata(`assets/labels/${body.id}/`);
  expect([name, Object.keys(actions)]).toEqual(['Label Instance', ['GET', 'PUT']]);
});

it('offers no form to those who may only read', async () => {
  const organization = await buildOrganization(test.db);
  const auditor = await bearer(test, await buildUser(test.db, { memberOf: [{ organization, role: 'Auditor' }] }));
  const { actions } = await metadata('terminal/sessions/', 'en', auditor.inOrganization(organization));
  expect(Object.keys(actions)).toEqual(['GET']);
});

it('marks secrets as write-only and never among what is read', async () => {
  for (const path of ['assets/system-users/', 'assets/admin-users/', 'assets/gateways/', 'users/users/']) {
    const { actions } = await metadata(path);
    expect([path, actions.POST?.password?.write_only, 'password' in actions.GET]).toEqual([path, true, false]);
  }
});
