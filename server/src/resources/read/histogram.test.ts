import { type Histogram, RESOURCES } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client, Page } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { readBars } from './histogram.ts';

let test: TestProgram;
let admin: Client;
const LOGS = 'audits/ftp-logs/';
/** The file operations of two days: three an hour, each fifth fails. */
const DAYS = 'date_from=2026-01-30T00:00:00Z&date_to=2026-01-31T23:59:59Z';
const ROWS = 144;

beforeAll(async () => {
  test = await startTestProgram();
  admin = (await bearer(test)).with({ 'x-tz': 'UTC' });
  await addRows('');
  await addRows(await buildOrganization(test.db));
});
afterAll(() => test.stop());

const addRows = (organization: string) =>
  sql`
    insert into ftp_log (org_id, "user", asset, "system_user", remote_addr, operate, filename,
      is_success, date_start)
    select ${organization}, (array['ann', 'bob'])[1 + n % 2], 'web-1', 'root', '192.0.2.1',
      'Upload', '/tmp/' || n, n % 5 <> 0,
      '2026-01-30T00:00:00Z'::timestamptz + n * interval '20 min'
    from generate_series(0, ${ROWS}::integer - 1) n`.execute(test.db);
const barsOf = async (query: string, client = admin) => {
  const { status, text, body } = await client.get<Histogram>(`${LOGS}histogram/?${query}`);
  expect(status, text).toBe(200);
  return body;
};
const sum = ({ bars }: Histogram, of: 'count' | 'marked') =>
  bars.reduce((total, bar) => total + bar[of], 0);

it('counts the rows of each hour, and those that failed', async () => {
  const { bars, ...range } = await barsOf(DAYS);
  expect(range).toEqual({
    date_from: '2026-01-30 00:00:00 +0000',
    date_to: '2026-01-31 23:59:59 +0000',
    is_exact: true,
  });
  expect(bars).toHaveLength(48);
  expect(bars.slice(0, 2)).toEqual([
    { date: '2026-01-30 00:00:00 +0000', count: 3, marked: 1 },
    { date: '2026-01-30 01:00:00 +0000', count: 3, marked: 1 },
  ]);
  expect(bars.at(-1)).toMatchObject({ date: '2026-01-31 23:00:00 +0000', count: 3 });
});

it.each([
  '',
  'user=ann',
  'user__in=ann,bob',
  'search=tmp/1',
  'is_success=0',
  'search=tmp&user=bob&is_success=1',
  'date_from=2026-01-31T10:00:00Z',
  'user=nobody',
])('counts the rows that the list shows: %s', async (query) => {
  const whole = new URLSearchParams(`${DAYS}&limit=1`);
  for (const [name, value] of new URLSearchParams(query)) whole.set(name, value);
  const listed = (await admin.get<Page>(`${LOGS}?${whole}`)).body.count;
  whole.set('is_success', whole.get('is_success') ?? '');
  expect(sum(await barsOf(String(whole)), 'count')).toBe(listed);
  if (!query.includes('is_success')) {
    whole.set('is_success', '0');
    const failed = (await admin.get<Page>(`${LOGS}?${whole}`)).body.count;
    whole.delete('is_success');
    expect(sum(await barsOf(String(whole)), 'marked')).toBe(failed);
  }
});

it('counts the last 30 days without a range, and names them', async () => {
  const { date_from: from, date_to: to } = await barsOf('');
  expect(Date.parse(to.replace(' +', '+')) - Date.parse(from.replace(' +', '+'))).toBe(
    30 * 86_400_000,
  );
});

it('counts nothing of a range that ends before it begins', async () => {
  const { bars } = await barsOf('date_from=2026-01-31T00:00:00Z&date_to=2026-01-30T00:00:00Z');
  expect(bars).toEqual([{ date: '2026-01-31 00:00:00 +0000', count: 0, marked: 0 }]);
});

it('answers for the longest range', async () => {
  const range = 'date_from=0001-01-01T00:00:00Z&date_to=9999-12-31T23:59:59Z';
  expect(sum(await barsOf(range), 'count')).toBe(ROWS);
});

it.each([
  ['date_from', 'yesterday'],
  ['date_to', '2026-02-31T00:00:00Z'],
  ['operate', 'Fly'],
  ['search', 'a\u0000b'],
])('rejects a bad %s like the list', async (name, value) => {
  const query = `${name}=${encodeURIComponent(value)}`;
  const { status, body } = await admin.get(`${LOGS}histogram/?${query}`);
  expect(status).toBe(400);
  expect(body).toEqual((await admin.get(`${LOGS}?${query}`)).body);
});

it('refuses users who may not read the list', async () => {
  const user = await bearer(test, await buildUser(test.db));
  expect((await user.get(`${LOGS}histogram/?${DAYS}`)).status).toBe(403);
  expect((await test.visitor.get(`${LOGS}histogram/?${DAYS}`)).status).toBe(401);
});

it('projects the counts of a large table from a sample, near the truth', async () => {
  const rows = 60_000;
  await sql`create table many_events as
    select n % 4 = 0 as failed, 1 + n % 10 as bar from generate_series(1, ${rows}::integer) n`.execute(
    test.db,
  );
  await sql`analyze many_events`.execute(test.db);
  const bars = { where: sql`true`, bar: sql`t.bar`, marked: sql`t.failed` };
  const exact = await readBars(test.db, 'many_events', bars);
  expect([exact.isExact, exact.rows.length, exact.rows[0]?.count]).toEqual([true, 10, rows / 10]);
  const sampled = await readBars(test.db, 'many_events', bars, { cost: 10, sample: 15_000 });
  expect(sampled.isExact).toBe(false);
  for (const { count, marked } of sampled.rows) {
    expect(count / (rows / 10)).toBeGreaterThan(0.5);
    expect(count / (rows / 10)).toBeLessThan(2);
    expect(marked).toBeLessThanOrEqual(count);
  }
});

it.each(RESOURCES.filter(({ histogram }) => histogram).map(({ path }) => path))(
  'serves %s',
  async (path) => {
    const range = 'date_from=2020-01-01T00:00:00Z&date_to=2040-01-01T00:00:00Z';
    const { status, text, body } = await admin.get<Histogram>(`${path}/histogram/?${range}`);
    expect(status, text).toBe(200);
    const listed = (await admin.get<Page>(`${path}/?limit=1&${range}`)).body.count;
    expect(sum(body, 'count')).toBe(listed);
  },
);
