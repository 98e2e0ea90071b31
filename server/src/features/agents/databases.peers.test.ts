import { afterAll, beforeAll, expect, it } from 'vitest';
import { callTool, connectAgent, createAgent } from '../../testing/agents.ts';
import { unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../testing/databases/database-world.ts';
import { type Mariadb, startMariadb } from '../../testing/databases/mariadb.ts';
import { until } from '../../testing/poll.ts';

const PASSWORD = 'vault secret 9';

let world: DatabaseWorld;
let mariadb: Mariadb;
let shop: GrantedDatabase;
beforeAll(async () => {
  [world, mariadb] = await Promise.all([startDatabaseWorld(), startMariadb()]);
  mariadb.sql(`create user clerk identified by '${PASSWORD}'; grant all on shop.* to clerk;
    use shop;
    create table item (id int primary key, note varchar(20));
    insert into item values (1, 'one'), (2, null), (3, 'three');
    create table old_item (id int primary key) engine = MyISAM;
    insert into old_item values (1);`);
  shop = await world.grant({
    type: 'mariadb',
    host: mariadb.host,
    port: mariadb.port,
    database: 'shop',
    username: 'clerk',
    password: PASSWORD,
  });
});
afterAll(async () => {
  await world?.stop();
  await mariadb?.stop();
});

const count = (from: string) => Number(mariadb.sql(`select count(*) from ${from}`).split('\n')[1]);

const leash = (values: Json = {}) =>
  createAgent(world.client, { databases: shop.name, password: world.member.password, ...values });

async function query(token: string, statement: string, more: Json = {}): Promise<Json> {
  const client = await connectAgent(world.test, token);
  try {
    return await callTool(client, 'query', { database: shop.name, statement, ...more });
  } finally {
    await client.close();
  }
}

it('reads on MariaDB, and writes nothing under a leash that reads only', async () => {
  const { token } = await leash();
  expect(await query(token, 'select id, note from item order by id')).toMatchObject({
    state: 'done',
    table: {
      columns: ['id', 'note'],
      rows: [
        ['1', 'one'],
        ['2', null],
        ['3', 'three'],
      ],
      total: 3,
    },
  });
  for (const statement of [
    "update item set note = 'changed'",
    'begin not atomic delete from item; end',
    'set statement max_statement_time = 1 for delete from item',
    "set sql_mode = 'ANSI_QUOTES'",
    'start transaction read write',
    "select 1 into outfile '/tmp/agent'",
    'call missing()',
    'explain delete from item; delete from item',
  ])
    expect([statement, await query(token, statement, { changes: 9 })]).toEqual([
      statement,
      expect.objectContaining({ state: 'refused' }),
    ]);
  expect(count('shop.item where note is null')).toBe(1);
});

it('shows the rows of a change first, and refuses one that it cannot show', async () => {
  const { token } = await leash({ statements: 'change' });
  const change = "update item set note = 'new' where id > 1";
  expect(await query(token, change)).toMatchObject({
    state: 'done',
    detail: expect.stringContaining('affects 2 rows'),
    table: {
      rows: [
        ['2', null],
        ['3', 'three'],
      ],
    },
  });
  expect(await query(token, change, { changes: 1 })).toMatchObject({ state: 'refused' });
  expect(count("shop.item where note = 'new'")).toBe(0);
  expect(await query(token, change, { changes: 2 })).toMatchObject({
    state: 'done',
    table: { total: 2 },
  });
  // MyISAM has no transaction in which a change could be tried.
  expect(await query(token, 'delete from old_item', { changes: 9 })).toMatchObject({
    state: 'refused',
  });
  expect(count('shop.old_item')).toBe(1);
  expect(await query(token, 'drop table old_item')).toMatchObject({ state: 'refused' });
});

it('keeps a change on a server that commits nothing by itself', async () => {
  const { token } = await leash({ statements: 'change' });
  mariadb.sql('set global autocommit = 0');
  try {
    expect(await query(token, "insert into item values (7, 'kept')")).toMatchObject({
      state: 'done',
      table: { total: 1 },
    });
    const change = "update item set note = 'changed' where id = 7";
    expect(await query(token, change, { changes: 1 })).toMatchObject({ state: 'done' });
  } finally {
    mariadb.sql('set global autocommit = 1');
  }
  expect(count("shop.item where id = 7 and note = 'changed'")).toBe(1);
});

it('obeys the command filters of the organization', async () => {
  const filter = await world.administrator.post<Json>('assets/cmd-filters/', {
    name: unique('filter'),
  });
  const rule = { filter: filter.body.id, type: 'command', content: 'salary', action: 0 };
  expect(
    (await world.administrator.post(`assets/cmd-filters/${filter.body.id}/rules/`, rule)).status,
  ).toBe(201);
  await world.administrator.patch(`assets/system-users/${shop.systemUser}/`, {
    cmd_filters: [filter.body.id],
  });
  const { token } = await leash();
  expect(await query(token, 'select salary from item')).toMatchObject({ state: 'refused' });
  expect(await query(token, 'select 1')).toMatchObject({ state: 'done' });
});

it('kills a running statement on MariaDB when its time has ended', async () => {
  const { token } = await leash();
  const answer = query(token, 'select sleep(600)', { seconds: 2 });
  expect(await answer).toMatchObject({ state: 'ended', detail: expect.stringContaining('2') });
  const running = "information_schema.processlist where info like 'select sleep%'";
  await until(async () => count(running) === 0, 'the statement is killed');
});
