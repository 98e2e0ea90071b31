import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Page } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { likePattern } from './search.ts';

let test: TestProgram;
let admin: Client;
/** More rows than one query sorts. */
const MANY = 16_000;

beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  await sql`
    insert into label (name, value)
    select (array['web', 'Web', 'db', '机房'])[1 + n % 4],
      (array['prod', 'test', '100%', 'a_b', '北京'])[1 + n % 5] || '-' || n
    from generate_series(1, 300) n
    union all select 'many', 'm-' || n from generate_series(1, ${MANY}::integer) n`.execute(
    test.db,
  );
  await sql`analyze label`.execute(test.db);
});
afterAll(() => test.stop());

const ORDERS = {
  name: sql`name, id`,
  '-value': sql`value desc, id desc`,
  'name,-value': sql`name, value desc, id desc`,
} as const;
const query = fc.record({
  order: fc.constantFrom(...(Object.keys(ORDERS) as (keyof typeof ORDERS)[])),
  words: fc.constantFrom(
    [],
    ['web'],
    ['WEB', 'prod'],
    ['1'],
    ['12'],
    ['%'],
    ['_'],
    ['机房', '北京'],
    ['nothing'],
    ['many'],
    ['m-'],
  ),
  name: fc.constantFrom('', 'web', 'db'),
  limit: fc.integer({ min: 1, max: 40 }),
  offset: fc.integer({ min: 0, max: 320 }),
});

it(
  'returns any page of a list with the right rows, order and total',
  () =>
    fc.assert(
      fc.asyncProperty(query, async ({ order, words, name, limit, offset }) => {
        const conditions = words.map(
          (word) => sql`lower(name || chr(10) || value) like ${likePattern(word.toLowerCase())}`,
        );
        const condition = sql.join(
          [sql`true`, ...conditions, ...(name ? [sql`name = ${name}`] : [])],
          sql` and `,
        );
        const { rows: all } = await sql<{
          count: number;
        }>`select count(*) as count from label where ${condition}`.execute(test.db);
        const { rows } = await sql<{
          id: string;
        }>`select id from label where ${condition} order by ${ORDERS[order]} limit ${limit} offset ${offset}`.execute(
          test.db,
        );
        const parameters = new URLSearchParams({
          order,
          search: words.join(' '),
          name,
          limit: String(limit),
          offset: String(offset),
        });
        const { status, body } = await admin.get<Page>(`assets/labels/?${parameters}`);
        expect([status, body.count, body.results.map(({ id }) => id)]).toEqual([
          200,
          all[0]?.count,
          rows.map(({ id }) => id),
        ]);
      }),
      runs(40),
    ),
  limitOf(60_000),
);
