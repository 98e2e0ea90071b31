import { readFile } from 'node:fs/promises';
import { say } from '@sallyport/contract';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Mariadb, startMariadb } from '../../server/src/testing/databases/mariadb.ts';
import {
  type RedisServer,
  startRedisServer,
} from '../../server/src/testing/databases/redis-server.ts';
import { words as apps } from '../../web/src/console/features/app-permissions/words.ts';
import { words as sessionWords } from '../../web/src/console/features/sessions/words.ts';
import { words } from '../../web/src/terminal/query/words.ts';
import { endWords } from '../../web/src/terminal/session/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildDatabase, buildPerson, type Person } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { liveSession, recordedSession } from '../harness/sessions.ts';
import { queryPage } from '../pages/query-page.ts';
import { replayPage } from '../pages/replay-page.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const PASSWORD = 'Vault-Secret-81';
const LONG = 3_000;

const { journey, stage } = useStage();
let mariadb: Mariadb;
let redis: RedisServer;
beforeAll(async () => {
  [mariadb, redis] = await Promise.all([startMariadb(), startRedisServer(PASSWORD)]);
  mariadb.sql(`set names utf8mb4; alter database shop character set utf8mb4; use shop;
    create user shopper@'%' identified by '${PASSWORD}'; grant all on shop.* to shopper@'%';
    create table item (id int primary key auto_increment, name varchar(40), price decimal(8,2),
      note text);
    insert into item (name, price, note) values ('lamp', 19.5, null),
      ('chair', 80, 'oak'), ('桌子', 120.25, '<b>not bold</b>');
    create table part (id int primary key, name varchar(40));
    insert into part select seq, concat('part ', seq) from seq_1_to_${LONG}`);
});
afterAll(() => Promise.all([mariadb?.stop(), redis?.stop()]));

/** A database that a person is granted, with its permission. */
async function grant(person: Person, type: 'mariadb' | 'redis') {
  const { host, port } = type === 'redis' ? redis : mariadb;
  const target = { type, host, port, password: PASSWORD };
  const { app, rule } = await buildDatabase(stage().admin, person, target);
  return { name: app.name, rule, address: `/luna/?type=database_app&login_to=${app.id}` };
}

journey(
  'queries a database by keyboard, changes it in a transaction, watches and replays it, and never reveals its password',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    const { name, rule, address } = await grant(person, 'mariadb');
    const [visitor, guard] = [await open({ language: 'en' }), await open({ language: 'zh' })];
    const { page } = visitor;
    const frames: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => frames.push(String(payload))),
    );
    await signIn(visitor, person, '/ui/apps/database');
    expect(
      await page
        .getByRole('link', { name: say(apps.connectTo, 'en', { name }) })
        .getAttribute('href'),
    ).toBe(address);
    await page.goto(address);
    const query = queryPage(visitor);
    await query.editor.waitFor();
    await page
      .getByRole('button', { name: say(words.insertName, 'en', { name: 'shop.item' }) })
      .waitFor();
    expect(await problemsOf(page, 'workspace')).toEqual([]);

    // Several results of one script; texts are texts, and nothing is not an empty text.
    await query.run(
      'select name, price, note from item order by id;\nselect count(*) as n from item;',
    );
    await query.cell('3').waitFor();
    await page.getByRole('tab', { name: say(words.result, 'en', { number: 1 }) }).click();
    await query.cell('桌子').waitFor();
    expect([await query.cell('<b>not bold</b>').count(), await query.cell('NULL').count()]).toEqual(
      [1, 1],
    );
    await query.cell('lamp').click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowRight');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.keyboard.press('Control+c');
    await page.getByText(words.copied.en).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'lamp\t19.50\nchair\t80.00',
    );

    // An administrator starts watching.
    await signIn(guard, ADMIN, '/ui/terminal/session');
    const watched = await sessionsPage(guard).watch(person.name, name);
    await watched.getByText('select name, price, note').first().waitFor();

    // A long result has all its rows.
    await query.run('select * from part order by id');
    await query.cell('part 1').click();
    await expect.poll(() => query.grid.getAttribute('aria-rowcount')).toBe(String(LONG + 1));
    await page.keyboard.press('Control+End');
    await query.cell(`part ${LONG}`).waitFor();

    // Nothing commits by itself any more: what is rolled back was never there.
    await page.getByRole('switch', { name: words.autocommit.en }).click();
    await query.write("delete from item where name = 'lamp'");
    await page.keyboard.press('Control+Enter');
    await page.getByText(words.transactionOpen.en).waitFor();
    await query.button(words.rollback).click();
    await page.getByText(words.transactionNone.en).waitFor();
    expect(mariadb.sql('select count(*) from shop.item').trim().split('\n').at(-1)).toBe('3');

    await query.run('selec 1');
    await page.getByRole('alert').filter({ hasText: 'syntax' }).waitFor();
    await watched.getByText('selec 1').first().waitFor();

    // A file only with the right for it.
    await query.run('select name, price, note from item order by id');
    await query.cell('桌子').waitFor();
    expect(await query.button(words.export).getAttribute('aria-disabled')).toBe('true');
    await admin.patch(`perms/database-app-permissions/${rule}/`, {
      actions: ['connect', 'download_file'],
    });
    await page.reload();
    await query.editor.waitFor();
    await query.run('select name, price, note from item order by id');
    await query.cell('桌子').waitFor();
    const save = async (format: 'exportCsv' | 'exportXlsx') => {
      await query.button(words.export).click();
      const item = page.getByRole('menuitem', { name: say(words[format], 'en'), exact: true });
      const [file] = await Promise.all([page.waitForEvent('download'), item.click()]);
      return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
    };
    const csv = await save('exportCsv');
    expect(csv.bytes.toString('utf8').replace(/^\uFEFF/, '')).toContain(
      '桌子,120.25,<b>not bold</b>',
    );
    const workbook = await save('exportXlsx');
    expect([workbook.name.slice(-5), workbook.bytes.toString('latin1', 0, 2)]).toEqual([
      '.xlsx',
      'PK',
    ]);

    // The statements are in the log, and unchanged in the replay.
    const deletion = "delete from item where name = 'lamp'";
    const logged = async () =>
      (
        await admin.get<{ input: string }[]>(
          `terminal/commands/?search=${encodeURIComponent(deletion)}`,
        )
      ).body;
    await expect.poll(async () => (await logged()).map(({ input }) => input)).toContain(deletion);
    // The session before the reload has ended, and the list shows one.
    await liveSession(admin, `user_id=${person.id}`);
    await guard.page.reload();
    const sessions = sessionsPage(guard);
    await sessions.terminate(person.name, name);
    await page.getByRole('alert').filter({ hasText: endWords.terminatedTitle.en }).waitFor();
    await recordedSession(admin, `user_id=${person.id}`);
    await sessions.tab('history');
    const newest = sessions.row(person.name, name).first();
    const replay = await guard.windowFrom(() =>
      newest.getByRole('link', { name: sessionWords.replay.zh }).click(),
    );
    await replayPage(replay, 'zh').play.click();
    await replay.getByText('select name, price, note').first().waitFor();
    expect(frames.join('').length).toBeGreaterThan(500);
    expect(frames.join('')).not.toContain(PASSWORD);
    expect(await page.content()).not.toContain(PASSWORD);
  },
);

journey('runs Redis commands in Chinese on a phone', async (open, { admin }) => {
  const person = await buildPerson(admin);
  const { address } = await grant(person, 'redis');
  const visitor = await open({
    language: 'zh',
    theme: 'dark',
    size: { width: 390, height: 844 },
  });
  await signIn(visitor, person, address);
  const query = queryPage(visitor);
  await query.editor.waitFor();
  await query.run('set greeting hello\nget greeting\nrpush list a b c\nlrange list 0 -1');
  await query.cell('c').waitFor();
  expect(await problemsOf(visitor.page, 'workspace of Redis')).toEqual([]);

  // The keys are a tree: a level for each colon, and the value of a key is a result.
  const { page } = visitor;
  await query.run('set shop:cart:7 lamp\nget shop:cart:7');
  await query.cell('lamp').waitFor();
  await query.button(words.showSchema).click();
  await page.getByText(words.keys.zh, { exact: true }).click();
  await page
    .getByRole('button', { name: say(words.keyLevel, 'zh', { name: 'shop:', count: 1 }) })
    .click();
  await page
    .getByRole('button', { name: say(words.keyLevel, 'zh', { name: 'cart:', count: 1 }) })
    .click();
  expect(await problemsOf(page, 'keys of Redis')).toEqual([]);
  await page
    .getByRole('button', { name: say(words.openKey, 'zh', { name: 'shop:cart:7' }) })
    .click();
  await page.getByText(`shop:cart:7 · string · ${words.keyNever.zh}`).waitFor();
  await query.outcome('GETRANGE shop:cart:7').waitFor();

  // Earlier commands can be searched in the log and inserted into the editor.
  await page.getByText(words.history.zh, { exact: true }).click();
  await page.getByRole('textbox', { name: words.searchHistory.zh }).fill('rpush');
  await page
    .getByRole('button', { name: say(words.useAgain, 'zh', { text: 'rpush list a b c' }) })
    .click();
  await query.editor.filter({ hasText: 'rpush list a b c' }).waitFor();
  expect(await problemsOf(page, 'history of Redis')).toEqual([]);
});
