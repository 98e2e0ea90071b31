import { expect, it } from 'vitest';
import { asksAboutLast } from './last-statement.ts';

it('recognizes statements that ask about the last one, and nothing else', () => {
  expect(
    [
      'SHOW WARNINGS',
      'show warnings limit 5, 10;',
      'SHOW COUNT(*) ERRORS',
      'select row_count()',
      'SELECT FOUND_ROWS() AS `total`, row_count() n',
      'select @@warning_count, @@session.error_count',
      'select last_insert_id()',
    ].filter((text) => !asksAboutLast(text)),
  ).toEqual([]);
  expect(
    [
      'select 1 from a',
      'select row_count(), wipe()',
      'select row_count() from a',
      'select found_rows() as wipe()',
      'select `found_rows`()',
      'select db.row_count()',
      'select row_count() into @a',
      'show warnings; select wipe()',
      'show tables',
      "show warnings like 'a'",
      `select ${'row_count(), '.repeat(50)}1`,
      'select found_rows() /*! , wipe() */',
    ].filter(asksAboutLast),
  ).toEqual([]);
});
