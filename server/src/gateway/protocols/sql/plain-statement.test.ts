import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { characterSetChange } from './character-set.ts';
import { plainStatement } from './plain-statement.ts';
import { readingsOf } from './readings.ts';

it('takes a single statement with strings, names, parameters and an ending comment', () => {
  for (const statement of [
    'SELECT abalance FROM pgbench_accounts WHERE aid = 42',
    "update t set name = 'it''s; -- one' where id = $1",
    'select "Column; x" from "Table" where a - -1 > 2 / 3',
    'insert into `a`.`b` values (1)',
    'FETCH FORWARD 100 FROM _psql_cursor',
  ]) {
    expect(plainStatement(statement)).toBe(statement);
    expect(plainStatement(`  ${statement} ;\n -- $1 = 'x;\\'`)).toBe(statement);
  }
});

it('leaves every other text to the full reading', () => {
  for (const text of [
    '',
    ';',
    'select 1; select 2',
    'select 1;;',
    '-- nothing',
    'select 1 --1',
    'select /* a */ 1',
    'select /*!50000 1 */',
    "select 'a\\'",
    "select 'open",
    'select `open',
    'select `a;`',
    'select $$a$$',
    'select 1 # a',
    'select 1 -- a\n; drop table t',
    '(select 1)',
    "SET names 'latin1'",
    'execute a',
    "select pg_catalog.set_config('client_encoding', 'latin1', false)",
    'select "set_config"(a)',
    'update pg_settings set a = 1',
    'select \u0000 1',
  ])
    expect(plainStatement(text), text).toBeUndefined();
});

it(
  'agrees with every reading of both dialects',
  () => {
    const part = fc.constantFrom(
      ...[
        'select',
        'set',
        'update',
        'begin',
        'end',
        'create',
        'function',
        'a',
        'É',
        '1',
        '$1',
        '$$',
      ],
      ...[
        "'",
        "''",
        '"',
        '`',
        ';',
        '\\',
        '-',
        '--',
        '-- ',
        '/',
        '/*',
        '*/',
        '#',
        '!',
        '(',
        '\n',
        '\t',
      ],
      ...['set_config', 'client_encoding', 'uescape', 'U&"', "E'", '@', '\0', '\ud83d\ude00'],
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(part, fc.constantFrom('', ' ')), { maxLength: 14 }),
        (parts) => {
          const text = parts.flat().join('');
          const plain = plainStatement(text);
          if (plain === undefined) return;
          for (const dialect of ['mysql', 'postgresql'] as const) {
            const readings = readingsOf(text, dialect);
            expect(readings?.map((reading) => reading.map((one) => one.text))).toEqual([[plain]]);
            for (const statement of readings?.flat() ?? [])
              expect(characterSetChange(statement, dialect)).toBe('none');
          }
        },
      ),
      runs(2000),
    );
  },
  limitOf(5000),
);
