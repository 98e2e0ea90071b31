import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isReadingOnly } from './reading-only.ts';
import { readingsOf } from './readings.ts';
import { statementsOf } from './statements.ts';
import { type Dialect, tokensOf } from './tokens.ts';

const DIALECTS: readonly Dialect[] = ['mysql', 'postgresql'];
const texts = (text: string, dialect: Dialect) =>
  statementsOf(text, dialect).map((statement) => statement.text);
const readings = (text: string) =>
  readingsOf(text, 'mysql')?.map((reading) => reading.map((statement) => statement.line));
const line = (text: string, dialect: Dialect) =>
  statementsOf(text, dialect).map((statement) => statement.line);

it('splits a text at the ends of statements only', () => {
  for (const dialect of DIALECTS) {
    expect(texts("select 1; ; select ';' ; -- a; b\n/* ; */ select 2", dialect)).toEqual([
      'select 1',
      "select ';'",
      'select 2',
    ]);
    expect(texts('', dialect)).toEqual([]);
    expect(texts('-- nothing\n;;', dialect)).toEqual([]);
    expect(texts("select 'it''s; one'", dialect)).toEqual(["select 'it''s; one'"]);
  }
  expect(texts("select 'a\\'; b'; select 2", 'mysql')).toEqual(["select 'a\\'; b'", 'select 2']);
  expect(texts("select 'a\\'; select 2", 'postgresql')).toEqual(["select 'a\\'", 'select 2']);
  expect(texts("select E'a\\'; b'; select 2", 'postgresql')).toEqual([
    "select E'a\\'; b'",
    'select 2',
  ]);
  expect(texts("select E'a'\n 'b\\'; c'; select 2", 'postgresql')).toEqual([
    "select E'a'\n 'b\\'; c'",
    'select 2',
  ]);
  expect(texts('do $$ begin; end $$; select $a$;$b$;$a$', 'postgresql')).toEqual([
    'do $$ begin; end $$',
    'select $a$;$b$;$a$',
  ]);
  // PostgreSQL 15 and 18 begin a string after a number: syntax error at or near "$$;$$".
  expect(texts('select a$1; select $1; select 1$$;$$', 'postgresql')).toEqual([
    'select a$1',
    'select $1',
    'select 1$$;$$',
  ]);
  expect(texts('select 1 /* a /* b */ ; */ ; select 2', 'postgresql')).toEqual([
    'select 1',
    'select 2',
  ]);
  expect(texts('select 1 /* a /* b */ ; select 2', 'mysql')).toEqual(['select 1', 'select 2']);
  expect(texts('select 1 --1; # a; b\n, `;`', 'mysql')).toEqual(
    ['select 1 --1', ', `;`'].slice(0, 1).concat(', `;`'),
  );
  expect(texts('select ";" , "\\";"', 'mysql')).toEqual(['select ";" , "\\";"']);
});

// Each text ran its second statement on MariaDB 10.11.
it.each([
  ['a carriage return in a comment', "select 1 -- \r'\n; drop table v; -- '"],
  ['a carriage return after #', "select 1 # \r'\n; drop table v; # '"],
  ['a comment directly after a name', "select 1 as a#'\n; drop table v; #'"],
  ['a comment after a variable', "select @a#'\n; drop table v; #'"],
  ['a comment after a Chinese name', "select 1 as 你#'\n; drop table v; #'"],
  ['two hyphens and a control character', "select 1 --\x7f'\n; drop table v; -- '"],
  ['names in double quotes', `select 'x\\'' as "a\\"; drop table v; -- "`],
])('finds the statement of MySQL that %s hides', (_what, text) => {
  const lines = readingsOf(text, 'mysql')
    ?.flat()
    .map(({ line }) => line);
  expect(lines).toContain('drop table v');
});

// Each text ran its second statement on PostgreSQL 15 and 18: to their lexers, every character
// outside of ASCII is a letter.
it.each([
  ['a no-break space', '\u00a0'],
  ['an ideographic space', '\u3000'],
  ['a byte order mark', '\ufeff'],
  ['a line separator', '\u2028'],
  ['an emoji', '\u{1f600}'],
  ['an emoji after a letter', 'a\u{1f600}'],
])('finds the statement of PostgreSQL after a name with %s and dollars', (_what, name) => {
  const text = `select 1 as ${name}$a$; drop table v; select 2 as ${name}$a$`;
  expect(texts(text, 'postgresql')).toEqual([
    `select 1 as ${name}$a$`,
    'drop table v',
    `select 2 as ${name}$a$`,
  ]);
});

it.each(['', 'a', 'é', '\u3000', '\u{1f600}', '\u{10ffff}1'])(
  'finds the statement of PostgreSQL after a string with the tag $%s$',
  (tag) => {
    const text = `select $${tag}$ ' $${tag}$; drop table v; select ' $${tag}$ '`;
    expect(texts(text, 'postgresql')).toContain('drop table v');
  },
);

it('decides no text with a hint whose quote may end after the comment', () => {
  expect(readingsOf('select /*+ qb_name(`a*/`) */ 1; drop table v; -- `', 'mysql')).toBeUndefined();
  expect(readingsOf('select /*+ qb_name(`a`) */ 1', 'mysql')).toHaveLength(1);
});

it('keeps the statements of a rule of PostgreSQL in one statement', () => {
  const rule = 'create or replace rule r as on insert to w do also (select 1; delete from v)';
  const [statement, ...more] = statementsOf(`${rule}; select 2`, 'postgresql');
  expect(statement?.text).toBe(rule);
  expect(statement?.inner?.map(({ line }) => line)).toContain('delete from v');
  expect(more.map(({ text }) => text)).toEqual(['select 2']);
});

it('keeps the body of a routine in one statement', () => {
  const body =
    'create procedure p() begin if a then select 1; end if; case b when 1 then select 2; end case; while c do set d = 1; end while; end';
  expect(texts(`${body}; select 3`, 'mysql')).toEqual([body, 'select 3']);
  const atomic =
    'create function f() returns int begin atomic select case when true then 1 end; select 2; end';
  expect(texts(`${atomic}; select 3`, 'postgresql')).toEqual([atomic, 'select 3']);
  expect(texts('begin; select 1; end; select 2', 'postgresql')).toEqual([
    'begin',
    'select 1',
    'end',
    'select 2',
  ]);
});

it('shows a statement without comments and on one line', () => {
  expect(line('DROP/**/TABLE -- x\n  users', 'mysql')).toEqual(['DROP TABLE users']);
  expect(line('/*!50000 drop*/ /*M!100100 table*/ users /*+ hint */', 'mysql')).toEqual([
    'drop table users',
  ]);
  expect(line("select 'a /* no comment */ -- b'", 'postgresql')).toEqual([
    "select 'a /* no comment */ -- b'",
  ]);
  const [drop] = statementsOf('Drop Table "Us""ers" . U&"d\\0061ta"', 'postgresql');
  expect(drop?.spelled.lines).toContain('drop table "Us""ers" . U&"d\\0061ta"');
  expect(drop?.spelled.spellings).toContain('drop table us"ers.data');
});

it('returns both readings of a backslash before a quote', () => {
  expect(readings("select 'a\\'; drop table x; -- '")).toEqual([
    ["select 'a\\'; drop table x; -- '"],
    ["select 'a\\'", 'drop table x'],
  ]);
  expect(readingsOf("select 'a'", 'mysql')).toHaveLength(1);
});

it('returns every reading of version comments', () => {
  // Quotes, comments and words inside a skipped comment hide no statement.
  expect(readings("select 1 /*!99999 ' */; drop table x; -- '")).toContainEqual([
    'select 1',
    'drop table x',
  ]);
  expect(readings('/*!99999 select */ drop /*!40000 table */ x')).toContainEqual(['drop table x']);
  expect(readings('/*M! select */ drop table x')).toEqual(
    expect.arrayContaining([['drop table x'], ['select drop table x']]),
  );
  // MariaDB 10 skips comments for MySQL 8 and runs those for MariaDB 10.
  expect(readings('/*!80000 select */ /*M!100100 drop */ table x')).toContainEqual([
    'drop table x',
  ]);
  expect(readings('select 1 /*!99999 /* */ ; drop table x -- */')).toEqual(
    expect.arrayContaining([['select 1', 'drop table x'], ['select 1']]),
  );
  expect(readings('/*! drop */ table x')).toContainEqual(['drop table x']);
  expect(readings('/*!40101 SET NAMES utf8 */')).toEqual(
    expect.arrayContaining([[], ['SET NAMES utf8']]),
  );
  // An unknowable text counts as dangerous.
  expect(readings('/*!123 select */ drop table x')).toBeUndefined();
  expect(
    readings('/*!10000*/ /*!20000*/ /*!30000*/ /*!40000*/ /*!50000 select */ drop table x'),
  ).toBeUndefined();
  expect(readingsOf('select 1 /*!99999 */', 'postgresql')).toHaveLength(1);
});

it('recognizes statements that only read, and no others', () => {
  const reads = (text: string, dialect: Dialect = 'postgresql') =>
    statementsOf(text, dialect).every((one) => isReadingOnly(one, dialect));
  for (const text of [
    'select 1',
    '(select 1)',
    'WITH a AS (select 1) table a',
    'show tables',
    'explain select 1',
    'begin',
    'set search_path = a',
    'rollback',
    "select 'insert into'",
  ])
    expect([text, reads(text)]).toEqual([text, true]);
  for (const text of [
    'insert into a values (1)',
    'with a as (delete from b returning *) select * from a',
    'select * into c from a',
    'explain analyze insert into a values (1)',
    "select set_config('transaction_read_only', 'off', false)",
    'set session characteristics as transaction read write',
    'set default_transaction_read_only = off',
    'begin read write',
    'do $$ begin end $$',
    'call p()',
    'copy a from stdin',
    'vacuum',
    'set time_zone = default, default_transaction_read_only = off',
    '',
  ])
    expect([text, text !== '' && reads(text)]).toEqual([text, false]);
  expect(reads("select 1 into outfile '/tmp/x'", 'mysql')).toBe(false);
  expect(reads('/*!50000 delete from a */', 'mysql')).toBe(false);
});

const piece = fc.constantFrom(
  "'",
  '"',
  '`',
  '\\',
  ';',
  '--',
  '-- ',
  '#',
  '/*',
  '*/',
  '/*!',
  '$$',
  '$a$',
  'E',
  'U&',
  'begin',
  'end',
  'create function',
  '\n',
  ' ',
  'x',
  '\ud83d\ude00',
  '\ud83d',
  'é',
  '1',
);

it(
  'covers every character exactly once with tokens',
  () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.constantFrom(...DIALECTS),
        fc.boolean(),
        (parts, dialect, hasBackslashes) => {
          const text = parts.join('');
          let at = 0;
          for (const token of tokensOf(text, { dialect, hasBackslashes })) {
            expect(token.start).toBe(at);
            expect(token.end).toBeGreaterThan(token.start);
            at = token.end;
          }
          expect(at).toBe(text.length);
        },
      ),
      runs(500),
    );
  },
  limitOf(20_000),
);

it(
  'finds each statement at its position, on one line',
  () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.constantFrom(...DIALECTS),
        (parts, dialect) => {
          const text = parts.join('');
          for (const statement of statementsOf(text, dialect)) {
            expect(text.slice(statement.start, statement.end)).toBe(statement.text);
            expect(statement.line).not.toMatch(/[\r\n]/);
          }
        },
      ),
      runs(500),
    );
  },
  limitOf(20_000),
);

it(
  'reveals every word that a database would run, despite quotes and comments',
  () => {
    const harmless = fc.array(
      fc.constantFrom("'a;b'", "'it''s'", '/* ; */', '-- x;\n', ' ', '1', '"q;"', ','),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(harmless, fc.constantFrom(...DIALECTS), (parts, dialect) => {
        const statements = statementsOf(`select ${parts.join(' ')}\n; drop table x`, dialect);
        expect(statements.map(({ line }) => line).at(-1)).toBe('drop table x');
      }),
      runs(300),
    );
  },
  limitOf(20_000),
);

it('takes time in proportion to the text', () => {
  for (const part of ['/*', "'", '$a$', '"', '--', 'a ', '/*!', "E'", ';', '\\'])
    expect(statementsOf(part.repeat(100_000), 'postgresql').length).toBeLessThan(100_001);
});
