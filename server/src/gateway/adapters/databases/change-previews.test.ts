import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  type ClerkDatabase,
  startClerkDatabase,
} from '../../../testing/databases/clerk-database.ts';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import type { QueryClient } from '../../../testing/databases/query-client.ts';
import { until } from '../../../testing/poll.ts';

let world: DatabaseWorld;
let clerk: ClerkDatabase;
let owner: pg.Client;
let postgres: GrantedDatabase;
beforeAll(async () => {
  [world, clerk] = await Promise.all([
    startDatabaseWorld(),
    startClerkDatabase(
      (role) => `create table public.item (id int primary key, price int, note text);
        create table public.watched (id int primary key);
        create function public.log_change() returns trigger language plpgsql
          as 'begin return new; end';
        create trigger watch before update on watched for each row execute function log_change();
        create function public.charge() returns int language sql volatile as 'select 1';
        grant select, insert, update, delete on item, watched to ${role}`,
    ),
  ]);
  owner = clerk.owner;
  postgres = await world.grant(clerk.options);
  const { status } = await world.administrator.patch(
    `assets/system-users/${postgres.systemUser}/`,
    { preview_changes: true },
  );
  expect(status).toBe(200);
});
afterAll(async () => {
  await world?.stop();
  await clerk?.stop();
});

const fill = (rows = 3) =>
  owner.query(`truncate item;
    insert into item select n, n * 10, case when n % 2 = 0 then 'even' end
    from generate_series(1, ${rows}) n`);
const contents = async () =>
  (await owner.query('select id, price, note from item order by id')).rows;
const open = async () => {
  const client = await postgres.connect();
  await client.message('open');
  return client;
};

/** Runs a statement, answers its preview, and returns both. */
async function answered(client: QueryClient, text: string, yes: boolean) {
  const run = client.begin(text);
  const question = await client.message('ask', run.from);
  const before = await contents();
  client.send({ type: 'answer', yes });
  return { question, before, ...(await client.finish(run)) };
}

const leave = async (client: QueryClient) => {
  client.close();
  await until(async () => (await postgres.lastSession()).is_finished === true, 'the end');
};

it('shows number and rows of a change before it runs, and runs it only after a yes', async () => {
  await fill();
  const before = await contents();
  const client = await open();
  const declined = await answered(client, 'update item set price = 0 where id > 1', false);
  expect(declined.question).toMatchObject({
    message: expect.stringMatching(/^This changes 2 rows of item\.\nNothing has changed yet/),
    preview: {
      columns: ['id', 'price', 'note'],
      rows: [
        ['2', '20', 'even'],
        ['3', '30', null],
      ],
    },
  });
  expect(declined.question).not.toHaveProperty('act');
  expect([declined.before, await contents()]).toEqual([before, before]);
  expect(declined.failed).toMatchObject({ is_refused: true });
  expect(declined.finished).toMatchObject({ transaction: 'none' });
  const deleted = await answered(client, 'delete from item', true);
  expect(deleted.question.message).toContain('This deletes 3 rows of item.\nThe statement has no');
  expect(deleted.answered).toMatchObject([{ rows: 3 }]);
  expect(await contents()).toEqual([]);
  expect((await client.query("insert into item values (9, 9, 'x')")).failed).toBeUndefined();
  await leave(client);
  const { id } = await postgres.lastSession();
  const { rows } = await sql`
    select input, verdict, is_denied from command where session = ${id} order by sequence`.execute(
    world.test.db,
  );
  expect(rows).toEqual([
    { input: 'update item set price = 0 where id > 1', verdict: 'declined', is_denied: false },
    { input: 'delete from item', verdict: 'confirmed', is_denied: false },
    { input: "insert into item values (9, 9, 'x')", verdict: 'none', is_denied: false },
  ]);
});

it('previews behind a savepoint in an open transaction, and keeps the transaction', async () => {
  await fill();
  const client = await open();
  await client.query('begin');
  await client.query("insert into item values (7, 70, 'new')");
  const deleted = await answered(client, 'delete from item where id in (1, 7)', false);
  expect(deleted.question.preview?.rows.map(([id]) => id)).toEqual(['1', '7']);
  expect(deleted.finished).toMatchObject({ transaction: 'open' });
  expect(await client.rows('select count(*) from item')).toEqual([['4']]);
  await client.query('commit');
  expect((await contents()).map(({ id }) => id)).toEqual([1, 2, 3, 7]);
  await leave(client);
});

it.each([
  ['of several tables', 'with x as (delete from item returning 1) select * from x', 'one table'],
  ['of a structure', 'alter table item add column more text', 'one table'],
  ['of a table with triggers', 'update watched set id = id', 'triggers'],
  ['with a volatile function', 'update item set price = charge() where id = 1', 'charge'],
  ['that the database rejects', 'update item set nothing = 1', 'nothing'],
])('says why there is no preview of a change %s, and asks', async (_what, statement, reason) => {
  await fill();
  const before = await contents();
  const client = await open();
  const { question, failed } = await answered(client, statement, false);
  expect(question).toMatchObject({ preview: null });
  expect(question.message).toMatch(
    new RegExp(`^There is no preview and no undo script: .*${reason}`),
  );
  expect(failed).toMatchObject({ is_refused: true });
  expect(await contents()).toEqual(before);
  await leave(client);
});

const CONDITIONS = fc.oneof(
  fc.constant(''),
  fc
    .tuple(fc.constantFrom('id', 'price'), fc.constantFrom('<', '>=', '<>'), fc.nat(120))
    .map(([column, operator, value]) => ` where ${column} ${operator} ${value}`),
  fc.constantFrom(
    ' as i where i.note is null',
    " where note = 'even' and id % 3 = 0",
    ' where exists (select 1 from watched where watched.id = item.id) or id = 2',
    ' where note is distinct from price::text and price between 20 and 60',
  ),
);

it(
  'counts exactly the rows that the statement then affects, and leaves none changed before',
  async () => {
    const client = await open();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('update', 'delete'), CONDITIONS, async (act, condition) => {
        await fill(12);
        const before = await contents();
        const [alias, where] = condition.startsWith(' as ')
          ? [' as i', condition.slice(5)]
          : ['', condition];
        const text =
          act === 'delete'
            ? `delete from item${alias}${where}`
            : `update item${alias} set price = price + 1${where}`;
        const { question, before: asked, answered: results } = await answered(client, text, true);
        expect(asked).toEqual(before);
        const rows = results[0]?.rows ?? -1;
        expect(question.message).toMatch(
          new RegExp(`^This (changes|deletes) ${rows} rows? of item`),
        );
        expect(question.preview?.rows).toHaveLength(Math.min(rows, 20));
        const after = new Map((await contents()).map((row) => [String(row.id), row]));
        for (const [id = '', price] of question.preview?.rows ?? [])
          expect(after.get(id ?? '')?.price ?? 'deleted').not.toBe(Number(price));
      }),
      runs(400),
    );
    await leave(client);
  },
  limitOf(60_000),
);
