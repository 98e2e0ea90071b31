import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { withinPatternTime } from './search.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = (await bearer(test)).with({ 'accept-language': 'en' });
  const values = [
    'rm -rf /tmp/a',
    'cat format.txt',
    'sudo rm /etc/passwd',
    'say "hello, world"',
    'web-1',
    'web-10',
    '生产 数据库',
  ];
  for (const value of values) await admin.post('assets/labels/', { name: 'typed', value });
});
afterAll(() => test.stop());

const search = (text: string) =>
  `assets/labels/?order=value&limit=20&search=${encodeURIComponent(text)}`;
const valuesFor = async (text: string) =>
  (await admin.get<{ results: Json[] }>(search(text))).body.results
    .map(({ value }) => value)
    .sort();

describe('a search', () => {
  it.each<[string, string[]]>([
    ['rm', ['cat format.txt', 'rm -rf /tmp/a', 'sudo rm /etc/passwd']],
    ['"rm "', ['rm -rf /tmp/a', 'sudo rm /etc/passwd']],
    ['"RM -RF"', ['rm -rf /tmp/a']],
    ['=rm', ['rm -rf /tmp/a', 'sudo rm /etc/passwd']],
    ['=rm sudo', ['sudo rm /etc/passwd']],
    ['=web-1', ['web-1']],
    ['="rm -rf"', ['rm -rf /tmp/a']],
    ['="rm -r"', []],
    ['"hello, world"', ['say "hello, world"']],
    ['say "', ['say "hello, world"']],
    ['="数据库"', ['生产 数据库']],
    ['re:^rm\\b', ['rm -rf /tmp/a']],
    ['re:"^(sudo )?RM\\s.*/(etc|tmp)/"', ['rm -rf /tmp/a', 'sudo rm /etc/passwd']],
    ['re:web-\\d{1,2}$ =web-10', ['web-10']],
    ['=.*', []],
    ['=', []],
  ])('for %s finds what it says', async (text, values) => {
    expect(await valuesFor(text)).toEqual([...values].sort());
  });

  it.each<[string, string]>([
    ['re:(', '"(" is not a valid pattern.'],
    ['re:(a)\\1', 'Patterns cannot contain \\1.'],
    ['re:(?=a)', 'Patterns cannot contain (?=.'],
    ['re:a{500}', 'Patterns cannot contain {100}.'],
    ['re:a\\', '"a\\" is not a valid pattern.'],
    [`re:${'a'.repeat(129)}`, 'A pattern may have at most 128 characters.'],
    [`"${'a '.repeat(200)}"`, 'Ensure this field has no more than 256 characters.'],
  ])('refuses %s with the reason', async (text, reason) => {
    const { status, body } = await admin.get(search(text));
    expect([status, body]).toEqual([400, { search: [reason] }]);
  });

  it('rejects a pattern that only the database finds invalid, in lists, files and sets', async () => {
    const wrong = encodeURIComponent('re:[z-\\d]');
    for (const path of [
      `assets/labels/?limit=5&search=${wrong}`,
      `assets/labels/?format=csv&search=${wrong}`,
    ])
      expect((await admin.get(path)).status).toBe(400);
  });

  it('finds nodes by whole words and patterns', async () => {
    const namesOf = async (text: string) =>
      (await admin.get<Json[]>(`assets/nodes/?search=${encodeURIComponent(text)}`)).body.map(
        ({ value }) => value,
      );
    expect(await namesOf('re:^def')).toEqual(['Default']);
    expect(await namesOf('=defau')).toEqual([]);
  });
});

it('stops a slow pattern, and restores the timeout for the next query', async () => {
  const slow = withinPatternTime(test.db, (tx) => sql`select pg_sleep(600)`.execute(tx), 50);
  await expect(slow).rejects.toMatchObject({ problems: { search: [{ code: 'pattern_slow' }] } });
  const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(
    test.db,
  );
  expect(rows[0]?.statement_timeout).toBe('30s');
});
