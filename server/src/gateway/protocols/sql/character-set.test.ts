import { expect, it } from 'vitest';
import { atOnce } from '../../../platform/slices.ts';
import { characterSetChange, worstOf } from './character-set.ts';
import { isReadingOnly } from './reading-only.ts';
import { readingsOf } from './readings.ts';
import { cutStatements, statementsOf } from './statements.ts';
import type { Dialect } from './tokens.ts';

const change = (text: string, dialect: Dialect) =>
  worstOf((readingsOf(text, dialect) ?? []).flat().map((one) => characterSetChange(one, dialect)));

it("recognizes all MySQL statements that change the session's character set", () => {
  for (const set of [
    'gbk',
    'big5',
    'sjis',
    'gb18030',
    "'gbk'",
    '`gbk`',
    'cp932',
    'latin1',
    'default',
  ])
    for (const text of [
      `set names ${set}`,
      `SET /* x */ NAMES ${set} COLLATE any_bin`,
      `set character set ${set}`,
      `set charset ${set}`,
      `set char set ${set}`,
      `SET @a = 1, CHAR/**/SET ${set}`,
      `set character_set_client = ${set}`,
      `set session character_set_client := ${set}`,
      `set @@character_set_client = ${set}`,
      `set @@session.character_set_connection = ${set}`,
      `set \`character_set_client\` = ${set}`,
      `set time_zone = '+00:00', names ${set}`,
      `set @a = (select 1, 2), character_set_results = ${set}`,
      `/*!40101 set names ${set} */`,
      `select 1; set names ${set}`,
      `set statement character_set_client = ${set} for select 1`,
    ])
      expect([text, change(text, 'mysql')]).toEqual([text, 'other']);
  for (const text of [
    'set character_set_client = @saved',
    "set character_set_client = concat('g', 'bk')",
    "execute immediate concat('set names', ' gbk')",
    'prepare a from @b',
  ])
    expect([text, change(text, 'mysql')]).toEqual([text, 'computed']);
  for (const text of [
    'set names utf8mb4',
    "SET NAMES 'utf8' COLLATE 'utf8_general_ci'",
    'set character_set_results = NULL',
    "set session character_set_results = 'binary'",
    'set collation_connection = utf8mb4_unicode_ci',
  ])
    expect([text, change(text, 'mysql')]).toEqual([text, 'utf8']);
  for (const text of [
    'set @saved = @@character_set_client',
    "select 'set names gbk'",
    'set @character_set_client = gbk',
    'set autocommit = 0, sql_mode = @a',
    'update names set a = 1',
  ])
    expect([text, change(text, 'mysql')]).toEqual([text, 'none']);
});

it("recognizes all PostgreSQL statements that change the session's character set", () => {
  for (const set of ['SJIS', 'BIG5', 'GBK', 'GB18030', 'LATIN1', 'SQL_ASCII'])
    for (const text of [
      `set names '${set}'`,
      `set client_encoding = ${set}`,
      `set local client_encoding to '${set}'`,
      `set session "client_encoding" = '${set}'`,
      `select set_config('client_encoding', '${set}', false)`,
      `select "set_config" ( 'Client_Encoding' , '${set}', false)`,
      `select pg_catalog.U&"\\0073et_config"('client_encoding', '${set}', false)`,
      `update pg_settings set setting = '${set}' where name = 'client_encoding'`,
    ])
      expect([text, change(text, 'postgresql')]).toEqual([text, 'other']);
  for (const text of [
    "select set_config('client' || '_encoding', 'SJIS', false)",
    "select set_config(name, 'SJIS', false) from pg_settings",
    "select set_config(E'client\\x5fencoding', 'SJIS', false)",
    `select U&"!0073et_config" uescape '!' ('client_encoding', 'SJIS', false)`,
  ])
    expect([text, change(text, 'postgresql')]).toEqual([text, 'computed']);
  for (const text of [
    "set client_encoding = 'UTF8'",
    "set names 'utf-8'",
    'set client_encoding to default',
    "select set_config('client_encoding', 'utf8', false)",
  ])
    expect([text, change(text, 'postgresql')]).toEqual([text, 'utf8']);
  expect(
    change(
      "select set_config(name, 'gbk', false) from pg_settings where name = 'client_encoding'",
      'postgresql',
    ),
  ).toBe('other');
  for (const text of [
    "select pg_catalog.set_config('search_path', '', false)",
    'set search_path = a, b',
    "select 'set_config'",
    'reset all',
  ])
    expect([text, change(text, 'postgresql')]).toEqual([text, 'none']);
});

it('matches quoted names of functions and settings, and allows a single assignment only', () => {
  const reads = (text: string, dialect: Dialect) =>
    statementsOf(text, dialect).every((one) => isReadingOnly(one, dialect));
  for (const text of [
    `select "set_config"('default_transaction_read_only', 'off', false)`,
    `select pg_catalog . "lo_import"('/etc/passwd')`,
    `select U&"!0073et_config" uescape '!' ('default_transaction_read_only', 'off', false)`,
  ])
    expect([text, reads(text, 'postgresql')]).toEqual([text, false]);
  for (const text of [
    "set time_zone = '+00:00', `tx_read_only` = 0",
    'set names utf8mb4, tx_read_only = 0',
    'set time_zone = (@@tx_read_only := 0)',
    'set `tx_read_only` = 0',
  ])
    expect([text, reads(text, 'mysql')]).toEqual([text, false]);
  for (const text of [
    'select "update", "do" from "call"',
    'set search_path = a, b',
    'set statement_timeout to 0',
  ])
    expect([text, reads(text, 'postgresql')]).toEqual([text, true]);
  for (const text of [
    'select `replace` from `call`',
    "set @@session.time_zone = '+00:00'",
    'set names utf8mb4',
  ])
    expect([text, reads(text, 'mysql')]).toEqual([text, true]);
});

it('rejects a text with too many meanings for its length', () => {
  const views = '/*!50001 create */ /*!50013 definer = a */ /*!50001 view v as select 1 */';
  expect(readingsOf(views, 'mysql')).toHaveLength(3);
  expect(readingsOf(`${views} ${"'\\\\'".repeat(25_000)}`, 'mysql')).toBeUndefined();
});

it('cuts a text into the same statements as its usual reading', () => {
  const text =
    "select ';' ; ; -- a; b\n create procedure p() begin select 1; end; select 2 /* ; */";
  for (const dialect of ['mysql', 'postgresql'] as const)
    expect(atOnce(cutStatements(text, dialect, 10))).toEqual(
      statementsOf(text, dialect).map((statement) => statement.text),
    );
  expect(atOnce(cutStatements('1;2;3', 'mysql', 2))).toBeUndefined();
});
