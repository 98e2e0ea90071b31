import { COMMAND_LIBRARY } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { type Connection, createConnection } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CARRIED, type CarriedStatement } from '../../../testing/databases/carried-statements.ts';
import { type Mariadb, startMariadb } from '../../../testing/databases/mariadb.ts';
import { type PostgresServer, startPostgres } from '../../../testing/databases/postgres-server.ts';
import { readingsOf } from './readings.ts';
import type { Dialect } from './tokens.ts';

// The servers are the reference: if one of them drops the table, then some reading of the text has
// the statement that drops it.

const NAME = 'victim';
let mariadb: Mariadb;
let mysql: Connection;
let postgres: PostgresServer;
let postgresql: pg.Client;
beforeAll(async () => {
  [mariadb, postgres] = await Promise.all([startMariadb(), startPostgres()]);
  mariadb.sql("create user lexer identified by 'pw'; grant all on shop.* to lexer");
  mysql = await createConnection({
    ...{ host: '127.0.0.1', port: mariadb.port, user: 'lexer', password: 'pw' },
    ...{ database: 'shop', multipleStatements: true },
  });
  mysql.on('error', () => undefined);
  await postgres.admin("create role lexer superuser login password 'pw'");
  postgresql = new pg.Client({
    ...{ host: '127.0.0.1', port: postgres.port, user: 'lexer', password: 'pw' },
    database: 'postgres',
  });
  postgresql.on('error', () => undefined);
  await postgresql.connect();
});
afterAll(async () => {
  await mysql?.end();
  await postgresql?.end();
  await mariadb?.stop();
  await postgres?.stop();
});

const QUOTES = [
  ...[
    "'",
    "''",
    '"',
    '`',
    '\\',
    "\\'",
    '$',
    '$$',
    '$a$',
    '$\u{1f600}$',
    '$\u{10ffff}b$',
    "E'",
    "U&'",
  ],
  ...['U&"', "N'", "x'"],
];
const COMMENTS = [
  ...['-', '--', '-- ', '--\t', '#', '/*', '*/', '/*!', '/*!50000 ', '/*!999999 ', '/*M!100100 '],
  ...['/*+ ', '\n', '\r', '\v', '\f', '\x7f', '\x01', '\x1a'],
];
const LETTERS = [
  ...['a', ' as a', ' as ', '`a`', "'x'", '"x"', 'é', '\u00a0', '\u3000', '\u0085', '\u{1f600}'],
  ...['1', '1e', '$1', '@', '@@', '.', ',', '=', '(', ')', ' ', '; select 2', 'end'],
];
const pieces = (maxLength: number) =>
  fc
    .array(fc.constantFrom(...QUOTES, ...COMMENTS, ...LETTERS), { maxLength })
    .map((parts) => parts.join(''));
const hidden = fc
  .tuple(
    fc.constantFrom('select 1', 'select 1 as a', "select 'x'", 'select 1 as "q"', 'select @a'),
    pieces(6),
    fc.constantFrom(';', '\n;', '\r;', '*/;'),
    fc.constantFrom('', ';', ' -- ', ' #', '/*'),
    pieces(5),
  )
  .map(
    ([begin, before, end, after, rest]) =>
      `${begin}${before}${end} drop table ${NAME}${after}${rest}`,
  );

const isRead = (text: string, dialect: Dialect) =>
  readingsOf(text, dialect)?.some((statements) =>
    statements.some(({ line }) => line.startsWith(`drop table ${NAME}`)),
  ) ?? true;
/** Runs a text that may have any error. */
const attempt = (query: Promise<unknown>) =>
  query.then(
    () => undefined,
    () => undefined,
  );

it('reads each statement that MariaDB 10.11 runs, in every mode of its quotes', {
  timeout: limitOf(300_000),
}, async () => {
  const modes = fc.constantFrom('', 'ansi_quotes', 'no_backslash_escapes', 'oracle');
  await fc.assert(
    fc.asyncProperty(hidden, modes, async (text, mode) => {
      await mysql.query(`set sql_mode='${mode}'; create table if not exists ${NAME} (a int)`);
      await attempt(mysql.query(text));
      const [left] = await mysql.query(`show tables like '${NAME}'`);
      if (Array.isArray(left) && left.length === 0) expect(isRead(text, 'mysql')).toBe(true);
    }),
    {
      ...runs(1_500),
      examples: [
        [`select 1 # \r'\n; drop table ${NAME}; # '`, ''],
        [`select 1 as a#'\n; drop table ${NAME}; #'`, ''],
        [`select 1 --\x7f'\n; drop table ${NAME}; -- '`, ''],
        [`select 'x\\'' as "a\\"; drop table ${NAME}; -- "`, 'ansi_quotes'],
      ],
    },
  );
});

it('reads each statement that PostgreSQL 18 runs, in both modes of its strings', {
  timeout: limitOf(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(hidden, fc.boolean(), async (text, conforms) => {
      await postgresql.query(
        `rollback; set standard_conforming_strings=${conforms}; create table if not exists ${NAME} ()`,
      );
      await attempt(postgresql.query(text));
      const { rows } = await postgresql.query(`select to_regclass('${NAME}') as left`);
      if (rows[0]?.left === null) expect(isRead(text, 'postgresql')).toBe(true);
    }),
    {
      ...runs(1_500),
      examples: [
        [`select 1 as \u{1f600}$a$; drop table ${NAME}; select 2 as \u{1f600}$a$`, true],
        [`select 1 as \u00a0$a$; drop table ${NAME}; select 2 as \u00a0$a$`, true],
        [`select 'a\\'; drop table ${NAME}; -- '`, true],
        [`select $\u{1f600}$ ' $\u{1f600}$; drop table ${NAME}; select ' $\u{1f600}$ '`, true],
      ],
    },
  );
});

/** Returns true if the rule matches a statement of some reading, or the text is not decided. */
function isMatched({ rule, text }: CarriedStatement, dialect: Dialect): boolean {
  const content = COMMAND_LIBRARY.flatMap(({ rules }) => rules).find(
    ({ id }) => id === rule,
  )?.content;
  if (content === undefined) throw new Error(`no rule ${rule}`);
  const pattern = new RegExp(content.replace(/^\(\?i\)/, ''), 'i');
  const readings = readingsOf(text, dialect)?.flat();
  return (
    readings
      ?.flatMap((statement) => [statement, ...(statement.inner ?? [])])
      .some(({ spelled: { lines, spellings } }) =>
        [...lines, ...spellings].some((line) => pattern.test(line)),
      ) ?? true
  );
}

it.each(['mysql', 'oracle'] as const)(
  'matches a rule of the library against each carried statement that MariaDB 10.11 runs: %s',
  async (kind) => {
    let effects = 0;
    await fc.assert(
      fc.asyncProperty(CARRIED[kind], async (carried) => {
        await mysql.query(
          `set sql_mode='${kind === 'oracle' ? 'oracle' : ''}'; create or replace table v (a int, b int);
           insert into v values (1, 1); create table if not exists texts (a text); truncate texts`,
        );
        await attempt(mysql.query(carried.text));
        await mysql.query('rollback');
        const left = await mysql.query('select b from v').catch(() => undefined);
        if (Array.isArray(left?.[0]) && left[0].length > 0) return;
        effects += 1;
        expect(isMatched(carried, 'mysql')).toBe(true);
      }),
      runs(400),
    );
    expect(effects).toBeGreaterThan(10);
  },
  limitOf(300_000),
);

it('matches a rule of the library against each carried statement that PostgreSQL 18 runs', {
  timeout: limitOf(300_000),
}, async () => {
  let effects = 0;
  await fc.assert(
    fc.asyncProperty(CARRIED.postgresql, async (carried) => {
      for (const reset of ['rollback', 'discard all']) await postgresql.query(reset);
      await postgresql.query(
        `drop schema public cascade; create schema public;
         create table v as select 1 as a, 1 as b; create table texts (a text)`,
      );
      await attempt(postgresql.query(carried.text));
      await postgresql.query('rollback');
      const left = await postgresql.query('select b from v').catch(() => undefined);
      if ((left?.rowCount ?? 0) > 0) return;
      effects += 1;
      expect(isMatched(carried, 'postgresql')).toBe(true);
    }),
    runs(800),
  );
  expect(effects).toBeGreaterThan(20);
});
