import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import { type Mariadb, startMariadb } from '../../../testing/databases/mariadb.ts';
import type { QueryClient } from '../../../testing/databases/query-client.ts';

const PASSWORD = 'vault secret 9';

let world: DatabaseWorld;
let mariadb: Mariadb;
let shop: GrantedDatabase;
beforeAll(async () => {
  [world, mariadb] = await Promise.all([startDatabaseWorld(), startMariadb()]);
  mariadb.sql(`create user clerk identified by '${PASSWORD}'; grant all on shop.* to clerk;
    use shop;
    create table item (id int primary key, price int, note varchar(20));
    create table old_item (id int primary key, price int) engine = MyISAM;
    create table watched (id int primary key);
    create trigger watch before update on watched for each row set new.id = old.id;
    create function charge() returns int deterministic return 1;`);
  shop = await world.grant({
    type: 'mariadb',
    host: mariadb.host,
    port: mariadb.port,
    database: 'shop',
    username: 'clerk',
    password: PASSWORD,
  });
  const { status } = await world.administrator.patch(`assets/system-users/${shop.systemUser}/`, {
    preview_changes: true,
  });
  expect(status).toBe(200);
});
afterAll(async () => {
  await world?.stop();
  await mariadb?.stop();
});

const fill = () =>
  mariadb.sql(`use shop; delete from item;
    insert into item values (1, 10, null), (2, 20, 'even'), (3, 30, null), (4, 40, 'even')`);
const contents = () => mariadb.sql('select * from shop.item order by id');
const open = async () => {
  const client = await shop.connect();
  await client.message('open');
  return client;
};

async function answered(client: QueryClient, text: string, yes: boolean) {
  const run = client.begin(text);
  const question = await client.message('ask', run.from);
  const before = contents();
  client.send({ type: 'answer', yes });
  return { question, before, ...(await client.finish(run)) };
}

it('previews changes of MariaDB, keeps autocommit as it was, and runs them only after a yes', async () => {
  fill();
  const before = contents();
  const client = await open();
  const text = 'update item set price = 0 where id > 1 order by id desc limit 2';
  const declined = await answered(client, text, false);
  expect(declined.question).toMatchObject({
    message: expect.stringMatching(/^This changes 2 rows of item\./),
    preview: {
      columns: ['id', 'price', 'note'],
      rows: [
        ['4', '40', 'even'],
        ['3', '30', null],
      ],
    },
  });
  expect([declined.before, contents()]).toEqual([before, before]);
  expect(declined.finished).toMatchObject({ transaction: 'none' });
  expect(await client.rows('select @@autocommit')).toEqual([['1']]);
  const deleted = await answered(client, 'delete from shop.item where id = 1', true);
  expect(deleted.answered).toMatchObject([{ rows: 1 }]);
  expect(contents()).not.toBe(before);
  client.close();
});

it('previews behind a savepoint in an open transaction, and leaves locked tables locked', async () => {
  fill();
  const client = await open();
  await client.query('start transaction');
  await client.query("insert into item values (7, 70, 'new')");
  const { question, finished } = await answered(client, 'delete from item where id > 3', false);
  expect(question.preview?.rows.map(([id]) => id)).toEqual(['4', '7']);
  expect(finished).toMatchObject({ transaction: 'open' });
  expect(await client.rows('select count(*) from item')).toEqual([['5']]);
  await client.query('rollback');
  await client.query('lock tables item write');
  const run = client.begin('delete from item where id = 1');
  await client.message('ask', run.from);
  client.send({ type: 'answer', yes: false });
  await client.finish(run);
  // Another table is out of reach only while the lock is held.
  expect((await client.query('select * from watched')).failed?.message).toContain('not locked');
  client.close();
});

it.each([
  ['of a table without transactions', 'update old_item set price = 1', 'MyISAM'],
  ['of a table with triggers', 'update watched set id = 2', 'triggers'],
  ['with a stored function', 'update item set price = charge()', 'charge'],
  ['of several tables', 'delete item from item join watched', 'one table'],
])('says why there is no preview of a change %s, and asks', async (_what, statement, reason) => {
  const client = await open();
  const { question, failed } = await answered(client, statement, false);
  expect(question).toMatchObject({ preview: null });
  expect(question.message).toMatch(
    new RegExp(`^There is no preview and no undo script: .*${reason}`),
  );
  expect(failed).toMatchObject({ is_refused: true });
  client.close();
});

const CONDITIONS = fc.oneof(
  fc.constant(''),
  fc
    .tuple(fc.constantFrom('id', 'price'), fc.constantFrom('<', '>=', '<>'), fc.nat(50))
    .map(([column, operator, value]) => ` where ${column} ${operator} ${value}`),
  fc.constantFrom(
    " where note = 'even' and mod(id, 3) = 0",
    ' where note <=> null order by id limit 1',
    ' where exists (select 1 from watched where watched.id = item.id) or id = 2',
  ),
);

it(
  'counts exactly the rows that the statement then affects',
  async () => {
    const client = await open();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('update', 'delete'), CONDITIONS, async (act, condition) => {
        fill();
        const before = contents();
        const text =
          act === 'delete'
            ? `delete from item${condition}`
            : `update item set price = price + 1${condition}`;
        const { question, before: asked, answered: results } = await answered(client, text, true);
        expect(asked).toBe(before);
        const rows = results[0]?.rows ?? -1;
        expect(question.message).toMatch(
          new RegExp(`^This (changes|deletes) ${rows} rows? of item`),
        );
        expect(question.preview?.rows).toHaveLength(rows);
      }),
      runs(80),
    );
    client.close();
  },
  limitOf(60_000),
);
