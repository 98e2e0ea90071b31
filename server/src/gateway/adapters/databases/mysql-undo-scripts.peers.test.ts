import type { DatabaseServerMessage } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import { type Mariadb, startMariadb } from '../../../testing/databases/mariadb.ts';
import type { QueryClient } from '../../../testing/databases/query-client.ts';

const PASSWORD = 'vault secret 9';
const TABLES = ['thing', 'pair', 'slot', 'parent', 'shelf', 'stamped', 'loose', 'node', 'fraction'];
/** Reads and writes every value, also those that the strict modes of a session refuse. */
const LENIENT = "set names utf8mb4; set sql_mode = 'NO_AUTO_VALUE_ON_ZERO'; use shop;";

let world: DatabaseWorld;
let mariadb: Mariadb;
let shop: GrantedDatabase;
let clerk: GrantedDatabase;
beforeAll(async () => {
  [world, mariadb] = await Promise.all([startDatabaseWorld(), startMariadb()]);
  mariadb.sql(`create user owner identified by '${PASSWORD}'; grant all on shop.* to owner;
    create user clerk identified by '${PASSWORD}';
    grant select, insert, update, delete on shop.* to clerk;
    use shop;
    create table thing (id int auto_increment primary key, n int,
      label varchar(40) collate utf8mb4_bin,
      latin varchar(20) charset latin1, chinese varchar(20) charset gbk, fixed char(5),
      body text, doc json, big bigint unsigned, tiny tinyint, padded int(8) zerofill,
      exact decimal(40, 10), small float, rounded float(7, 2), large double, flags bit(12),
      wide bit(64), data blob, raw binary(4), var varbinary(9), day date, clock time(6),
      at datetime(3), stamp timestamp(6) null, year year, mood enum('good', 'it''s \\\\ bad', ''),
      tags set('a', 'b', 'it''s'), key_ uuid, host inet6,
      twice int as (n * 2) stored, \`odd \`\`name\` int) charset utf8mb4;
    create table pair (a varchar(10), b varbinary(8), day date, n int, primary key (a, b, day))
      charset utf8mb4;
    create table slot (id int primary key, n int, position int unique);
    create table parent (id int primary key, code int unique, n int);
    create table child (id int primary key, parent int, code int,
      foreign key (parent) references parent (id) on delete cascade,
      foreign key (code) references parent (code) on update cascade);
    create table shelf (id int primary key, n int, above int,
      foreign key (above) references shelf (id));
    create table stamped (id int primary key, n int,
      at timestamp(6) default current_timestamp(6) on update current_timestamp(6));
    create table loose (n int);
    create table fraction (n float primary key, m int);
    create table node (id int primary key, n int, place point);
    create table hidden (id int primary key, n int) engine = MyISAM;
    create table noted (id int primary key, n int);
    create trigger note after update on noted for each row insert into loose values (1)`);
  const grant = (username: string) =>
    world.grant({
      type: 'mariadb',
      host: mariadb.host,
      port: mariadb.port,
      database: 'shop',
      username,
      password: PASSWORD,
    });
  shop = await grant('owner');
  clerk = await grant('clerk');
  for (const { systemUser } of [shop, clerk]) {
    const { status } = await world.administrator.patch(`assets/system-users/${systemUser}/`, {
      preview_changes: true,
    });
    expect(status).toBe(200);
  }
});
afterAll(async () => {
  await world?.stop();
  await mariadb?.stop();
});

const ROWS = 12;
const choice = (...values: readonly string[]) => `elt(1 + i % ${values.length}, ${values.join()})`;
const fill = () =>
  mariadb.sql(`${LENIENT} set sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES';
    set foreign_key_checks = 0; set innodb_lock_wait_timeout = 5; set lock_wait_timeout = 5;
    set time_zone = '+02:00';
    ${[...TABLES, 'child', 'hidden', 'noted'].map((table) => `delete from ${table};`).join(' ')}
    insert into thing (id, n, label, latin, chinese, fixed, body, doc, big, tiny, padded, exact,
      small, rounded, large, flags, wide, data, raw, var, day, clock, at, stamp, year, mood, tags,
      key_, host, \`odd \`\`name\`)
    with recursive t (i) as (select 0 union all select i + 1 from t where i < ${ROWS - 1})
    select i, i % 4,
      ${choice("''", "'it''s'", "'back\\\\slash'", "'line\\nend'", "'NULL'", "'世界😀'", "'a; b -- c'")},
      ${choice("'é€'", "''", "_latin1 x'81'")}, ${choice("'中文'", "'\\''", 'null')},
      ${choice("'ab'", "'A'")}, repeat('x;\\r\\n', i), '{"b": 1,   "a": "\\\\u0041\\\\n"}',
      ${choice('18446744073709551615', '9007199254740993', '0')}, ${choice('-128', '127')}, i,
      ${choice("'123456789012345678901234567890.5'", "'-0.0000000001'", "'1.20'")},
      ${choice("'3.4028234663852886e38'", "'0.1'", "'-0'", "'16777217'")}, 12345.67 + i,
      ${choice("'1e-310'", "'0.30000000000000004'", "'-0'", "'1.7976931348623157e308'")},
      i, ${choice('0xffffffffffffffff', '0')} + 0, unhex(${choice("'00275c0a1aff'", "''")}),
      unhex('27'), unhex(${choice("'0000'", "'5c'")}),
      ${choice("'2024-02-29'", "'0000-00-00'", "'2024-00-31'", "'2023-02-31'")},
      ${choice("'-838:59:59.999999'", "'00:00:00.5'")},
      ${choice("'0000-00-00'", "'9999-12-31 23:59:59.999'")},
      ${choice("'0000-00-00'", "'2024-07-01 12:00:00.123456'", 'null')}, ${choice("'0000'", "'2155'")},
      ${choice("'good'", "'it''s \\\\ bad'", "''")}, ${choice("''", "'a,it''s'", 'null')},
      uuid(), ${choice("'::1'", "'10.0.0.1'")}, i from t;
    set time_zone = '+00:00';
    update thing set stamp = if(id = 0, '2024-10-27 00:30:00.5', '2024-10-27 01:30:00.5')
      where id < 2;
    insert into pair select concat('k\\'', id), unhex(hex(id)), '2024-02-29', id from thing;
    insert into slot select id, id, id from thing where id > 0;
    insert into parent select id, id, id from thing;
    insert into shelf select id, id, nullif(id - 1, -1) from thing;
    insert into stamped select id, id % 4, '2020-01-01' from thing;
    insert into node select id, id, point(1, 2) from thing;
    insert into fraction select id + 0.1, 1 from thing;
    insert into loose select id % 3 from thing;
    insert into hidden values (1, 1); insert into noted values (1, 1)`);

/** The exact contents of a table. */
const contents = (table: string) => {
  const columns = mariadb
    .sql(
      `select column_name, data_type from information_schema.columns
        where table_schema = 'shop' and table_name = '${table}' order by ordinal_position`,
    )
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [name = '', type = ''] = line.split('\t');
      const quoted = `\`${name.replaceAll('`', '``')}\``;
      if (type === 'timestamp') return `unix_timestamp(${quoted})`;
      return /float|double/.test(type) ? `${quoted} * 1e0` : `hex(${quoted})`;
    });
  return mariadb.sql(`${LENIENT} select ${columns.join(', ')} from ${table} order by 1`);
};

const opened: QueryClient[] = [];
afterEach(() => {
  for (const client of opened.splice(0)) client.close();
});

/** A client whose transactions end with the test. */
const open = async (place = shop) => {
  const client = await place.connect();
  opened.push(client);
  await client.message('open');
  return client;
};

async function change(client: QueryClient, text: string) {
  const run = client.begin(text);
  const { message } = await client.message('ask', run.from);
  client.send({ type: 'answer', yes: true });
  const done = await client.finish(run);
  return { message, ...done, undo: undoIn(done.messages) };
}

const undoIn = (messages: readonly DatabaseServerMessage[]) =>
  messages.find((message) => message.type === 'undo');

async function scriptOf(client: QueryClient, script: string): Promise<string> {
  const from = client.messages.length;
  client.file = Buffer.alloc(0);
  client.send({ type: 'undo', script });
  await client.message('exported', from);
  return client.file.toString();
}

const WHERE = fc.oneof(
  fc.constant(''),
  fc
    .tuple(fc.constantFrom('<', '>=', '<>', '='), fc.nat(14))
    .map(([operator, value]) => ` where n ${operator} ${value}`),
  fc.constantFrom(
    ' where n % 3 = 0 limit 2',
    ' where n in (select code from parent) order by n desc limit 4',
  ),
);
const SETS: Readonly<Record<string, readonly string[]>> = {
  thing: [
    'n = n + 1',
    'n = n',
    'n = 1',
    "label = concat(label, char(92)), latin = 'x', chinese = '汉', body = null, doc = '[1]'",
    'big = 1, tiny = 0, padded = 7, exact = 0, small = 0.5, rounded = 1, large = 2, flags = 0',
    "wide = 5, data = 'x', raw = 'abc', var = null, day = '2020-01-01', clock = now()",
    "at = now(), stamp = '2020-01-01', year = 2000, mood = 'good', tags = 'a', host = null",
    'id = id + 100',
    "`odd ``name` = 5, key_ = '00000000-0000-0000-0000-000000000001', fixed = 'y'",
  ],
  pair: ['n = -n', "a = concat(a, 'x')", 'a = upper(a)'],
  slot: ['n = 7', 'position = position + 100', 'position = -position, n = 0'],
  parent: ['n = 0', 'code = code + 100'],
  shelf: ['n = 0', 'above = null'],
  stamped: ['n = 1', 'n = n + 1'],
  loose: ['n = 1'],
  node: ['n = 0'],
  fraction: ['m = 2'],
};
const CHANGES = fc
  .constantFrom(...TABLES)
  .chain((table) =>
    fc.tuple(fc.constant(table), fc.option(fc.constantFrom(...(SETS[table] ?? []))), WHERE),
  );

it(
  'restores every row by the script of a change in MariaDB, or says before the run why there is none',
  async () => {
    const client = await open();
    let kept = 0;
    await client.query("set time_zone = '+05:30'");
    await client.query("set sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'");
    await client.query('set character_set_results = null');
    await fc.assert(
      fc.asyncProperty(CHANGES, async ([table, set, where]) => {
        fill();
        const before = contents(table);
        const text = set ? `update ${table} set ${set}${where}` : `delete from ${table}${where}`;
        const { message, failed, answered, undo } = await change(client, text);
        const after = contents(table);
        if (failed) {
          expect([text, message]).toEqual([
            text,
            expect.stringContaining(
              'There is no preview and no undo script: the database answered',
            ),
          ]);
          expect(after).toBe(before);
          return;
        }
        const rows = answered[0]?.rows ?? -1;
        expect(message).toMatch(new RegExp(`^This (changes|deletes) ${rows} rows? of ${table}`));
        if (!undo) {
          const isSame = before === after;
          expect([text, message]).toEqual([
            text,
            isSame ? expect.any(String) : expect.stringContaining('\nNo undo script: '),
          ]);
          return;
        }
        kept += 1;
        expect(message).toContain('An undo script with the old values is kept');
        expect(message).not.toContain('triggers');
        expect(undo).toMatchObject({ rows, message: null });
        mariadb.sql(`use shop;\n${await scriptOf(client, undo.script ?? '')}`);
        expect([text, contents(table)]).toEqual([text, before]);
      }),
      runs(80),
    );
    expect(kept).toBeGreaterThan(5);
    expect(await client.rows('select @@autocommit, @@character_set_results')).toEqual([
      ['1', null],
    ]);
  },
  limitOf(180_000),
);

it('keeps the scripts of the transactions of the user when they commit, and leaves their mode', async () => {
  fill();
  const client = await open();
  await client.query('start transaction');
  const first = await change(client, 'update slot set n = 0');
  expect(first.message).toContain('is kept when you commit (11 rows)');
  expect([first.undo, first.finished.transaction]).toEqual([undefined, 'open']);
  await client.query('rollback');
  await client.query('start transaction');
  await change(client, 'delete from pair where n = 1');
  expect(undoIn((await client.query('commit')).messages)).toMatchObject({ rows: 1, message: null });
  await client.query('set autocommit = 0');
  const implicit = await change(client, 'delete from pair where n = 2');
  expect(implicit.message).toContain('is kept when you commit (1 row)');
  expect([implicit.undo, implicit.finished.transaction]).toEqual([undefined, 'open']);
  expect(undoIn((await client.query('commit')).messages)).toMatchObject({ rows: 1, message: null });
  expect(await client.rows('select @@autocommit')).toEqual([['0']]);
});

it.each([
  ['a table without a primary key', 'update loose set n = 9', 'no primary key'],
  ['a changed primary key', 'update slot set id = id + 100 where id = 1', 'the primary key'],
  ['a key of floats', 'update fraction set m = 2', 'column n do not find'],
  ['a geometry', 'update node set n = 5', 'the column place cannot be written'],
  ['an invalid member of an enum', 'delete from mixed', 'the column mood cannot be written'],
  [
    'a unique column of several rows',
    'update slot set position = position + 50',
    'column position',
  ],
  ['rows that other tables follow', 'delete from parent', 'rows of other tables'],
  ['a column that other tables follow', 'update parent set code = 90 where id = 1', 'other tables'],
  [
    'rows that may refer to each other',
    'delete from shelf order by id desc',
    'refer to each other',
  ],
  ['a temporary table', 'update item set n = 5', 'temporary'],
  ['a random condition', 'update slot set n = 5 where rand() < 2', 'function rand'],
  ['too many rows', 'delete from many', '10,000 rows'],
])('says before the run that there is no script of %s', async (_what, statement, reason) => {
  fill();
  mariadb.sql(`use shop; set sql_mode = '';
    create or replace table item (id int primary key, n int); insert into item values (1, 1);
    create or replace table mixed (id int primary key, n int, mood enum('a', 'b'));
    insert into mixed values (1, 1, 'unknown');
    create or replace table many (id int primary key);
    insert into many select seq from seq_1_to_10001`);
  const client = await open();
  await change(client, 'create temporary table item (id int primary key, n int)');
  await client.query('insert into item values (1, 1)');
  const { message, undo, failed } = await change(client, statement);
  expect(failed).toBeUndefined();
  expect(message).toMatch(new RegExp(`\nNo undo script: .*${reason}`));
  expect(undo).toBeUndefined();
});

it.each([
  ['an engine without transactions', 'update hidden set n = 2', 'MyISAM'],
  ['a table with triggers', 'update noted set n = 2', 'triggers'],
])('says that there is neither preview nor script of %s', async (_what, statement, reason) => {
  const client = await open();
  const { message, undo } = await change(client, statement);
  expect(message).toMatch(new RegExp(`^There is no preview and no undo script: .*${reason}`));
  expect(undo).toBeUndefined();
});

it('says that effects of triggers stay where the account may not see them', async () => {
  fill();
  const client = await open(clerk);
  const { message, undo } = await change(client, 'update slot set n = 30 where id = 3');
  expect(message).toContain(
    'is kept with the statement (1 row).\nThe account may not see triggers',
  );
  expect(undo).toMatchObject({ rows: 1 });
});
