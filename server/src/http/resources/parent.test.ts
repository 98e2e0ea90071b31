import {
  defineResource,
  id,
  label,
  Permission,
  pathOf,
  RESOURCES,
  reference,
  text,
} from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, unique } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { buildCast, type Cast } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

/** A resource below labels. */
const note = defineResource({
  name: 'note',
  path: 'notes',
  parent: { resource: label, field: 'label' },
  scope: 'org',
  title: { en: 'Note', zh: '备注' },
  // Reading notes requires fewer bits than reading labels, which is required too.
  access: {
    read: Permission.USE,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  fields: {
    id: id(),
    name: text({
      label: { en: 'Name', zh: '名称' },
      max: 64,
      unique: 'org',
      search: true,
      order: true,
      filter: true,
    }),
    label: reference({ label: { en: 'Label', zh: '标签' }, to: 'label', readOnly: true }),
  },
});

let test: TestProgram;
let cast: Cast;
let admin: Client;
let one: string;
let other: string;
let elsewhere: string;
const at = (labelId: string) => `${pathOf(note, { label: labelId })}/`;

beforeAll(async () => {
  test = await startTestProgram({}, { resources: [...RESOURCES, note] });
  await sql`
    create table note (
      id uuid primary key default gen_random_uuid(),
      org_id text not null,
      label_id uuid not null references label (id) on delete cascade,
      name text not null,
      search_text text generated always as (lower(name)) stored,
      unique (org_id, name))`.execute(test.db);
  admin = await bearer(test);
  cast = await buildCast(test);
  const build = async (client: Client) =>
    String(
      (await client.post<Json>('assets/labels/', { name: unique('label'), value: 'x' })).body.id,
    );
  [one, other] = [await build(admin), await build(admin)];
  elsewhere = await build(admin.inOrganization(await buildOrganization(test.db)));
});
afterAll(() => test.stop());

const create = async (labelId: string, more: Json = {}) =>
  (await admin.post<Json>(at(labelId), { name: unique('note'), ...more })).body;
const listed = async (labelId: string, query = '') =>
  (await admin.get<Json[]>(`${at(labelId)}${query}`)).body.map(({ id: own }) => own);

describe('a resource below another one', () => {
  it('creates below the object of the path, with any body', async () => {
    const { status, body } = await admin.post<Json>(at(one), {
      name: unique('note'),
      label: other,
    });
    expect([status, body.label]).toEqual([201, one]);
    expect([await listed(one), await listed(other)]).toEqual([[body.id], []]);
    const many = await admin.post<Json[]>(at(one), [
      { name: unique('note') },
      { name: unique('note'), label: other },
    ]);
    expect([many.status, many.body.map((row) => row.label)]).toEqual([201, [one, one]]);
    const log = await admin.get<Page>(
      `audits/operate-logs/?limit=1&order=-datetime&search=${String(body.name)}`,
    );
    expect(log.body.results[0]).toMatchObject({ action: 'create', resource: body.name });
  });

  it('allows reading, changing and deleting only below the own parent', async () => {
    const { id: own } = await create(one);
    expect((await admin.get(`${at(one)}${own}/`)).status).toBe(200);
    const wrong = `${at(other)}${own}/`;
    const answers = [
      await admin.get(wrong),
      await admin.options(wrong),
      await admin.put(wrong, { name: 'x' }),
      await admin.patch(wrong, { name: 'x' }),
      await admin.delete(wrong),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await admin.patch<Json[]>(at(other), [{ id: own, name: 'x' }])).status).toBe(400);
    await admin.delete(`${at(other)}?ids=${own}`);
    expect([await listed(other, `?ids=${own}`), await listed(one, `?ids=${own}`)]).toEqual([
      [],
      [own],
    ]);
    const moved = await admin.put<Json>(`${at(one)}${own}/`, {
      name: unique('renamed'),
      label: other,
    });
    expect([moved.status, moved.body.label]).toEqual([200, one]);
    expect((await admin.patch<Json[]>(at(one), [{ id: own, name: unique('again') }])).status).toBe(
      200,
    );
    expect((await admin.delete(`${at(one)}${own}/`)).status).toBe(204);
    expect((await admin.get(`${at(one)}${own}/`)).status).toBe(404);
  });

  it('appears in lists, searches, pages and files of its parent', async () => {
    const labelId = String(
      (await admin.post<Json>('assets/labels/', { name: unique('label'), value: 'x' })).body.id,
    );
    const [first] = [await create(labelId), await create(labelId)];
    await create(other, { name: `${first.name}-other` });
    expect(await listed(labelId)).toHaveLength(2);
    expect(await listed(labelId, `?search=${first.name}`)).toEqual([first.id]);
    expect((await admin.get<Page>(`${at(labelId)}?limit=1`)).body).toMatchObject({
      count: 2,
      results: [{ label: labelId }],
    });
    expect((await admin.get(`${at(labelId)}?format=csv`)).text.trim().split('\n')).toHaveLength(3);
    const template = await admin.get(`${at(labelId)}?format=csv&template=import`);
    expect(template.text.split('\n')[0]).not.toContain('Label');
    const file = await admin.send<Json[]>(
      'POST',
      at(labelId),
      `name\n${unique('filed')}\n`,
      'text/csv',
    );
    expect([file.status, file.body.map((row) => row.label)]).toEqual([201, [labelId]]);
  });

  it('returns 404 below an invisible parent', async () => {
    for (const labelId of [elsewhere, crypto.randomUUID(), 'no-id']) {
      const path = at(labelId);
      const answers = [
        await admin.get(path),
        await admin.options(path),
        await admin.post(path, { name: 'x' }),
        await admin.put(path, []),
        await admin.delete(`${path}?ids=${one}`),
      ];
      expect([labelId, ...answers.map(({ status }) => status)]).toEqual([
        labelId,
        404,
        404,
        404,
        404,
        404,
      ]);
    }
    expect((await sql`select 1 from note where name = 'x'`.execute(test.db)).rows).toEqual([]);
  });

  it('requires the permission for its parent', async () => {
    expect((await cast.clients.user.get(at(one))).status).toBe(403);
    expect((await cast.clients.nobody.get(at(one))).status).toBe(401);
    const access = (method: string) =>
      test.program.app.routes.find(
        (route) => route.url === '/api/v1/assets/labels/:label/notes/' && route.method === method,
      )?.access;
    expect([access('GET'), access('POST')]).toEqual([
      Permission.USE | (label.access.read ?? 0),
      Permission.ADMIN | (label.access.read ?? 0),
    ]);
  });

  it('deletes with its parent', async () => {
    const labelId = String(
      (await admin.post<Json>('assets/labels/', { name: unique('label'), value: 'x' })).body.id,
    );
    const { id: own } = await create(labelId);
    await admin.delete(`assets/labels/${labelId}/`);
    expect((await admin.get(`${at(labelId)}${own}/`)).status).toBe(404);
  });

  it('describes the parent in metadata and OpenAPI', async () => {
    const { body } = await admin.options<{ actions: Record<string, Record<string, Json>> }>(
      at(one),
    );
    expect(body.actions.POST?.label).toMatchObject({ read_only: true, required: false });
    const { paths } = (
      await admin.get<{
        paths: Record<string, Record<string, { parameters?: Json[]; requestBody?: unknown }>>;
      }>('/api/docs/openapi.json')
    ).body;
    const list = paths['/api/v1/assets/labels/{label}/notes/'] ?? {};
    expect(Object.keys(list).toSorted()).toEqual([
      'delete',
      'get',
      'options',
      'patch',
      'post',
      'put',
    ]);
    expect(list.get?.parameters?.[0]).toMatchObject({ name: 'label', in: 'path', required: true });
    expect(JSON.stringify(list.post?.requestBody)).toContain('NoteInput');
    expect(
      Object.keys(paths['/api/v1/assets/labels/{label}/notes/{id}/'] ?? {}).toSorted(),
    ).toEqual(['delete', 'get', 'options', 'patch', 'put']);
  });
});

it('requires a read-only reference to the parent in the declaration', () => {
  const fields = { id: id(), label: reference({ label: note.title, to: 'label' }) };
  const declare = () =>
    defineResource({
      ...note,
      path: 'notes',
      fields,
      labelField: 'id',
      miniFields: ['id'],
      defaultOrder: ['id'],
      access: {},
    });
  expect(declare).toThrow('note: label must be a read-only reference to label');
  expect(() => pathOf(note, {})).toThrow('no id for label');
});
