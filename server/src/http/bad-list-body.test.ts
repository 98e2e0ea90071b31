import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import type { Client } from '../testing/client.ts';
import { everyRow } from '../testing/every-row.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const deep = (count: number) => '['.repeat(count) + ']'.repeat(count);

describe('ending sessions', () => {
  it.each([
    '["x"]',
    '[1]',
    '[null]',
    '[{"toString":1}]',
    `[${deep(10_000)}]`,
    '["\\u0000"]',
    '{"nonsense": 1}',
  ])('refuses %.30s', async (body) => {
    const { status } = await admin.send(
      'POST',
      'terminal/tasks/kill-session/',
      body,
      'application/json',
    );
    expect(status).toBe(400);
  });

  it('rejects too many ids', async () => {
    const { status, body } = await admin.post(
      'terminal/tasks/kill-session/',
      Array(10_001).fill(crypto.randomUUID()),
    );
    expect([status, body.code]).toEqual([400, 'list_too_long']);
  });
});

describe('deleting by query', () => {
  it.each([
    '',
    '?ids=',
    '?ids=%20',
    '?search=',
    '?limit=100',
    '?no_such_filter=x',
    '?constructor=x',
    '?order=name',
    '?ids=x&ids=',
  ])('refuses to empty a list of one or of many rows: %s', async (query) => {
    await sql`truncate label cascade`.execute(test.db);
    for (const count of [1, 2, 3]) {
      await admin.post('assets/labels/', { name: 'a', value: String(count) });
      expect((await admin.delete(`assets/labels/${query}`)).status).toBe(400);
      expect((await admin.get('assets/labels/')).body).toHaveLength(count);
    }
  });

  it('deletes the rows with these ids, and the one row that a filter matches', async () => {
    await sql`truncate label cascade`.execute(test.db);
    const created = await Promise.all(
      ['1', '2', '3', '4'].map((value) => admin.post('assets/labels/', { name: 'a', value })),
    );
    const ids = created.map(({ body }) => body.id);
    expect((await admin.delete(`assets/labels/?ids=${ids[0]},${ids[1]}`)).status).toBe(204);
    expect((await admin.delete('assets/labels/?name=a')).status).toBe(400);
    expect((await admin.delete('assets/labels/?value=3')).status).toBe(204);
    expect(
      (await admin.get<{ value: string }[]>('assets/labels/')).body.map((row) => row.value),
    ).toEqual(['4']);
  });
});

describe('preferences', () => {
  it('keeps members of preferences that a change does not name', async () => {
    await admin.patch('users/preferences/', { theme: 'dark', columns: { users: ['name'] } });
    expect((await admin.patch('users/preferences/', { language: 'en' })).body).toEqual({
      theme: 'dark',
      columns: { users: ['name'] },
      language: 'en',
    });
  });

  it('merges preferences in depth and removes members set to null', async () => {
    await admin.patch('users/preferences/', {
      columns: { assets: ['ip'], labels: ['name', 'value'] },
    });
    const { body } = await admin.patch<Record<string, unknown>>('users/preferences/', {
      columns: { assets: null, domains: ['name'] },
      theme: null,
    });
    expect(body.columns).toEqual({ users: ['name'], labels: ['name', 'value'], domains: ['name'] });
    expect(body).not.toHaveProperty('theme');
    expect((await admin.get('users/preferences/')).body).toEqual(body);
  });

  it.each([
    '[]',
    '"x"',
    'null',
    '7',
    '{"a":"\\u0000"}',
    `{"a":"\\ud800"}`,
    `{"\\udc00":1}`,
    `{"a":${deep(8_000)}}`,
    `{"a":"${'x'.repeat(20_000)}"}`,
  ])('refuse %.30s', async (body) => {
    const before = await everyRow(test.db);
    const { status } = await admin.send('PATCH', 'users/preferences/', body, 'application/json');
    expect([400, 413]).toContain(status);
    expect(await everyRow(test.db)).toBe(before);
  });

  it('limits the size of preferences', async () => {
    const statuses: number[] = [];
    for (let part = 0; part < 12; part++)
      statuses.push(
        (
          await admin.patch('users/preferences/', {
            [`part${part}`]: crypto.randomUUID().repeat(400),
          })
        ).status,
      );
    expect(new Set(statuses)).toEqual(new Set([200, 413]));
    expect((await admin.get('users/preferences/')).text.length).toBeLessThan(200_000);
  });
});
