import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const count = async () =>
  (await sql<{ n: number }>`select count(*) as n from label`.execute(test.db)).rows[0]?.n;
const build = async (...values: string[]) =>
  (
    await admin.post<(Json & { id: string })[]>(
      'assets/labels/',
      values.map((value) => ({ name: unique('name'), value })),
    )
  ).body;
const setOf = async (client: Client, ids: readonly string[]) =>
  (await client.post<{ spm: string }>('common/resources/cache/', { resources: ids })).body.spm;

describe('a batch', () => {
  it('creates all rows in the order of the bodies, with one audit entry each', async () => {
    const answer = await admin.post<Json[]>('assets/labels/', [
      { name: 'batch', value: 'one' },
      { name: 'batch', value: 'two' },
    ]);
    expect(answer.status).toBe(201);
    expect(answer.body.map((row) => row.value)).toEqual(['one', 'two']);
    const log = await admin.get<Page>('audits/operate-logs/?limit=2&order=-datetime');
    expect(log.body.results.map((entry) => entry.action)).toEqual(['create', 'create']);
  });

  it('applies nothing when one item is invalid, and reports the problems by item', async () => {
    await admin.post('assets/labels/', { name: 'taken', value: 'taken' });
    const before = await count();
    const answer = await admin.post<Json[]>('assets/labels/', [
      { name: 'fresh', value: 'fresh' },
      { name: 'taken', value: 'taken' },
      { name: 'no value' },
      { name: 'x', value: 'y', assets: [crypto.randomUUID()] },
      'no object',
    ]);
    expect(answer.status).toBe(400);
    expect(answer.body).toHaveLength(5);
    expect(answer.body[0]).toEqual({});
    expect(answer.body[1]).toMatchObject({ name: ['This field must be unique.'] });
    expect(answer.body[2]).toMatchObject({ value: ['This field is required'] });
    expect(answer.body[3]?.assets).toBeDefined();
    expect(answer.body[4]).toMatchObject({ non_field_errors: ['Expected an object.'] });
    expect(await count()).toBe(before);
  });

  it('detects duplicates within the batch', async () => {
    const answer = await admin.post<Json[]>('assets/labels/', [
      { name: 'same', value: 'same' },
      { name: 'same', value: 'same' },
    ]);
    expect(answer.status).toBe(400);
    expect(answer.body[0]).toEqual({});
    expect(answer.body[1]).toMatchObject({ name: ['This field must be unique.'] });
  });

  it('changes rows by id or pk, all or none', async () => {
    const [first, second] = await build('a', 'b');
    const changed = await admin.patch<Json[]>('assets/labels/', [
      { id: second?.id, comment: 'second' },
      { pk: first?.id, comment: 'first' },
    ]);
    expect(changed.status).toBe(200);
    expect(changed.body.map((row) => row.comment)).toEqual(['second', 'first']);
    const refused = await admin.patch<Json[]>('assets/labels/', [
      { id: first?.id, comment: 'changed' },
      { comment: 'without id' },
      { id: crypto.randomUUID(), comment: 'unknown' },
    ]);
    expect(refused.status).toBe(400);
    expect(refused.body.map((problems) => Object.keys(problems))).toEqual([[], ['id'], ['id']]);
    expect((await admin.get(`assets/labels/${first?.id}/`)).body.comment).toBe('first');
  });

  it('rejects a body that is no list', async () => {
    expect((await admin.patch('assets/labels/', { comment: 'all of them?' })).status).toBe(400);
  });

  it('rejects rows of another organization', async () => {
    const organization = await buildOrganization(test.db);
    const other = await bearer(
      test,
      await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] }),
    );
    const [row] = await build('mine');
    const answer = await other
      .inOrganization(organization)
      .patch<Json[]>('assets/labels/', [{ id: row?.id, comment: 'taken over' }]);
    expect(answer.status).toBe(400);
    expect((await admin.get(`assets/labels/${row?.id}/`)).body.comment).toBeNull();
  });

  it('returns the result of a dry run without changing anything', async () => {
    const before = await count();
    const good = await admin.post('assets/labels/?dry_run=1', [{ name: 'rehearsed', value: '1' }]);
    expect(good.status).toBe(201);
    const bad = await admin.post('assets/labels/?dry_run=1', [{ name: 'rehearsed' }]);
    expect(bad.status).toBe(400);
    expect(await count()).toBe(before);
  });
});

describe('a set of ids', () => {
  it('limits a list to its members', async () => {
    const rows = await build('s1', 's2', 's3');
    const spm = await setOf(admin, [rows[0]?.id ?? '', rows[2]?.id ?? '']);
    const { body } = await admin.get<Page>(`assets/labels/?limit=10&order=value&spm=${spm}`);
    expect(body.results.map((row) => row.value)).toEqual(['s1', 's3']);
    expect(body.count).toBe(2);
  });

  it('deletes the oldest of more than a hundred sets', async () => {
    const own = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
    const [row] = await build('kept');
    const first = await setOf(own, [row?.id ?? '']);
    const second = await setOf(own, [row?.id ?? '']);
    for (let index = 0; index < 99; index++) await setOf(own, []);
    expect((await own.get(`assets/labels/?spm=${first}`)).status).toBe(400);
    expect((await own.get<Json[]>(`assets/labels/?spm=${second}`)).body).toHaveLength(1);
  });

  it('rejects an unknown, malformed, expired or foreign set instead of ignoring it', async () => {
    const [row] = await build('guarded');
    const spm = await setOf(admin, [row?.id ?? '']);
    const other = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
    await sql`insert into resource_set (id, user_id, ids, date_expired) select '00000000-0000-4000-8000-000000000001', id, '{}', now() - interval '1 second' from account where username = 'admin'`.execute(
      test.db,
    );
    for (const [client, set] of [
      [other, spm],
      [admin, crypto.randomUUID()],
      [admin, 'nonsense'],
      [admin, '00000000-0000-4000-8000-000000000001'],
    ] as const) {
      expect((await client.get(`assets/labels/?limit=10&spm=${set}`)).status).toBe(400);
      expect((await client.delete(`assets/labels/?spm=${set}`)).status).toBe(400);
    }
    expect((await admin.get(`assets/labels/${row?.id}/`)).status).toBe(200);
  });

  it('deletes exactly the members of a set, and nothing without a filter', async () => {
    const rows = await build('d1', 'd2', 'd3');
    const spm = await setOf(
      admin,
      rows.slice(0, 2).map((row) => row.id),
    );
    expect((await admin.delete('assets/labels/')).status).toBe(400);
    expect((await admin.delete(`assets/labels/?spm=${spm}`)).status).toBe(204);
    expect((await admin.get(`assets/labels/${rows[0]?.id}/`)).status).toBe(404);
    expect((await admin.get(`assets/labels/${rows[2]?.id}/`)).status).toBe(200);
  });
});
