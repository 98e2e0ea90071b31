import { expect, it } from 'vitest';
import { endsTransaction, isMixed, isReadingOnly, runsPrepared } from './reading-only.ts';
import { statementsOf } from './statements.ts';
import type { Dialect } from './tokens.ts';

/** The account that signed in. */
const ACCOUNT = 'reports';
const reads = (text: string, dialect: Dialect) =>
  statementsOf(text, dialect).every((statement) => isReadingOnly(statement, dialect, ACCOUNT));
const check = (texts: readonly string[], dialect: Dialect, expected: boolean) =>
  expect(texts.filter((text) => reads(text, dialect) !== expected)).toEqual([]);

/** The first statements of client programs, as their sources and logs show them. */
const STARTS_AT_POSTGRESQL = [
  // pgjdbc 42.7, DBeaver and DataGrip
  "SET extra_float_digits = 3; SET application_name = 'PostgreSQL JDBC Driver'",
  'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
  'SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  'SET search_path = public,"$user"',
  'SHOW search_path',
  // pgAdmin 4
  "SET DateStyle=ISO; SET client_min_messages=notice; SELECT set_config('bytea_output','hex',false) FROM pg_show_all_settings() WHERE name = 'bytea_output'; SET client_encoding='utf-8';",
  // Django and psycopg
  "SELECT set_config('TimeZone', 'UTC', false)",
  "SELECT set_config('TimeZone', $1, false)",
  'DECLARE "a" NO SCROLL CURSOR WITH HOLD FOR SELECT 1; FETCH FORWARD 100 FROM "a"; CLOSE "a"',
  // asyncpg and Npgsql give a connection back to their pools.
  'SELECT pg_advisory_unlock_all();\nCLOSE ALL;\nUNLISTEN *;\nRESET ALL;',
  'SET SESSION AUTHORIZATION DEFAULT;RESET ALL;CLOSE ALL;UNLISTEN *;SELECT pg_advisory_unlock_all();DISCARD SEQUENCES;DISCARD TEMP',
  'DISCARD ALL',
  'DEALLOCATE ALL',
  // pg_dump 15
  "SELECT pg_catalog.set_config('search_path', '', false)",
  "SELECT set_config(name, 'view, foreign-table', false) FROM pg_settings WHERE name = 'restrict_nonsystem_relation_kind'",
  'SET DATESTYLE = ISO; SET INTERVALSTYLE = POSTGRES; SET synchronize_seqscans TO off; SET row_security = off',
  'SET idle_in_transaction_session_timeout = 0; SET lock_timeout = 0; SET statement_timeout = 0',
  'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY',
  "SET TRANSACTION SNAPSHOT '00000003-1'",
  'LOCK TABLE public.victim, "b" IN ACCESS SHARE MODE',
  "PREPARE dumpFunc(pg_catalog.oid) AS SELECT 1; EXECUTE dumpFunc('15')",
  'COPY public.victim (id, "to") TO stdout;',
  'COPY (SELECT a FROM b) TO STDOUT WITH (FORMAT csv)',
  // Flyway 13.12
  "SET ROLE 'reports'",
  // PDO of PHP 8.2
  "COPY t TO STDIN DELIMITER E'\\t' NULL AS E'\\\\N'",
];
const READS_AT_POSTGRESQL = [
  'MOVE NEXT FROM a',
  'LISTEN a',
  'UNLISTEN a',
  'SET work_mem = 4096; SET jit = off; SET LOCAL enable_seqscan TO on; SET standard_conforming_strings = on',
  "SET TIME ZONE 'UTC'; SET SESSION TIME ZONE LOCAL; SET SCHEMA 'a'; SET SEED TO 0.5",
  "SET my.setting = 'a'",
  'SET CONSTRAINTS ALL DEFERRED',
  'SET default_transaction_read_only = on',
  "SET LOCAL transaction_read_only TO 'on'",
  "select set_config('default_transaction_read_only', 'on', true)",
  'RESET search_path; RESET ROLE; RESET TIME ZONE; RESET SESSION AUTHORIZATION',
  'explain (analyze) select 1',
];
const WRITES_AT_POSTGRESQL = [
  'SET transaction_read_only = off',
  'SET transaction_read_only TO DEFAULT',
  'SET "default_transaction_read_only" = false',
  'SET SESSION default_transaction_read_only TO 0',
  'SET default_transaction_read_only FROM CURRENT',
  'RESET transaction_read_only',
  'SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ WRITE',
  'SET TRANSACTION READ WRITE',
  'SET ROLE a',
  "SET ROLE 'Reports'",
  'SET ROLE "Reports"',
  "SET SESSION ROLE U&'report\\0073'",
  'SET ROLE reports a',
  'SET ROLE NONE',
  "SET SESSION AUTHORIZATION 'reports'",
  'COPY t FROM STDIN',
  'COPY t FROM STDOUT',
  "COPY t TO 'stdin'",
  'COPY (select 1) TO PROGRAM stdin',
  'SET LOCAL ROLE NONE',
  'SET role = a',
  'SET SESSION ROLE a',
  'SET SESSION AUTHORIZATION a',
  'SET LOCAL SESSION AUTHORIZATION a',
  "SET SESSION SESSION AUTHORIZATION 'a'",
  'SET session_authorization TO a',
  'SET session_replication_role = replica',
  'SET zero_damaged_pages = on',
  "select set_config('role', 'a', false)",
  "select set_config('ROLE', 'a', false)",
  "select set_config('session_replication_role', 'replica', false)",
  "select set_config('transaction_read_only', 'off', true)",
  "select set_config('default_transaction_read_only', 'on' || 'x', true)",
  "select set_config('default_transaction_' || 'read_only', 'off', true)",
  "select set_config($1, 'off', true)",
  "select set_config(name, 'off', true) from pg_settings",
  "select set_config(name, 'a', false) from pg_settings where name = 'role'",
  "select set_config(name, 'off', false) from pg_settings where name = 'a' or name = 'role'",
  "select set_config(name, 'off', false) from pg_settings where name = 'a' union select 'role'",
  "select set_config(name, 'off', false) from b where name = 'a'",
  "select 1, set_config(name, 'off', false) from pg_settings where name = 'a'",
  "select set_config(E'ro\\x6ce', 'a', true)",
  "select set_config('ro'\n'le', 'a', true)",
  "select set_config($$role$$, 'a', true)",
  "select set_config(U&'r\\006fle', 'a', true)",
  "select set_config(setting_name => 'role', new_value => 'a', is_local => false)",
  `select "set_config"('role', 'a', true)`,
  "select set_config('search_path', set_config('role', 'a', false), false)",
  'COPY a FROM stdin',
  "COPY a TO '/tmp/a'",
  "COPY a TO PROGRAM 'a'",
  "COPY (select 1) TO PROGRAM 'to stdout'",
  'COPY (delete from a returning 1) TO STDOUT',
  'COPY a ("to") FROM stdin',
  'COPY "to" FROM stdout',
  'LOCK TABLE a',
  'LOCK TABLE a IN ACCESS EXCLUSIVE MODE',
  'LOCK TABLE a IN ROW SHARE MODE',
  'LOCK TABLE "in access share mode"',
  'PREPARE a AS DELETE FROM b',
  'PREPARE a (int) AS INSERT INTO b VALUES ($1)',
  "PREPARE TRANSACTION 'a'",
  'DECLARE a CURSOR FOR SELECT * FROM b FOR UPDATE',
  "NOTIFY a, 'b'",
  'CHECKPOINT',
  'UPDATE pg_settings SET setting = 1',
  'ANALYZE a',
  'LOAD a',
  // Functions that run a text, and locks that other sessions wait for.
  "select query_to_xml('select lo_unlink(1)', true, false, '')",
  "select pg_catalog . query_to_xml_and_xmlschema('select 1', true, false, '')",
  "select query_to_xmlschema('select 1', true, false, '')",
  `select "query_to_xml"('select 1', true, false, '')`,
  String.raw`select U&"q\0075ery_to_xml"('select 1', true, false, '')`,
  "with a as (select * from ts_stat('select b')) table a",
  "explain analyze select ts_rewrite('a', 'select b')",
  "declare a cursor for select * from crosstab3('select b')",
  "prepare a as select * from connectby('b', 'c', 'd', 'e', 0)",
  "copy (select xpath_table('a', 'b', 'c', 'd', 'e')) to stdout",
  "select run_command_on_workers('delete from a')",
  'select pg_advisory_lock(1)',
  'select pg_try_advisory_xact_lock_shared(1)',
  'select pg_stat_statements_reset()',
  "select pg_background_launch('delete from a')",
  // Functions of PostgreSQL 15 to 18 and its extensions that act on the server.
  'select autoprewarm_dump_now()',
  'select pg_buffercache_evict_all()',
  'select pg_stop_making_pinned_objects()',
  'select sepgsql_restorecon(null)',
  "select oracle_execute('a', 'delete from b')",
];

const STARTS_AT_MYSQL = [
  // PyMySQL, mysqlclient, mysql-connector-python, mysqli
  'SET AUTOCOMMIT = 0',
  'set autocommit=1',
  'SET @@session.autocommit = OFF',
  "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_0900_ai_ci'",
  // MySQL Connector/J 9.3 and MariaDB Connector/J 3.5
  'SET character_set_results = NULL',
  "SET sql_mode='ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE'",
  "set autocommit=1, sql_mode = concat(@@sql_mode,',STRICT_TRANS_TABLES')",
  // sqlx 0.8
  "SET sql_mode=(SELECT CONCAT(@@sql_mode, ',PIPES_AS_CONCAT,NO_ENGINE_SUBSTITUTION')),time_zone='+00:00',NAMES utf8mb4 COLLATE utf8mb4_unicode_ci;",
  // Laravel and others lift a rule for one report.
  "SET SESSION sql_mode=(SELECT REPLACE(@@sql_mode,'ONLY_FULL_GROUP_BY',''))",
  "set @@sql_mode = replace(@@session.sql_mode, 'STRICT_TRANS_TABLES', 'NO_ZERO_DATE')",
  "set session_track_schema=1,session_track_system_variables='auto_increment_increment'",
  'SET net_write_timeout=600',
  'SET SESSION TRANSACTION READ ONLY',
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  'SET SQL_SELECT_LIMIT=DEFAULT',
  // mariadb-dump 10.11 and mydumper 0.10
  "/*!40100 SET @@SQL_MODE='' */",
  "/*!40103 SET TIME_ZONE='+00:00' */",
  'SET SESSION NET_READ_TIMEOUT= 86400, SESSION NET_WRITE_TIMEOUT= 86400',
  "SET SESSION character_set_results = 'binary'",
  'SET SQL_QUOTE_SHOW_CREATE=1',
  'LOCK TABLES `victim` READ /*!32311 LOCAL */,`b` AS c READ',
  'UNLOCK TABLES',
  'SET SESSION wait_timeout = 2147483',
  'START TRANSACTION /*!40108 WITH CONSISTENT SNAPSHOT */',
  // phpMyAdmin and HeidiSQL
  "SET collation_connection = 'utf8mb4_unicode_ci'",
  "SET lc_messages = 'en_US'",
  'SET SESSION group_concat_max_len = 1000000; SET PROFILING = 1',
  'SHOW VARIABLES; SELECT CONNECTION_ID(); SHOW /*!50002 GLOBAL */ STATUS',
];
const READS_AT_MYSQL = [
  'select password_reset, crosstable, ts_statistics from a',
  'SET @x = 1, @`a b` := (select 2), @y:=3',
  'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY',
  'SET LOCAL TRANSACTION READ ONLY',
  'SET @@session.`sql_mode` = default, @@local.time_zone := @@global.time_zone',
  'SET tx_read_only = 1, SESSION transaction_read_only = on',
  "SET sql_mode = concat_ws(',', @@session.sql_mode, 'NO_BACKSLASH_ESCAPES')",
  'SET sql_mode = @@global.sql_mode',
  // Percona Toolkit 3.2: the gateway checks the mode after these.
  '/*!40101 SET @OLD_SQL_MODE := @@SQL_MODE, @@SQL_MODE := "", @OLD_QUOTE := @@SQL_QUOTE_SHOW_CREATE, @@SQL_QUOTE_SHOW_CREATE := 1 */',
  '/*!40101 SET @@SQL_MODE := @OLD_SQL_MODE, @@SQL_QUOTE_SHOW_CREATE := @OLD_QUOTE */',
  'SET sql_mode = @x',
  'SET @@session.`sql_mode` := @`a b`, time_zone = @z',
  "SET LOCAL sql_mode = @'x'",
  'SET STATEMENT max_statement_time = 9, sql_mode = default FOR SELECT 1',
  'CHECKSUM TABLE a, b',
  'SHOW CREATE DATABASE IF NOT EXISTS `shop`',
  'show create table `victim`',
  "SELECT replace(a, 'x', 'y'), truncate(1.5, 1), INSERT (a, 1, 1, 'x') FROM b",
  'ANALYZE FORMAT = JSON SELECT 1',
];
const WRITES_AT_MYSQL = [
  'SET tx_read_only = 0',
  'SET autocommit = 0, tx_read_only = default',
  'SET @x = 1, @@session.transaction_read_only = 1 - 1',
  'SET @@tx_read_only := off',
  'SET `tx_read_only` = 0',
  'SET SESSION transaction_read_only = @x',
  'SET SESSION TRANSACTION READ WRITE',
  'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ WRITE',
  'SET GLOBAL TRANSACTION READ ONLY',
  'SET GLOBAL autocommit = 0',
  'SET autocommit = 0, GLOBAL wait_timeout = 1',
  'SET @@global.wait_timeout = 1',
  'SET @@GLOBAL . `wait_timeout` = 1',
  'SET PERSIST wait_timeout = 1',
  'SET @@persist_only.wait_timeout = 1',
  'SET sql_log_bin = 0',
  'SET SESSION binlog_format = "STATEMENT"',
  "SET gtid_next = 'a'",
  'SET wsrep_on = off',
  "SET debug = 'd:t:o,/tmp/a'",
  "SET sql_mode = 'ANSI_QUOTES'",
  "SET sql_mode = 'STRICT_TRANS_TABLES, Oracle'",
  'SET sql_mode = ANSI',
  'SET sql_mode = 4',
  'SET GLOBAL sql_mode = @x',
  'SET @@global.sql_mode = @x',
  'SET sql_mode = @x + 1',
  'SET sql_mode = concat(@x)',
  'SET sql_mode = (select @x)',
  'SET sql_mode = @x := 4',
  'SET sql_mode = @@sql_big_selects',
  'SET STATEMENT sql_mode = @x FOR SELECT 1',
  "SET sql_mode = replace(@@sql_mode, 'A', '')",
  "SET sql_mode = (SELECT concat(@@sql_mode, ',ANSI_QUOTES'))",
  "SET sql_mode = (SELECT replace(@@sql_mode, 'ONLY_FULL_GROUP_BY', 'ANSI_QUOTES'))",
  'SET sql_mode = (SELECT mode FROM settings)',
  'SET sql_mode = (SELECT max(@@sql_mode))',
  "SET PASSWORD = 'a'",
  "SET PASSWORD FOR a = 'a'",
  'SET ROLE a',
  'SET DEFAULT ROLE a FOR b',
  'SET RESOURCE GROUP a',
  "SET 'tx_read_only' = 0",
  'SET time_zone = (@@session.tx_read_only := 0)',
  'SET @x = (@y := 1) + (tx_read_only := 0)',
  'SET hot.key_buffer_size = 1',
  'SET STATEMENT tx_read_only = 0 FOR SELECT 1',
  'SET STATEMENT max_statement_time = 9 FOR KILL 5',
  'SET STATEMENT max_statement_time = 9 FOR SET tx_read_only = 0',
  'SET STATEMENT max_statement_time = 9 FOR DELETE FROM a',
  'LOCK TABLES a WRITE',
  'LOCK TABLES a READ, b LOW_PRIORITY WRITE',
  'LOCK TABLES `read` WRITE',
  'LOCK TABLES a READ, b',
  'LOCK INSTANCE FOR BACKUP',
  'ANALYZE TABLE a',
  'SHOW CREATE TABLE a; DROP TABLE a',
  'SHOW TABLES CREATE',
  'EXPLAIN REPLACE INTO a SELECT 1',
  'ANALYZE FORMAT = JSON DELETE FROM a',
  'UNLOCK INSTANCE',
  'RESET MASTER',
  'RESET ALL',
  'DISCARD ALL',
  'DECLARE a CURSOR FOR SELECT 1',
  "PREPARE a FROM 'select 1'",
  'EXECUTE a',
  'COPY a TO STDOUT',
  'SET',
  "select `sys_exec`('a')",
  "set @a = spider_direct_sql('delete from a', '', 'b')",
  "select spider_copy_tables('a', '0', '1')",
  "select jfile_make('a', '/tmp/a', 2)",
  "select keyring_key_remove('a')",
  "select `group_replication_set_as_primary`('a')",
  "select version_tokens_set('a=b')",
  "select audit_log_filter_remove_user('a')",
  "select sys_set('a', 'b')",
];

it('accepts the statements with which client programs of PostgreSQL begin and read', () => {
  check([...STARTS_AT_POSTGRESQL, ...READS_AT_POSTGRESQL], 'postgresql', true);
});

it('accepts the statements with which client programs of MySQL begin and read', () => {
  check([...STARTS_AT_MYSQL, ...READS_AT_MYSQL], 'mysql', true);
});

it('rejects settings of PostgreSQL that lift the read-only mode or change the account, and writing', () => {
  check(WRITES_AT_POSTGRESQL, 'postgresql', false);
});

it('rejects settings of MySQL that lift the read-only mode, change the reading or reach others', () => {
  check(WRITES_AT_MYSQL, 'mysql', false);
});

it('tells statements that end a transaction and those that run prepared ones', () => {
  const is = (test: typeof endsTransaction, text: string) =>
    statementsOf(text, 'postgresql').some(test);
  for (const text of ['commit and chain', 'END', '/* a */ rollback work'])
    expect(is(endsTransaction, text), text).toBe(true);
  for (const text of ['rollback to savepoint a', 'begin', "select 'commit'"])
    expect(is(endsTransaction, text), text).toBe(false);
  for (const text of ['execute a', 'explain analyze execute a (1)'])
    expect(is(runsPrepared, text), text).toBe(true);
  expect(is(runsPrepared, "select 'execute'")).toBe(false);
});

it('tells texts in which a function could lift the read-only mode and another write', () => {
  const isUnsafe = (dialect: Dialect) => (text: string) =>
    isMixed(statementsOf(text, dialect), dialect);
  expect(
    [
      'select a(); commit; select b()',
      'reset all; rollback work; select b()',
      'begin; select a(); end; begin; select b()',
      'commit and chain; table b',
    ].filter((text) => !isUnsafe('postgresql')(text)),
  ).toEqual([]);
  expect(
    [
      'select a(); select b()',
      'begin; select a(); commit',
      'close a; commit; deallocate all; set work_mem = 4096; show all; reset all',
      'begin; select a(); rollback to b; select c(); commit; begin',
    ].filter(isUnsafe('postgresql')),
  ).toEqual([]);
  expect(
    [
      'select a(); select b()',
      'select `a` (1); show tables',
      'select * from a; select 1',
      'set @x = a(); select 1',
      'table a; select 1',
      'select 1 join a; use b',
      'set sql_mode = @a; select 1',
      'begin; set time_zone = @a, @@session.sql_mode := @`b`; commit',
    ].filter((text) => !isUnsafe('mysql')(text)),
  ).toEqual([]);
  expect(
    [
      'set names utf8mb4; use a; begin; select b(); commit',
      'select 1; select @@version; select * from a',
      'show tables from a; select b()',
      'set @a = 1; set sql_mode = @a',
      "set sql_mode = ''; select 1",
    ].filter(isUnsafe('mysql')),
  ).toEqual([]);
});

it('rejects functions that act in the double quotes of a MySQL server with ANSI_QUOTES', () => {
  const calls = ['get_lock', 'GET_LOCK', 'sys_exec', 'spider_direct_sql', 'keyring_key_remove']
    .flatMap((name) => [`"${name}"('a', 1)`, `"${name}" /* a */ ('a', 1)`])
    .map((call) => `select ${call}`);
  check(calls, 'mysql', false);
  check([`select "get_lock", 'sys_exec', concat("nextval", 'a')`], 'mysql', true);
});
