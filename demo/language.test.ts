import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../server/src/platform/db/sql.ts';
import type { Json } from '../server/src/testing/client.ts';
import { bearer } from '../server/src/testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../server/src/testing/test-program.ts';
import { inLanguage, languageOf, speak } from './language.ts';
import { deleteObjects } from './organization/delete-objects.ts';
import { proposeChanges } from './organization/propose-changes.ts';
import { fillSampleData } from './sample-data.ts';

const HAN = '[\u4e00-\u9fff]';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(async () => {
  speak('mixed');
  await test.stop();
});

/** Rows with Chinese characters, by table; texts of recordings are left out. */
async function chineseRows(): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(test.db);
  const chinese: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`
      select (to_jsonb(t) - array['input', 'output', 'search_text', 'digested'])::text as text
      from ${sql.table(name)} t
      where (to_jsonb(t) - array['input', 'output', 'search_text', 'digested'])::text
        ~ ${HAN}`.execute(test.db);
    chinese.push(...rows.map(({ text }) => `${name}: ${text}`));
  }
  return chinese;
}

it('fills sample data in English for a locale that is not Chinese', async () => {
  const before = new Set(await chineseRows());
  speak(languageOf({ LANG: 'en_US.UTF-8' }));
  const { vault, recordings } = test.program;
  await fillSampleData({ db: test.db, vault, recordings, port: 1 });
  await proposeChanges(test.program);
  await deleteObjects(test.program);
  expect((await chineseRows()).filter((row) => !before.has(row))).toEqual([]);
});

it('leaves deleted objects to restore, and a domain whose site is away', async () => {
  const admin = await bearer(test);
  const list = async (path: string) => (await admin.get<Json[]>(path)).body;
  const deleted = await list('common/deleted-objects/');
  expect(deleted.map(({ name }) => name).toSorted()).toEqual(
    ['Contractors 2025', 'Old disk commands', 'sh-legacy-01'].toSorted(),
  );
  const restored = `common/deleted-objects/${deleted[0]?.id}/restore/`;
  expect((await admin.post(restored, {})).status).toBe(200);
  expect(await list('assets/gateways/?protocol=site')).toMatchObject([
    { name: 'hz-site-01', tunnels: 0, date_joined: expect.any(String) },
  ]);
});

it.each([
  [{ LANG: 'zh_CN.UTF-8' }, 'mixed'],
  [{ LANG: 'C.UTF-8' }, 'mixed'],
  [{ LANG: 'POSIX' }, 'mixed'],
  [{}, 'mixed'],
  [{ LANG: 'en_GB.UTF-8' }, 'en'],
  [{ LANG: 'de_DE@euro' }, 'en'],
  [{ LANG: 'cs_CZ.UTF-8' }, 'en'],
  [{ LC_ALL: 'zh_TW', LANG: 'en_US' }, 'mixed'],
  [{ LC_ALL: '', LC_MESSAGES: 'en_US', LANG: 'zh_CN' }, 'en'],
] as const)('chooses the language for %j', (locale, language) => {
  expect(languageOf(locale)).toBe(language);
});

it('translates names within longer texts, and nothing that was recorded', () => {
  speak('en');
  const rows = [
    { user: '林晓峰(linxiaofeng)', nodes: ['华北 · 北京/生产环境'], input: "grep '支付'", at: 5 },
  ];
  const english = {
    user: 'Lin Xiaofeng(linxiaofeng)',
    nodes: ['North China · Beijing/Production'],
  };
  expect(inLanguage(rows)).toEqual([{ ...rows[0], ...english }]);
  speak('mixed');
  expect(inLanguage(rows)).toBe(rows);
});
