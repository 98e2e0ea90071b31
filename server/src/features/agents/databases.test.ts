import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { callTool, connectAgent, createAgent } from '../../testing/agents.ts';
import { unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { type ClerkDatabase, startClerkDatabase } from '../../testing/databases/clerk-database.ts';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../testing/databases/database-world.ts';
import { until } from '../../testing/poll.ts';

let world: DatabaseWorld;
let clerk: ClerkDatabase;
let database: GrantedDatabase;
let name: string;
beforeAll(async () => {
  [world, clerk] = await Promise.all([
    startDatabaseWorld(),
    startClerkDatabase(
      (role) => `create table public.item (id int primary key, note text);
        grant select, insert, update, delete, truncate on item to ${role}`,
    ),
  ]);
  database = await world.grant(clerk.options);
  name = database.name;
});
beforeEach(() =>
  clerk.owner.query(
    `truncate item; insert into item select n, 'note ' || n from generate_series(1, 5) n`,
  ),
);
// A user has 20 active agents at most.
afterEach(() => world.client.post('agents/agents/end/', {}));
afterAll(async () => {
  await world?.stop();
  await clerk?.stop();
});

const leash = (values: Json = {}) =>
  createAgent(world.client, { databases: name, password: world.member.password, ...values });

async function query(token: string, statement: string, more: Json = {}): Promise<Json> {
  const client = await connectAgent(world.test, token);
  try {
    return await callTool(client, 'query', { database: name, statement, ...more });
  } finally {
    await client.close();
  }
}
const notes = async () =>
  (await clerk.owner.query<{ note: string }>('select note from item order by id')).rows.map(
    ({ note }) => note,
  );

it('answers a reading statement with its rows, as a recorded session of the owner', async () => {
  const { id, token } = await leash();
  const client = await connectAgent(world.test, token);
  expect(await callTool(client, 'list_databases', {})).toMatchObject({
    databases: [{ database: name, type: 'postgresql', accounts: [{ username: clerk.role }] }],
    truncated: false,
  });
  const answer = await callTool(client, 'query', {
    database: name,
    statement: "select id, nullif(note, 'note 2') as note from item order by id",
    rows: 2,
    reason: 'to see the notes',
  });
  expect(answer).toMatchObject({
    state: 'done',
    truncated: true,
    table: {
      columns: ['id', 'note'],
      rows: [
        ['1', 'note 1'],
        ['2', null],
      ],
    },
  });
  expect(await callTool(client, 'ask', { call: answer.call })).toEqual(answer);
  await client.close();
  const { body } = await world.client.get<Json[]>(`agents/calls/?agent=${id}`);
  expect(body).toMatchObject([{ tool: 'query', host: name, reason: 'to see the notes' }]);
  expect(body[0]?.session_id).toBe((await database.lastSession()).id);
  expect(await database.commands()).toMatchObject([{ error: null, is_denied: false }]);
  expect((await world.client.get<Json>(`agents/agents/${id}/`)).body).toMatchObject({
    used_commands: 1,
    used_rows: 2,
  });
});

it.each([
  'update item set note = 1',
  'insert into item values (9, 9)',
  'truncate item',
  'with gone as (delete from item returning id) select * from gone',
  'explain analyze delete from item',
  'set session characteristics as transaction read write',
  'select 1; delete from item',
])('refuses %s under a leash that reads only', async (statement) => {
  const { token } = await leash();
  const before = await notes();
  expect(await query(token, statement, { changes: 100 })).toMatchObject({ state: 'refused' });
  expect(await notes()).toEqual(before);
});

it('shows the rows of a change first, and changes no more rows than the agent named', async () => {
  const { token } = await leash({ statements: 'change' });
  const change = "update item set note = 'new' where id > 2";
  expect(await query(token, change)).toMatchObject({
    state: 'done',
    detail: expect.stringContaining('affects 3 rows. Nothing was changed.'),
    table: {
      rows: [
        ['3', 'note 3'],
        ['4', 'note 4'],
        ['5', 'note 5'],
      ],
    },
  });
  expect(await query(token, change, { changes: 2 })).toMatchObject({ state: 'refused' });
  expect(await notes()).not.toContain('new');
  const done = await query(token, change, { changes: 3 });
  expect(done).toMatchObject({ state: 'done', table: { total: 3 } });
  expect((await notes()).filter((note) => note === 'new')).toHaveLength(3);
  expect(await query(token, "insert into item values (6, 'added')")).toMatchObject({
    state: 'done',
    table: { total: 1 },
  });
  expect(await query(token, 'truncate item')).toMatchObject({ state: 'refused' });
  expect(await query(token, 'delete from item')).toMatchObject({ state: 'done' });
  expect(await notes()).toHaveLength(6);
  const returning = `${change} returning *`;
  expect(await query(token, returning, { changes: 4, rows: 1 })).toMatchObject({
    state: 'done',
    truncated: true,
    table: { total: 4 },
  });
});

it.each([
  'grant select on item to public',
  'create table mine (id int)',
  'set statement_timeout = 0',
  'notify agents',
  'discard all',
])('refuses %s under a leash that changes data', async (statement) => {
  const { token } = await leash({ statements: 'change' });
  expect(await query(token, statement, { changes: 100 })).toMatchObject({ state: 'refused' });
});

it('refuses databases, accounts and words outside of the leash', async () => {
  const refused = { state: 'refused', detail: expect.stringMatching(/leash/) };
  const { token: other } = await leash({ databases: 'another' });
  expect(await query(other, 'select 1')).toMatchObject(refused);
  // The name of a host is no database.
  const { token: hosts } = await leash({ databases: '', hosts: name, command_mode: 'any' });
  expect(await query(hosts, 'select 1')).toMatchObject(refused);
  const { token: accounts } = await leash({ accounts: 'root' });
  expect(await query(accounts, 'select 1')).toMatchObject(refused);
  const { token: words } = await leash({ denied: 'note' });
  for (const statement of ['select note from item', 'select "NOTE" from item', 'table "no\u0074e"'])
    expect([statement, await query(words, statement)]).toMatchObject([statement, refused]);
  expect(await query(words, 'select id from item')).toMatchObject({ state: 'done' });
  const nowhere = await world.client.post('agents/agents/', {
    name: unique('agent'),
    task: 'none',
    accounts: '*',
    password: world.member.password,
  });
  expect([nowhere.status, nowhere.body]).toEqual([400, { hosts: [expect.any(String)] }]);
});

it('lists the databases of the leash, however many others the owner may use', async () => {
  const { db } = world.test;
  const added = await sql<{ id: string }>`
    insert into database_app (org_id, name, type, host, port)
      select ${world.organization}, '0 ' || n || ${name}::text, 'postgresql', '127.0.0.1', 5432
      from generate_series(1, 200) n
    returning id`.execute(db);
  const ids = added.rows.map(({ id }) => id);
  await sql`insert into database_app_permission_database_apps
      (database_app_permission_id, database_app_id)
    select ${database.permission}::uuid, unnest(${ids}::uuid[])`.execute(db);
  const { token } = await leash();
  const client = await connectAgent(world.test, token);
  try {
    expect(await callTool(client, 'list_databases', {})).toMatchObject({
      databases: [{ database: name }],
      truncated: false,
    });
  } finally {
    await client.close();
    await sql`delete from database_app where id = any (${ids}::uuid[])`.execute(db);
  }
});

it('stops at the budget of rows, and says what the database refused', async () => {
  const { token } = await leash({ max_rows: 6 });
  expect(await query(token, 'select * from item')).toMatchObject({ state: 'done' });
  const last = await query(token, 'select * from item');
  expect((last.table as { rows: unknown[] }).rows).toHaveLength(1);
  expect(last.truncated).toBe(true);
  expect(await query(token, 'select 1')).toMatchObject({
    state: 'refused',
    detail: expect.stringContaining('6 rows'),
  });
  const { token: fresh } = await leash();
  expect(await query(fresh, 'select missing from item')).toMatchObject({
    state: 'failed',
    errors: expect.stringContaining('missing'),
  });
  expect(await query(fresh, 'select 1; select 2')).toMatchObject({ state: 'refused' });
});

it('masks columns of secrets, and says that a long value was cut', async () => {
  const { token } = await leash();
  const statement =
    "select id, 'hunter2!' as password, repeat('x', 5000) as text from item limit 1";
  const answer = await query(token, statement);
  const [row = []] = (answer.table as { rows: string[][] }).rows;
  expect(row.slice(0, 2)).toEqual(['1', '********']);
  // The end of a cut value may begin a secret.
  expect(row[2]).toMatch(/^x{4000,}\**…$/);
  expect(answer).toMatchObject({ state: 'done', truncated: true });
});

it('shows no more rows of a change than the agent asked for', async () => {
  const { id, token } = await leash({ statements: 'change' });
  const answer = await query(token, "update item set note = 'new'", { rows: 2 });
  expect(answer).toMatchObject({ state: 'done', truncated: true });
  expect((answer.table as { rows: unknown[] }).rows).toHaveLength(2);
  expect((await world.client.get<Json>(`agents/agents/${id}/`)).body).toMatchObject({
    used_rows: 2,
  });
});

it('stops a running statement at the database when its agent ends', async () => {
  const { id, token } = await leash();
  const client = await connectAgent(world.test, token);
  const running = () =>
    clerk.owner.query(`select 1 from pg_stat_activity
      where usename = '${clerk.role}' and state = 'active' and query like '%pg_sleep(600)%'`);
  const args = { database: name, statement: 'select pg_sleep(600)', wait: 0 };
  expect(await callTool(client, 'query', args)).toMatchObject({ state: 'running' });
  await until(async () => (await running()).rowCount === 1, 'the statement runs');
  expect((await world.client.post<Json>('agents/agents/end/', { agent: id })).status).toBe(200);
  await until(async () => (await running()).rowCount === 0, 'the statement is canceled');
  await client.close().catch(() => undefined);
});

it('stops the running statement of a workspace whose session ends', async () => {
  const client = await database.connect();
  await client.message('open');
  client.begin('select pg_sleep(601)');
  const running = () =>
    clerk.owner.query(`select 1 from pg_stat_activity
      where usename = '${clerk.role}' and state = 'active' and query like '%pg_sleep(601)%'`);
  await until(async () => (await running()).rowCount === 1, 'the statement runs');
  client.close();
  await until(async () => (await running()).rowCount === 0, 'the statement is canceled');
});
