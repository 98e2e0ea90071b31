import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../../testing/databases/client-world.ts';
import type { DatabaseGrant } from '../../../../testing/databases/grant-database.ts';
import { type Mariadb, startMariadb } from '../../../../testing/databases/mariadb.ts';
import { freePort } from '../../../../testing/free-port.ts';
import { until } from '../../../../testing/poll.ts';

const VAULT_PASSWORD = 'the secret of the vault 7Kz';
let server: Mariadb;
let world: DatabaseWorld;

beforeAll(async () => {
  const [port, started] = await Promise.all([freePort(), startMariadb()]);
  server = started;
  server.sql(`
    create user clerk@'%' identified by '${VAULT_PASSWORD}';
    grant all on shop.* to clerk@'%';
    use shop;
    create table victim (id int);
    insert into victim select seq from seq_1_to_5;
delimiter //
create function wipe() returns int modifies sql data begin delete from victim; return 1; end//
create function lift() returns int begin set session tx_read_only = 0; return 1; end//
create view lifted as select lift()//
create function shifted() returns int begin
  set character_set_client = sjis; set sql_mode = 'ANSI_QUOTES'; return 1; end//
`);
  world = await startDatabaseWorld({ mysqlPort: port });
});
afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
});

const account = () =>
  ({
    type: 'mariadb',
    port: server.port,
    database: 'shop',
    username: 'clerk',
    password: VAULT_PASSWORD,
  }) as const;
async function connect(
  database: DatabaseGrant,
  charset = 'UTF8MB4_GENERAL_CI',
): Promise<Connection> {
  const { port, username, password } = await world.password(database);
  const connection = await createConnection({
    host: '127.0.0.1',
    port,
    user: username,
    password,
    charset,
    database: 'shop',
    multipleStatements: true,
  });
  connection.on('error', () => undefined);
  return connection;
}
const left = async (connection: Connection) =>
  JSON.stringify((await connection.query('select count(*) as n from victim'))[0]);
const ALL = '[{"n":5}]';
const refused = (why: string) => ({
  errno: 1227,
  sqlState: '42000',
  message: expect.stringContaining(why),
});
const READ_ONLY = { errno: 1792 };

test('keeps UTF-8 for any character set of the client, and rejects bytes that are not UTF-8', async () => {
  const reading = await world.add(account(), { is_read_only: true });
  for (const charset of [
    'GBK_CHINESE_CI',
    'BIG5_CHINESE_CI',
    'SJIS_JAPANESE_CI',
    'LATIN1_SWEDISH_CI',
    'GB2312_CHINESE_CI',
  ]) {
    // The client encodes its statements in this character set.
    const connection = await connect(reading, charset);
    const [rows] = await connection.query(
      'select @@character_set_client as client, @@character_set_connection as connection',
    );
    expect(rows).toEqual([{ client: 'utf8mb4', connection: 'utf8mb4' }]);
    if (charset !== 'LATIN1_SWEDISH_CI')
      await expect(
        connection.query(
          'select 1 as `表`; set session transaction read write; delete from victim',
        ),
      ).rejects.toMatchObject(refused('UTF-8'));
    for (const name of ['gbk', 'big5', 'sjis', 'gb18030', 'latin1'])
      for (const change of [
        `set names ${name}`,
        `set character set '${name}'`,
        `set char set ${name}`,
        `set statement max_statement_time=1 for set names ${name}`,
        `set time_zone = '+00:00', \`character_set_client\` = ${name}`,
        `/*!40101 set names ${name} */`,
      ])
        await expect(connection.query(change)).rejects.toMatchObject({ errno: 1227 });
    expect(await left(connection)).toBe(ALL);
    await connection.end();
  }
});

test('accepts statements of a dump that restore the character set, and keeps UTF-8 afterwards', async () => {
  const connection = await connect(await world.add(account()));
  await connection.query('/*!40101 SET NAMES utf8mb4 */');
  await connection.query("SET @saved_cs_client = 'gbk'");
  await connection.query('SET character_set_client = @saved_cs_client');
  expect((await connection.query('select @@character_set_client as client'))[0]).toEqual([
    { client: 'utf8mb4' },
  ]);
  await expect(
    connection.query('SET character_set_client = @saved_cs_client; select 1'),
  ).rejects.toMatchObject(refused('UTF-8'));
  await connection.query("execute immediate concat('set names', ' gbk')");
  expect(
    (await connection.query("select @@character_set_client as client, '中' as text"))[0],
  ).toEqual([{ client: 'utf8mb4', text: '中' }]);
  await connection.end();
});

test('rejects settings that end the read-only mode, so that functions cannot write', async () => {
  const connection = await connect(await world.add(account(), { is_read_only: true }));
  await expect(connection.query("set time_zone='+00:00', `tx_read_only`=0")).rejects.toMatchObject(
    refused('read-only access'),
  );
  await expect(connection.query('select wipe()')).rejects.toMatchObject(READ_ONLY);
  await connection.reset();
  await expect(connection.query('select wipe()')).rejects.toMatchObject(READ_ONLY);
  await expect(connection.execute('select wipe() where ? = 1', [1])).rejects.toMatchObject(
    READ_ONLY,
  );
  expect(await left(connection)).toBe(ALL);
  await connection.end();
});

// MariaDB 10.11 lets a function of a read-only transaction change the mode of the next one.
test('keeps the read-only mode when a function lifts it', async () => {
  const connection = await connect(await world.add(account(), { is_read_only: true }));
  const wipes = () => expect(connection.query('select wipe()')).rejects.toMatchObject(READ_ONLY);
  for (const begin of [
    () => connection.query('select lift()'),
    () => connection.query('select * from lifted'),
    () => connection.query('set @x = lift()'),
    () => connection.execute('select lift() where ? = 1', [1]),
    () => connection.query('begin; select lift(); commit'),
  ]) {
    await begin();
    await wipes();
    await begin();
    await expect(connection.execute('select wipe() where ? = 1', [1])).rejects.toMatchObject(
      READ_ONLY,
    );
  }
  for (const text of ['select lift(); select wipe()', 'select * from lifted; select wipe()'])
    await expect(connection.query(text), text).rejects.toMatchObject(refused('one at a time'));
  expect(await left(connection)).toBe(ALL);
  await connection.end();
});

test('shows a read-only session the warnings and row counts of its own statements', async () => {
  const connection = await connect(await world.add(account(), { is_read_only: true }));
  const rows = async (text: string) => (await connection.query(text))[0];
  await connection.query('select sql_calc_found_rows id from victim limit 2');
  expect(await rows('select found_rows() as n, 1')).toEqual([{ n: 5, 1: 1 }]);
  await connection.query('select id from victim limit 1');
  expect(await rows('SELECT ROW_COUNT() AS n')).toEqual([{ n: -1 }]);
  await connection.query("select cast('a' as int)");
  expect(await rows('show warnings')).toEqual([expect.objectContaining({ Code: 1292 })]);
  expect(await rows('show count(*) warnings')).toEqual([{ '@@session.warning_count': 1 }]);
  await connection.query("select cast('a' as int)");
  expect(await rows('select @@warning_count as n')).toEqual([{ n: 1 }]);
  await connection.query('select sql_calc_found_rows id from victim limit 2');
  expect((await connection.execute('select found_rows() as n'))[0]).toEqual([{ n: 5 }]);
  await connection.query('select lift()');
  await connection.query('select row_count()');
  await expect(connection.query('select wipe()')).rejects.toMatchObject(READ_ONLY);
  await connection.end();
});

// MariaDB 10.11 gives back the character set and the mode of a routine's caller at its end.
test('reads texts as UTF-8 after a routine that changes the character set', async () => {
  const connection = await connect(await world.add(account(), { is_read_only: true }));
  const variables = async () =>
    (
      await connection.query(
        'select @@character_set_client as client, @@collation_connection as compared',
      )
    )[0];
  // A client may choose each form of UTF-8, and its collation.
  for (const [names, client, compared] of [
    ['utf8mb4 collate utf8mb4_bin', 'utf8mb4', 'utf8mb4_bin'],
    ['utf8', 'utf8mb3', 'utf8mb3_general_ci'],
  ] as const) {
    await connection.query(`set names ${names}`);
    for (const run of ['select shifted()', 'select 1']) {
      await connection.query(run);
      expect((await connection.query("select hex('中') as text"))[0]).toEqual([{ text: 'E4B8AD' }]);
      expect(await variables()).toEqual([{ client, compared }]);
      await connection.query('begin');
      expect((await connection.query("select 'a\\\\' as `é`"))[0]).toEqual([{ é: 'a\\' }]);
      await connection.query('commit');
    }
  }
  await connection.query('select sql_calc_found_rows id from victim limit 2');
  expect((await connection.query("select found_rows() as 'größe'"))[0]).toEqual([{ größe: 5 }]);
  await connection.end();
});

// Percona Toolkit and dumps save the mode in a variable.
test('takes a mode that a program saved, and no mode in which texts mean something else', async () => {
  const connection = await connect(await world.add(account(), { is_read_only: true }));
  const mode = async (of: 'session' | 'global' = 'session') => {
    const [rows] = await connection.query(`select @@${of}.sql_mode as mode`);
    return (rows as { mode: string }[])[0]?.mode;
  };
  const before = await mode();
  // The client asked for IGNORE_SPACE while it connected.
  const usual = await mode('global');
  await connection.query("/*!40101 SET @OLD := @@SQL_MODE, @@SQL_MODE := 'STRICT_ALL_TABLES' */");
  expect(await mode()).toBe('STRICT_ALL_TABLES');
  await connection.query('/*!40101 SET @@SQL_MODE := @OLD, @@SQL_QUOTE_SHOW_CREATE := 1 */');
  expect(await mode()).toBe(before);
  await connection.query("set @a = 'ansi', @b = 'no_zero_date,Oracle', @c = 'PostgreSQL', @d = 4");
  for (const name of ['a', 'b', 'c', 'd']) {
    await connection.query(`set sql_mode = @${name}`);
    expect(await mode(), name).toBe(usual);
    await connection.execute(`set @@session.sql_mode := @\`${name}\``);
    expect((await connection.execute('select "text" as a'))[0], name).toEqual([{ a: 'text' }]);
    await expect(
      connection.query(`set sql_mode = @${name}; begin not atomic select wipe(); end`),
    ).rejects.toMatchObject({ errno: 1227 });
  }
  await expect(connection.query('set sql_mode = @none')).rejects.toMatchObject({ errno: 1231 });
  expect(await mode()).toBe(usual);
  await connection.end();
});

// MariaDB 10.11 runs blocks and SET STATEMENT outside of routines.
test('rejects blocks in a read-only session, whatever they contain', async () => {
  const connection = await connect(await world.add(account(), { is_read_only: true }));
  for (const text of [
    'begin not atomic set session tx_read_only=0; end',
    "begin not atomic execute immediate concat('del','ete from victim'); end",
    'BEGIN /* a */ NOT ATOMIC select wipe(); END',
    'begin not atomic kill 999999; end',
    'if 1 then set session tx_read_only=0; end if',
    'case 1 when 1 then set session tx_read_only=0; end case',
    'l: loop set session tx_read_only=0; leave l; end loop',
    'while 0 do select 1; end while',
    'repeat set session tx_read_only=0; until 1 end repeat',
    'for i in 1..1 do set session tx_read_only=0; end for',
    'set statement max_statement_time=9 for delete from victim',
    'set statement tx_read_only=0 for select wipe()',
    'start transaction read write',
    '/*M!100100 begin not atomic */ set session tx_read_only=0; end',
  ])
    await expect(connection.query(text), text).rejects.toMatchObject(refused('read-only access'));
  for (const text of [
    'begin',
    'start transaction read only',
    'savepoint a',
    'rollback to a',
    'commit',
  ])
    await connection.query(text);
  await expect(connection.query('select wipe()')).rejects.toMatchObject(READ_ONLY);
  expect(await left(connection)).toBe(ALL);
  await connection.end();
});

test('decides statements that comments, control characters and quotes could hide', async () => {
  const connection = await connect(await world.add(account(), { is_read_only: true }));
  const hidden = 'set session tx_read_only=0; delete from victim';
  for (const text of [
    `select 1 -- \r'\n; ${hidden}; -- '`,
    `select 1 # \r'\n; ${hidden}; # '`,
    `select 1 as a#'\n; ${hidden}; #'`,
    `select @a#'\n; ${hidden}; #'`,
    `select 1 as 数#'\n; ${hidden}; #'`,
    `select 1 --\x7f'\n; ${hidden}; -- '`,
    `select 'x\\'' as "a\\"; ${hidden}; -- "`,
  ])
    await expect(connection.query(text), text).rejects.toMatchObject(refused('read-only access'));
  // These comments hide the condition of a statement that is sent alone.
  for (const text of [
    'delete from victim # \r where id = 7',
    'delete from victim -- \r where id = 7',
  ])
    await expect(connection.execute(text), text).rejects.toMatchObject(refused('read-only access'));
  expect(await left(connection)).toBe(ALL);
  await connection.end();
});

test('keeps UTF-8 after a block that changes the character set', async () => {
  const connection = await connect(await world.add(account()));
  for (const text of [
    'begin not atomic set names gbk; end',
    'if 1 then set character_set_client = gbk; end if',
    'set statement character_set_client=gbk for select 1',
  ])
    await expect(connection.query(text), text).rejects.toMatchObject(refused('UTF-8'));
  await connection.query(
    "begin not atomic execute immediate concat('set cha','racter_set_client=gbk'); end",
  );
  expect((await connection.query('select @@character_set_client as client'))[0]).toEqual([
    { client: 'utf8mb4' },
  ]);
  await connection.end();
});

test('applies anchored rules to statements inside of other statements', async () => {
  const database = await world.add(account());
  const filter = await world.administrator.post('assets/cmd-filters/', {
    name: 'anchored',
    system_users: [database.systemUser],
  });
  await world.administrator.post(`assets/cmd-filters/${filter.body.id}/rules/`, {
    type: 'regex',
    content: '(?i)^(?:drop table|truncate|delete from \\w+$)',
    action: 0,
    priority: 50,
  });
  const connection = await connect(database);
  await connection.query('create table doomed (id int)');
  for (const statement of ['drop table doomed', 'truncate victim', 'delete from victim'])
    for (const text of [
      statement,
      `if 1 then ${statement}; end if`,
      `begin not atomic select 1; ${statement}; end`,
      `begin not atomic declare exit handler for sqlexception ${statement}; signal sqlstate '45000'; end`,
      `l: loop ${statement}; leave l; end loop`,
      `for i in 1..1 do ${statement}; end for`,
      `set statement max_statement_time=9 for ${statement}`,
      `analyze ${statement}`,
    ])
      await expect(connection.query(text), text).rejects.toMatchObject({ errno: 1227 });
  expect(await left(connection)).toBe(ALL);
  expect((await connection.query('select count(*) as n from doomed'))[0]).toEqual([{ n: 0 }]);
  await connection.query('begin not atomic delete from victim where id = 0; end');
  await connection.end();
  await world.administrator.delete(`assets/cmd-filters/${filter.body.id}/`);
});

test('changes the read-only mode of a running session when its permission changes', async () => {
  const database = await world.add(account());
  const simple = await connect(database);
  const open = await connect(database);
  await simple.query('select 1');
  await open.query('begin; select count(*) from victim');
  const change = (isReadOnly: boolean) =>
    world.administrator.patch(`perms/database-app-permissions/${database.permission}/`, {
      is_read_only: isReadOnly,
    });
  expect((await change(true)).status).toBe(200);
  const refuses = (client: typeof simple, statement: string) =>
    client.query(statement).then(
      () => false,
      () => true,
    );
  // Each session learns of the change separately. In a transaction, any statement is refused then.
  for (const [client, harmless] of [
    [simple, 'delete from victim where false'],
    [open, 'select 1'],
  ] as const)
    await until(() => refuses(client, harmless), 'the change has come to the session');
  await expect(simple.query('select wipe()')).rejects.toMatchObject(READ_ONLY);
  await expect(simple.execute('select wipe() where ? = 1', [1])).rejects.toMatchObject(READ_ONLY);
  // Its transaction may still write, so only its end may pass.
  await expect(open.query('select wipe()')).rejects.toMatchObject(refused('read-only access'));
  await open.query('rollback');
  await expect(open.query('select wipe()')).rejects.toMatchObject(READ_ONLY);
  expect(await left(simple)).toBe(ALL);
  expect((await change(false)).status).toBe(200);
  await until(
    async () => !(await refuses(simple, 'delete from victim where false')),
    'the change has come to the session',
  );
  await simple.query('insert into victim values (6)');
  await simple.query('delete from victim where id = 6');
  await Promise.all([simple.end(), open.end()]);
});

test('rejects a long text when a permission must be checked, and passes it otherwise', async () => {
  const text = `select ${"'a',".repeat(40_000)} 1`;
  const reading = await connect(await world.add(account(), { is_read_only: true }));
  await expect(reading.query(text)).rejects.toMatchObject(refused('128 KiB'));
  await reading.end();
  const full = await connect(await world.add(account()));
  await full.query(`select length('${'a'.repeat(500_000)}')`);
  expect((await full.query('select @@character_set_client as client'))[0]).toEqual([
    { client: 'utf8mb4' },
  ]);
  await full.end();
});
