import { readFile } from 'node:fs/promises';
import { say } from '@sallyport/contract';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Mariadb, startMariadb } from '../../server/src/testing/databases/mariadb.ts';
import { words } from '../../web/src/terminal/query/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildDatabase, buildPerson } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { queryPage } from '../pages/query-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const PASSWORD = 'Vault-Secret-82';
const CHANGE = 'update item set price = 1, name = null where id > 1';

const { journey } = useStage();
let mariadb: Mariadb;
beforeAll(async () => {
  mariadb = await startMariadb();
  mariadb.sql(`set names utf8mb4; alter database shop character set utf8mb4; use shop;
    create user shopper@'%' identified by '${PASSWORD}'; grant all on shop.* to shopper@'%';
    create table item (id int primary key, name varchar(40), price decimal(8,2));
    insert into item values (1, 'lamp', 19.5), (2, '桌子', 80), (3, 'it''s', 7)`);
});
afterAll(() => mariadb?.stop());

const items = () => mariadb.sql('set names utf8mb4; select * from shop.item order by id');

journey(
  'previews a change, downloads its undo script with the right for it, and restores the rows',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    const { host, port } = mariadb;
    const target = { type: 'mariadb' as const, host, port, password: PASSWORD };
    const { app, account, rule } = await buildDatabase(admin, person, target);
    await admin.patch(`assets/system-users/${account}/`, { preview_changes: true });
    const before = items();
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    await signIn(visitor, person, `/luna/?type=database_app&login_to=${app.id}`);
    const query = queryPage(visitor);
    await query.editor.waitFor();
    const download = query.results.getByRole('button', {
      name: say(words.undoScript, 'en', { count: 2 }),
    });

    // Without the right to download, the script is kept, and the button says why it does nothing.
    await query.run(CHANGE);
    const question = page.getByRole('dialog');
    await question.getByText('An undo script with the old values is kept').waitFor();
    await question.getByText(words.noRollback.en).waitFor();
    expect(await problemsOf(page, 'question with an undo script')).toEqual([]);
    await question.getByRole('button', { name: words.yes.en, exact: true }).click();
    await download.waitFor();
    expect(await download.getAttribute('aria-disabled')).toBe('true');
    expect(items()).not.toBe(before);
    mariadb.sql(`set names utf8mb4; use shop; delete from item;
      insert into item values (1, 'lamp', 19.5), (2, '桌子', 80), (3, 'it''s', 7)`);

    await admin.patch(`perms/database-app-permissions/${rule}/`, {
      actions: ['connect', 'download_file'],
    });
    await page.reload();
    await query.editor.waitFor();
    await query.run(CHANGE);
    await question.getByRole('button', { name: words.yes.en, exact: true }).click();
    const [file] = await Promise.all([page.waitForEvent('download'), download.click()]);
    const script = await readFile(await file.path(), 'utf8');
    expect(script).toContain("set `name` = '桌子', `price` = 80.00 where `id` = 2;");

    // Each statement of the script is previewed before it runs.
    await query.run(script);
    for (const present of ['2', '3']) {
      const cell = page.getByRole('cell', { name: present, exact: true });
      const dialog = question.filter({ has: cell });
      await dialog.getByRole('button', { name: words.yes.en, exact: true }).click();
    }
    await expect.poll(items).toBe(before);

    // A change without a script says so, and why.
    await query.run('update item set id = id + 10');
    await question.getByText('No undo script: the statement changes the primary key.').waitFor();
    await question.getByRole('button', { name: words.no.en, exact: true }).click();
    expect(items()).toBe(before);
  },
);
