import { COMMAND_LIBRARY } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { isReadingOnly } from './reading-only.ts';
import { readingsOf } from './readings.ts';
import { statementsOf } from './statements.ts';
import type { Dialect } from './tokens.ts';

/** Every statement that a guard decides, in lower case. */
const decided = (text: string, dialect: Dialect): string[] =>
  (readingsOf(text, dialect) ?? [])
    .flat()
    .flatMap((statement) => [statement, ...(statement.inner ?? [])])
    .map(({ line }) => line.toLowerCase());
/** The statements inside of a text. */
const inner = (text: string, dialect: Dialect) =>
  statementsOf(text, dialect).flatMap((statement) =>
    (statement.inner ?? []).map(({ line }) => line),
  );

/** Statements that carry another one. MariaDB 10.11 runs each of them. */
const OF_MARIADB: readonly ((statement: string) => string)[] = [
  (one) => `begin not atomic ${one}; end`,
  (one) => `BEGIN/**/NOT ATOMIC\n${one};\nEND`,
  (one) => `begin not atomic select 1; ${one}; end`,
  (one) => `begin not atomic begin ${one}; end; end`,
  (one) => `outer_one: begin not atomic ${one}; end`,
  (one) => `if 1 then ${one}; end if`,
  (one) => `if 0 then select 1; elseif 1 then ${one}; end if`,
  (one) => `if 0 then select 1; else ${one}; end if`,
  (one) => `case 1 when 1 then ${one}; end case`,
  (one) => `case when 0 then select 1; else ${one}; end case`,
  (one) => `l: loop ${one}; leave l; end loop`,
  (one) => `loop ${one}; end loop`,
  (one) => `while 1 do ${one}; end while`,
  (one) => `repeat ${one}; until 1 end repeat`,
  (one) => `for i in 1..1 do ${one}; end for`,
  (one) => `for r in (select 1) do ${one}; end for`,
  (one) => `set statement max_statement_time=9 for ${one}`,
  (one) => `set statement max_statement_time = 9, lock_wait_timeout=1 for ${one}`,
  (one) => `begin not atomic set statement max_statement_time=9 for ${one}; end`,
  (one) =>
    `begin not atomic declare exit handler for sqlexception ${one}; signal sqlstate '45000'; end`,
  (one) => `begin not atomic declare continue handler for 1051 ${one}; select 1; end`,
  (one) => `begin not atomic declare exit handler for sqlstate '45000' ${one}; select 1; end`,
  (one) => `begin not atomic declare exit handler for not found begin ${one}; end; select 1; end`,
  (one) =>
    `begin not atomic declare c condition for 1051; declare exit handler for c, 1052 ${one}; select 1; end`,
  (one) => `create procedure p() ${one}`,
  (one) => `create or replace procedure p(in a int) modifies sql data begin ${one}; end`,
  (one) => `create trigger t after insert on a for each row ${one}`,
  (one) => `create event e on schedule every 1 day do ${one}`,
  (one) => `if 0 then select 1 as end; else ${one}; end if`,
  (one) => `if 0 then select 1 end; elseif 1 then ${one}; end if`,
  (one) => `case 1 when 2 then select 1 as end; when 1 then ${one}; end case`,
  (one) => `begin select nosuch; exception when others then ${one}; end`,
  (one) =>
    `begin not atomic declare open condition for 1146; declare exit handler for open ${one}; end`,
  (one) => `alter event e do ${one}`,
  (one) => `alter definer = a@b event e on schedule every 2 day rename to f do begin ${one}; end`,
  (one) => `/*!50000 begin not atomic */ ${one}; end`,
  (one) => `/*M!100100 if 1 then */ ${one}; end if`,
  (one) => `begin goto l; <<l>> ${one}; end`,
];
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const hexOf = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('hex');
const bitsOf = (text: string) =>
  [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
const escaped = (text: string) =>
  [...text].map((char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

/** Literals that MariaDB 10.11 and MySQL run as statements. */
const LITERALS_OF_MYSQL: readonly ((statement: string) => string)[] = [
  (one) => `execute immediate ${quoted(one)}`,
  (one) => `EXECUTE IMMEDIATE "${one.replaceAll('"', '""')}"`,
  (one) => `prepare s from ${quoted(`/* a */ ${one}`)}`,
  (one) => `prepare \`s\` from _utf8mb4${quoted(one)}`,
  (one) => `set @a = ${quoted(one)}`,
  (one) => `set @b = 1, @\`a b\` := N${quoted(one)}`,
  (one) => `execute immediate ${quoted(one.slice(0, 4))} ${quoted(one.slice(4))}`,
  (one) => `execute immediate '${one.replaceAll("'", "''").replace(/^./, '\\$&')}'`,
  (one) => `begin not atomic execute immediate ${quoted(one)}; end`,
  (one) => `execute immediate ${quoted(`execute immediate ${quoted(one)}`)}`,
  (one) => `execute immediate ${quoted(`begin not atomic ${one}; end`)}`,
  (one) => `call sys.execute_prepared_stmt(${quoted(one)})`,
  (one) => `select spider_direct_sql(${quoted(one)}, '', 'srv "a"')`,
  (one) => `select "spider_direct_sql" (${quoted(one)}, '', 'srv "a"')`,
  (one) => `create procedure p() execute immediate ${quoted(one)}`,
  (one) => `execute immediate x'${hexOf(one)}'`,
  (one) => `execute immediate 0x${hexOf(one).toUpperCase()}`,
  (one) => `execute immediate b'${bitsOf(one)}'`,
  (one) => `execute immediate 0b${bitsOf(one)}`,
  (one) => `execute immediate _utf8mb4 X'${hexOf(one)}'`,
  (one) => `execute immediate _utf16le x'${hexOf(one, 'utf16le')}'`,
  (one) => `execute immediate _ucs2 0x00${hexOf(one, 'utf16le').slice(0, -2)}`,
  (one) => `execute immediate _utf32'${quoted(one.replace(/[\s\S]/g, '\\0\\0\\0$&')).slice(1)}`,
  (one) => `prepare s from 0x${hexOf(one)}`,
  (one) => `set @a = x'${hexOf(one)}'`,
  (one) => `select ${quoted(one)} into @a`,
  (one) => `select 1, ${quoted(one)} into @\`b\`, @a`,
  (one) => `select @a := (${quoted(one)})`,
  (one) => `set @a = (${quoted(one)})`,
  (one) => `set @a = if(1, ${quoted(one)}, '')`,
  (one) => `execute immediate (${quoted(one)})`,
  (one) => `execute immediate concat('', ${quoted(one)})`,
  (one) => `execute immediate case when 1 then ${quoted(one)} end`,
  (one) => `execute immediate ${quoted(`/*!50000 ${one} */`)}`,
  (one) => `execute immediate ${quoted(`/*M! ${one} */`)}`,
  (one) => `prepare s from (select ${quoted(one)})`,
  (one) => `begin not atomic declare v text default ${quoted(one)}; execute immediate v; end`,
  (one) => `begin not atomic declare v text; set v = ${quoted(one)}; execute immediate v; end`,
  (one) => `declare v varchar2(99) := ${quoted(one)}; begin execute immediate v; end`,
  (one) =>
    `insert into t values (${quoted(one)}); select a into @a from t; prepare s from @a; execute s`,
];
const LITERALS_OF_POSTGRESQL: readonly ((statement: string) => string)[] = [
  (one) => `do $$ begin ${one}; end $$`,
  (one) => `do $$declare a int; begin perform 1; if a then ${one}; end if; end$$ language plpgsql`,
  (one) => `DO LANGUAGE plpgsql ${quoted(`begin ${one}; end`)}`,
  (one) => `do E'begin ${escaped(one)}; end'`,
  (one) => `do 'begin '\n${quoted(`${one}; end`)}`,
  (one) =>
    `do U&${quoted(`begin ${one.replace(/^./, (char) => `\\00${char.charCodeAt(0).toString(16)}`)}; end`)}`,
  (one) => `do $a$ begin execute $b$${one}$b$; end $a$`,
  (one) => `do $a$ begin execute format($b$${one}$b$, 1); end $a$`,
  (one) => `do $a$ begin execute $b$ do $c$ begin ${one}; end $c$ $b$; end $a$`,
  (one) => `create function f() returns void language sql as ${quoted(one)}`,
  (one) => `create or replace procedure f(a int) as $a$ select 1; ${one} $a$ language sql`,
  (one) => `select pg_catalog.query_to_xml(${quoted(one)}, true, false, '')`,
  (one) => `select * from dblink('dbname=a', ${quoted(one)}) as t (a int)`,
  (one) => `select "dblink_exec"(${quoted(one)})`,
  (one) => `select U&"\\0071uery_to_xml"(${quoted(one)}, true, false, '')`,
  (one) =>
    `select U&"${[...'query_to_xml'].map((char) => `\\+0000${hexOf(char)}`).join('')}"(${quoted(one)})`,
  (one) => `select U&"!0071uery_to_xml" uescape '!' (${quoted(one)}, true, false, '')`,
  (one) =>
    `do U&${quoted(`begin ${one.replace(/^./, (char) => `!+0000${hexOf(char)}`)}; end`)} uescape '!'`,
  (one) => `do $\u{1f600}$ begin ${one}; end $\u{1f600}$`,
  (one) => `do $$ begin execute ${quoted(`/* /* */ a */ ${one}`)}; end $$`,
  (one) => `do $$ begin execute (${quoted(one)}); end $$`,
  (one) => `do $$ begin execute concat('', ${quoted(one)}); end $$`,
  (one) => `do $$ declare v text := ${quoted(one)}; begin execute v; end $$`,
  (one) => `do $$ declare v text; begin select ${quoted(one)} into v; execute v; end $$`,
  (one) =>
    `insert into t values (${quoted(one)}); do $$ begin execute (select a from t limit 1); end $$`,
  (one) =>
    `do $a$ begin insert into t values (${quoted(one)}); do $b$ begin execute (select a from t); end $b$; end $a$`,
  (one) =>
    `do $a$ begin insert into t values (${quoted(one)}); end $a$; do $b$ begin execute (table t); end $b$`,
];
/** Writing statements that EXPLAIN and ANALYZE accept. */
const EXPLAINED: readonly ((statement: string) => string)[] = [
  (one) => `analyze ${one}`,
  (one) => `analyze format=json ${one}`,
  (one) => `analyze format='json' ${one}`,
  (one) => `analyze format=\`json\` ${one}`,
  (one) => `explain ${one}`,
  (one) => `explain extended ${one}`,
];
const OF_POSTGRESQL: readonly ((statement: string) => string)[] = [
  (one) => `explain analyze ${one}`,
  (one) => `EXPLAIN ANALYZE VERBOSE ${one}`,
  (one) => `explain (analyze, buffers off) ${one}`,
  (one) => `explain (analyze) /* ( */ ${one}`,
  (one) => `prepare s as ${one}`,
  (one) => `prepare s (int, text) as ${one}`,
  (one) => `create rule r as on insert to t do also ${one}`,
  (one) => `create rule r as on insert to t do instead (select 1; ${one})`,
  (one) => `create or replace function f() returns void begin atomic ${one}; end`,
];
const WITH_RESULT: readonly ((statement: string) => string)[] = [
  (one) => `with d as (${one}) select 1`,
  (one) => `with d as materialized (${one}) select 1`,
  (one) => `with a as (select 1), d (x) as (${one}) select 1`,
  (one) => `copy (${one}) to stdout`,
  (one) => `create table z as with d as (${one}) select 1`,
  (one) => `explain analyze with d as (${one}) select 1`,
  (one) => `with a as (select 1) ${one}`,
];

const groupOf = (name: string) => {
  const group = COMMAND_LIBRARY.find((one) => one.name === name);
  if (!group) throw new Error(`no group ${name}`);
  return group.rules;
};
const isMatched = (rule: string, texts: readonly string[]) => {
  const pattern = new RegExp(rule.replace(/^\(\?i\)/, ''), 'i');
  return texts.some((text) => pattern.test(text));
};

describe.each([
  ['mysql', [...OF_MARIADB, ...EXPLAINED, ...LITERALS_OF_MYSQL]],
  ['postgresql', [...OF_POSTGRESQL, ...LITERALS_OF_POSTGRESQL]],
] as const)('the rules of the command library for %s', (dialect, wrappers) => {
  it.each(groupOf(dialect).map(({ id, content, example }) => [id, content, example] as const))(
    'matches the example of %s inside of every statement that can carry it',
    (_id, content, example) => {
      expect(isMatched(content, decided(example, dialect))).toBe(true);
      const missed = wrappers
        .map((wrap) => wrap(example))
        .filter((text) => !isMatched(content, decided(text, dialect)));
      expect(missed).toEqual([]);
    },
  );
});

it('finds writing statements in CTEs, COPY and tables of queries', () => {
  for (const one of ['delete from t', 'update t set a = 1', 'insert into t values (1)'])
    for (const wrap of WITH_RESULT) expect(decided(wrap(one), 'postgresql')).toContain(one);
  expect(inner('copy (select * from secrets) to stdout', 'postgresql')).toEqual([
    'select * from secrets',
  ]);
  expect(inner('declare c cursor with hold for select * from secrets', 'postgresql')).toEqual([
    'select * from secrets',
  ]);
});

it('finds no statement in literals that are values', () => {
  for (const text of [
    "insert into notes values ('drop table is forbidden', 'delete from t')",
    "select 'drop table t' as immediate",
    "update t set a = 'drop table t' where b = 'immediate'",
    "comment on table t is 'create table'",
    "select 'drop table t' from t where prepare = 'a'",
    "insert into t (into_a) values ('drop table t'), ('a@b')",
    "update t set a = 0x64726f70207461626c652074, b = x'64726f70207461626c652074'",
  ]) {
    expect(inner(text, 'postgresql')).toEqual([]);
    expect(inner(text, 'mysql')).toEqual([]);
  }
  expect(inner("select 'drop table t', @a, b from t where @c = 1", 'mysql')).toEqual([]);
  expect(inner("set @message = 'done', @name = 'drops'", 'mysql')).toEqual([]);
  expect(inner("create type a as enum ('drop table t')", 'postgresql')).toEqual([]);
});

it('decides literals in literals in linear time, or not at all', () => {
  const tags = Array.from({ length: 9 }, (_, at) => `$a${at}$`);
  const nested = (depth: number, one: string) =>
    tags.slice(0, depth).reduce((text, tag) => `do ${tag} begin ${text}; end ${tag}`, one);
  expect(decided(nested(8, 'drop table t'), 'postgresql')).toContain('drop table t');
  expect(readingsOf(nested(9, 'drop table t'), 'postgresql')).toBeUndefined();
  const started = process.cpuUsage();
  const many = 'execute $a$ '.repeat(9_000);
  expect(decided(many, 'postgresql').length).toBeGreaterThan(0);
  const long = `do $$ begin ${"execute 'drop table t'; ".repeat(4_000)} end $$`;
  expect(decided(long, 'postgresql').filter((one) => one === 'drop table t')).toHaveLength(4_000);
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(4_000);
});

it('decides no encoded literal whose comments and backslashes the text does not show', () => {
  const run = (one: string) => `execute immediate x'${hexOf(one)}'`;
  expect(decided(run('drop /* a */ table t'), 'mysql')).toContain('drop table t');
  expect(readingsOf(run('drop/*M!999999 junk*/table t'), 'mysql')).toBeUndefined();
  expect(readingsOf(run("select 'a\\', 'b'"), 'mysql')).toBeUndefined();
  expect(
    decided(`select 1 /*M!999999 junk*/; ${run('drop/*M!999999 junk*/table t')}`, 'mysql'),
  ).toContain('drop table t');
  expect(readingsOf("do U&'begin !005c; end' uescape '!'", 'postgresql')).toBeUndefined();
});

it('finds no statement in ordinary statements', () => {
  for (const text of [
    'select * from a where b in (select c from d) order by e for update',
    'select case when a then replace(b, 1, 2) else truncate(c, 1) end from t',
    'insert into t (a) select b from c on duplicate key update a = values(a)',
    'insert into t (a) values (1), (2)',
    'grant select, insert, delete on a.* to b',
    'alter table t add foreign key (a) references b (c) on delete cascade on update set null',
    'update t set a = if(b, 1, 2), c = repeat(d, 3) where e',
    'delete from t where a',
    'select a as comment, b as start, c as open from t union select 1, 2, 3',
  ])
    expect(inner(text, 'mysql')).toEqual([]);
  for (const text of [
    'insert into t values (1) on conflict (a) do update set b = excluded.b',
    'merge into t using s on t.a = s.a when matched then delete when not matched then insert (a) values (1)',
    'select case when a then b else c end from (select 1) d (a, b, c) for update skip locked',
    'create policy p on t for delete using (true)',
    'with a as (select 1) select * from a',
    'select (values (1)), array(select 2)',
  ])
    expect(inner(text, 'postgresql')).toEqual([]);
});

it('keeps a block of MariaDB in one statement', () => {
  const texts = (text: string, dialect: Dialect = 'mysql') =>
    statementsOf(text, dialect).map((statement) => statement.text);
  for (const block of [
    'begin not atomic select 1; if 1 then select 2; end if; end',
    'if 1 then select case when 1 then 2 end; end if',
    'l: loop leave l; end loop',
    'l: while 1 do select if(1, 2, 3), repeat(1, 2); end while',
    'case 1 when 1 then begin select 1; end; end case',
    'for i in 1..2 do select i; end for',
  ])
    expect(texts(`${block}; select 3`)).toEqual([block, 'select 3']);
  expect(texts('begin; select 1; commit')).toEqual(['begin', 'select 1', 'commit']);
  expect(texts('begin work; select 1')).toEqual(['begin work', 'select 1']);
  expect(texts('begin not atomic select 1; end', 'postgresql')).toEqual([
    'begin not atomic select 1',
    'end',
  ]);
});

const reads = (text: string, dialect: Dialect) =>
  statementsOf(text, dialect).every((statement) => isReadingOnly(statement, dialect));

it('accepts transaction control without other words as reading', () => {
  for (const text of [
    'begin',
    'BEGIN WORK',
    'start transaction',
    'start transaction read only',
    'start transaction with consistent snapshot, read only',
    'begin isolation level repeatable read, read only, not deferrable',
    'begin transaction isolation level serializable read only deferrable',
    'commit',
    'commit and no chain no release',
    'end transaction',
    'abort',
    'rollback',
    'rollback to savepoint a',
    'rollback work to `a b`',
    'savepoint begin_1',
    'release savepoint a',
    'release a',
  ])
    expect(reads(text, 'mysql'), text).toBe(true);
});

it('rejects everything else that begins with a word of transaction control as writing', () => {
  for (const wrap of OF_MARIADB)
    for (const one of ['set session tx_read_only=0', 'kill 5', "execute immediate concat('a')"])
      expect(reads(wrap(one), 'mysql'), wrap(one)).toBe(false);
  for (const text of [
    'begin not atomic select 1; end',
    'begin read write',
    'start transaction read write',
    'start transaction isolation level serializable, read write',
    'start slave',
    'start replica',
    'start group_replication',
    "commit prepared 'a'",
    "rollback prepared 'a'",
    'end if',
    'savepoint',
    'abort everything',
    `begin ${'read only, '.repeat(100)}read only`,
  ])
    expect(reads(text, 'mysql'), text).toBe(false);
});

it('decides a long text of nested statements in linear time, or not at all', () => {
  const nested = `${'begin not atomic '.repeat(7_000)} select 1; ${'end; '.repeat(7_000)}`;
  const started = process.cpuUsage();
  expect(readingsOf(nested, 'mysql')).toBeUndefined();
  const flat = `begin not atomic ${'delete from t; '.repeat(8_000)} end`;
  expect(decided(flat, 'mysql')).toHaveLength(8_001);
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(4_000);
});
