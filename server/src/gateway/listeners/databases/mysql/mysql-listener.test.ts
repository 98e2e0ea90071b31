import { MYSQL_MODE } from '@sallyport/sql-relays';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../../../testing/builders.ts';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../../testing/databases/client-world.ts';
import type { DatabaseGrant } from '../../../../testing/databases/grant-database.ts';
import { type MysqlServer, startMysqlServer } from '../../../../testing/databases/mysql-server.ts';
import { QueryClient } from '../../../../testing/databases/query-client.ts';
import { freePort } from '../../../../testing/free-port.ts';
import { until } from '../../../../testing/poll.ts';

const VAULT = { user: 'clerk', password: 'the secret of the vault 7Kz' };
const SELECT = 'select name from item';
const SLOW = 'select sleep(3609)';

let server: MysqlServer;
let world: DatabaseWorld;
let shop: DatabaseGrant;
beforeAll(async () => {
  server = await startMysqlServer(VAULT, {
    [SELECT]: { columns: ['name'], rows: [['item 1'], ['item 2']] },
    "insert into item values (9, 'nine')": { affectedRows: 1 },
    [SLOW]: { neverEnds: true },
    'select * from missing': { error: [1146, "Table 'shop.missing' doesn't exist"] },
  });
  world = await startDatabaseWorld({ mysqlPort: await freePort() });
  shop = await world.add(account());
});
afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
});

const account = () =>
  ({
    type: 'mysql',
    port: server.port,
    database: 'shop',
    username: VAULT.user,
    password: VAULT.password,
  }) as const;

async function connect(database = shop) {
  const { port, username: user, password } = await world.password(database);
  // The client would verify a name; the gateway of this test listens on loopback.
  return createConnection({ host: '127.0.0.1', port, user, password, database: 'shop' });
}

async function loggedStatements(database = shop) {
  await until(
    async () => (await world.lastSession(database.app)).is_finished === true,
    'the session has ended',
  );
  const { id } = await world.lastSession(database.app);
  return (await world.commands(id)).map(({ input, row_count, error }) => [input, row_count, error]);
}

it('runs statements of a client, and logs each with its rows or its error', async () => {
  const client = await connect();
  const [rows] = await client.query(SELECT);
  expect(rows).toEqual([{ name: 'item 1' }, { name: 'item 2' }]);
  await client.query("insert into item values (9, 'nine')");
  await expect(client.query('select * from missing')).rejects.toMatchObject({ errno: 1146 });
  await client.end();
  expect(await loggedStatements()).toEqual([
    [SELECT, 2, null],
    ["insert into item values (9, 'nine')", 1, null],
    ['select * from missing', null, "1146 Table 'shop.missing' doesn't exist"],
  ]);
  expect(await world.lastSession(shop.app)).toMatchObject({
    login_from: 'DT',
    protocol: 'mysql',
    end_reason: 'session_finished',
  });
});

it('logs the statement that a client sent before it disconnected without the answer', async () => {
  const database = await world.add(account());
  const client = await connect(database);
  const begun = server.statements.length;
  void client.query(SLOW).catch(() => undefined);
  await until(() => server.statements.slice(begun).includes(SLOW), 'the server has the statement');
  client.destroy();
  expect(await loggedStatements(database)).toEqual([[SLOW, null, 'The session has ended.']]);
});

it('cancels and logs the statement that runs when an administrator ends the session', async () => {
  const database = await world.add(account());
  const client = await connect(database);
  const begun = server.statements.length;
  void client.query(SLOW).catch(() => undefined);
  const reached = () => server.statements.slice(begun);
  await until(() => reached().includes(SLOW), 'the server has the statement');
  const { id } = await world.lastSession(database.app);
  await world.administrator.post('terminal/tasks/kill-session/', [id]);
  await until(() => reached().some((text) => /^kill query \d+$/.test(text)), 'it is canceled');
  expect(await loggedStatements(database)).toEqual([[SLOW, null, 'The session has ended.']]);
});

it('logs the statement that runs when the page of a workspace closes', async () => {
  const database = await world.add(account());
  const page = await QueryClient.connect(
    world.test.program.url,
    { app: database.app, system_user: database.systemUser },
    world.person.headers,
  );
  await page.message('open');
  const begun = server.statements.length;
  page.begin(SLOW);
  await until(() => server.statements.slice(begun).includes(SLOW), 'the server has the statement');
  page.close();
  expect(await loggedStatements(database)).toContainEqual([SLOW, null, 'The session has ended.']);
});

it('rejects a wrong password of the client, and never shows the password of the vault', async () => {
  const { port, username: user } = await world.password(shop);
  const refused = createConnection({ host: '127.0.0.1', port, user, password: 'wrong' });
  await expect(refused).rejects.toMatchObject({ errno: 1045 });
  expect(world.test.log()).not.toContain(VAULT.password);
});

it('rejects a change under a read-only permission, without asking the server', async () => {
  const readOnly = await world.add(account(), { is_read_only: true });
  const client = await connect(readOnly);
  const statement = 'update item set name = 1';
  await expect(client.query(statement)).rejects.toThrow();
  expect(((await client.query(SELECT))[0] as unknown[]).length).toBe(2);
  await client.end();
  expect(server.statements).not.toContain(statement);
});

// Only servers that resemble MySQL let a routine change the character set of its caller.
it('sets UTF-8 again before each text of a read-only session that is not ASCII', async () => {
  const client = await connect(await world.add(account(), { is_read_only: true }));
  const begun = server.statements.length;
  await client.query('select 1');
  await client.query("select '中'");
  await client.query("select '表' from item");
  await client.query('begin');
  await client.query("select 'é'");
  // A statement of ours would change the answer.
  await client.query("select row_count() as 'größe'");
  // Two quoted names could hide a statement in another character set.
  await client.query("select 1 as 'é', 2 as ', f() -- '");
  await client.end();
  const texts = server.statements
    .slice(begun)
    .filter((text) => text !== MYSQL_MODE.readOnly)
    .map((text) => (text === MYSQL_MODE.keepUtf8 ? 'proof' : text));
  expect(texts).toEqual([
    'select 1',
    ...['proof', "select '中'", 'proof', "select '表' from item"],
    ...['begin', 'proof', "select 'é'", "select row_count() as 'größe'"],
    ...['proof', "select 1 as 'é', 2 as ', f() -- '"],
  ]);
});

/** Denies what no test sends, so that the statements of an account are decided. */
async function decide(database: DatabaseGrant): Promise<void> {
  const filter = await world.administrator.post('assets/cmd-filters/', {
    name: unique('decides'),
    system_users: [database.systemUser],
  });
  const rule = { type: 'regex', content: '(?i)^drop ', action: 0, priority: 50 };
  const added = await world.administrator.post(`assets/cmd-filters/${filter.body.id}/rules/`, rule);
  expect(added.status, added.text).toBe(201);
}

it('sets UTF-8 again in a session that may write, where a filter decides its statements', async () => {
  const decided = await world.add(account());
  await decide(decided);
  const texts = [SELECT, "select '中'", "select row_count() as 'größe'", SELECT, "select 'é'"];
  const sentTo = async (database: DatabaseGrant) => {
    const client = await connect(database);
    const begun = server.statements.length;
    for (const text of texts) await client.query(text);
    await client.end();
    return server.statements.slice(begun);
  };
  const proof = MYSQL_MODE.keepUtf8;
  const [first, chinese, count, again, accent] = texts;
  expect(await sentTo(decided)).toEqual([first, proof, chinese, count, again, proof, accent]);
  expect(await sentTo(await world.add(account()))).toEqual(texts);
  const client = await connect(decided);
  await expect(client.query('drop table item')).rejects.toMatchObject({ errno: 1227 });
  await client.end();
});

it('continues a session that may write at a server that refuses to set UTF-8, and ends one that only reads', async () => {
  const other = await startMysqlServer(VAULT, {
    [MYSQL_MODE.keepUtf8]: { error: [1193, 'Unknown system variable'] },
  });
  const there = { ...account(), port: other.port };
  const writes = await world.add(there);
  await decide(writes);
  const client = await connect(writes);
  await client.query('select 1');
  await client.query("select '中'");
  await client.query("select 'é'");
  await client.end();
  expect(other.statements.filter((text) => text.startsWith('select'))).toEqual([
    ...['select 1', "select '中'", "select 'é'"],
  ]);
  const reader = await connect(await world.add(there, { is_read_only: true }));
  await reader.query('select 2');
  await expect(reader.query("select '表'")).rejects.toThrow();
  expect(other.statements).not.toContain("select '表'");
  reader.destroy();
  await other.stop();
});
