import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  await sql`truncate label cascade`.execute(test.db);
});

const create = async (body: Json) => (await admin.post('assets/labels/', body)).body;

describe('creating', () => {
  it('returns the row with its defaults', async () => {
    const { status, body } = await admin.post('assets/labels/', { name: ' env ', value: 'prod' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'env',
      value: 'prod',
      category: 'U',
      is_active: true,
      comment: null,
      date_created: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0800$/),
      asset_count: 0,
      assets: [],
      get_category_display: 'User',
      org_id: '',
      org_name: 'DEFAULT',
    });
    expect((await admin.get(`assets/labels/${body.id}/`)).body).toEqual(body);
  });

  it('accepts an id from the caller once', async () => {
    const id = crypto.randomUUID();
    expect((await create({ id, name: 'a', value: 'b' })).id).toBe(id);
    expect((await admin.post('assets/labels/', { id, name: 'c', value: 'd' })).status).toBe(400);
  });

  it('rejects a second row with the same name and value at both fields', async () => {
    await create({ name: 'env', value: 'prod' });
    const { status, body } = await admin.post('assets/labels/', { name: 'env', value: 'prod' });
    expect([status, body]).toEqual([
      400,
      { name: ['This field must be unique.'], value: ['This field must be unique.'] },
    ]);
  });

  it('rejects a name with characters that break a line or change its direction', async () => {
    for (const character of ['\u202e', '\u2028', '\u200f', '\u2066', '\u001b']) {
      const { status, headers } = await admin.post('assets/labels/', {
        name: `a${character}b`,
        value: 'x',
      });
      expect([status, headers.get('x-error-fields')]).toEqual([400, 'name=control_character']);
    }
  });

  it('ignores read-only fields', async () => {
    const row = await create({
      name: 'a',
      value: 'b',
      category: 'S',
      org_id: 'elsewhere',
      date_created: 'never',
      asset_count: 7,
    });
    expect(row).toMatchObject({ category: 'U', org_id: '', asset_count: 0 });
  });
});

describe('changing', () => {
  it('changes only the given fields with PATCH', async () => {
    const asset = await buildAsset(test.db);
    const row = await create({ name: 'a', value: 'b', comment: 'kept', assets: [asset] });
    const { status, body } = await admin.patch(`assets/labels/${row.id}/`, { value: 'c' });
    expect([status, body]).toEqual([200, { ...row, value: 'c' }]);
  });

  it('requires every required field with PUT', async () => {
    const row = await create({ name: 'a', value: 'b' });
    const { status, body } = await admin.put(`assets/labels/${row.id}/`, { value: 'c' });
    expect([status, body]).toEqual([400, { name: ['This field is required'] }]);
    expect(
      (await admin.put(`assets/labels/${row.id}/`, { name: 'x', value: 'c' })).body,
    ).toMatchObject({ name: 'x', value: 'c' });
  });

  it('accepts an unchanged row', async () => {
    const row = await create({ name: 'a', value: 'b' });
    expect((await admin.put(`assets/labels/${row.id}/`, row)).body).toEqual(row);
  });

  it('ignores a new id', async () => {
    const row = await create({ name: 'a', value: 'b' });
    const other = crypto.randomUUID();
    await admin.patch(`assets/labels/${row.id}/`, { id: other, value: 'c' });
    expect((await admin.get(`assets/labels/${other}/`)).status).toBe(404);
    expect((await admin.get(`assets/labels/${row.id}/`)).body).toMatchObject({ value: 'c' });
  });

  it('replaces links as a whole and counts them', async () => {
    const [one, two] = [await buildAsset(test.db), await buildAsset(test.db)];
    const row = await create({ name: 'a', value: 'b', assets: [one, one] });
    expect(row).toMatchObject({ assets: [one], asset_count: 1 });
    expect((await admin.patch(`assets/labels/${row.id}/`, { assets: [two] })).body).toMatchObject({
      assets: [two],
      asset_count: 1,
    });
    expect((await admin.patch(`assets/labels/${row.id}/`, { assets: [] })).body).toMatchObject({
      assets: [],
      asset_count: 0,
    });
  });

  it('returns 404 for a missing row', async () => {
    for (const id of [crypto.randomUUID(), 'nonsense', '0'])
      expect((await admin.patch(`assets/labels/${id}/`, { value: 'x' })).status).toBe(404);
  });
});

describe('deleting', () => {
  const remaining = async () => (await admin.get<Json[]>('assets/labels/')).body.length;

  it('deletes one row, or several joined by commas', async () => {
    const rows = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => create({ name, value: 'x' })),
    );
    const [first, ...others] = rows.map((row) => row.id);
    const { status, text } = await admin.delete(`assets/labels/${first}/`);
    expect([status, text]).toEqual([204, '']);
    expect((await admin.delete(`assets/labels/${others.slice(0, 2).join(',')}/`)).status).toBe(204);
    expect(await remaining()).toBe(1);
  });

  it('removes all or none', async () => {
    const rows = await Promise.all(['a', 'b'].map((name) => create({ name, value: 'x' })));
    for (const wrong of [crypto.randomUUID(), 'nonsense', '']) {
      expect(
        (await admin.delete(`assets/labels/${[...rows.map((row) => row.id), wrong].join(',')}/`))
          .status,
      ).toBe(404);
      expect(await remaining()).toBe(2);
    }
  });
});
