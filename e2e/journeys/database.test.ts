import { readFile } from 'node:fs/promises';
import { type Language, say } from '@sallyport/contract';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Mariadb, startMariadb } from '../../server/src/testing/mariadb.ts';
import { type RedisServer, startRedisServer } from '../../server/src/testing/redis-server.ts';
import { words as sessionWords } from '../../web/src/console/features/terminal/words.ts';
import { words } from '../../web/src/terminal/query/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildPerson, create, type Person, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { queryPage } from '../pages/query-page.ts';
import { replayPage } from '../pages/replay-page.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const PASSWORD = 'Vault-Secret-81';

const { journey, stage } = useStage();
let mariadb: Mariadb;
let redis: RedisServer;
beforeAll(async () => {
  [mariadb, redis] = await Promise.all([startMariadb(), startRedisServer(PASSWORD)]);
  mariadb.sql(`set names utf8mb4; alter database shop character set utf8mb4; create user shopper@'%' identified by '${PASSWORD}'; grant all on shop.* to shopper@'%';
    create table shop.item (id int primary key auto_increment, name varchar(40), price decimal(8,2), note text);
    insert into shop.item (name, price, note) values ('lamp', 19.5, null), ('chair', 80, 'oak'), ('桌子', 120.25, '<b>not bold</b>');`);
});
afterAll(() => Promise.all([mariadb?.stop(), redis?.stop()]));

/** A database that a person is granted, with its permission. */
async function grant(person: Person, type: 'mariadb' | 'redis') {
  const { admin } = stage();
  const isRedis = type === 'redis';
  const name = unique(type);
  const { host, port } = isRedis ? redis : mariadb;
  const app = await create(admin, 'applications/database-apps/', { name, type, host, port, database: isRedis ? '' : 'shop' });
  const account = { name: unique('account'), username: isRedis ? '' : 'shopper', protocol: isRedis ? 'redis' : 'mysql', password: PASSWORD };
  const systemUser = await create(admin, 'assets/system-users/', { ...account, auto_push: false });
  const rule = await create(admin, 'perms/database-app-permissions/', {
    name: unique('rule'),
    users: [person.id],
    database_apps: [app],
    system_users: [systemUser],
    actions: ['connect'],
  });
  return { app, name, rule, address: `/luna/?type=database_app&login_to=${app}` };
}

for (const language of ['en', 'zh'] as Language[]) {
  journey(
    `[${language}] a database is queried, changed in a transaction, watched and replayed, and its password stays at the bastion`,
    async (open, { admin }) => {
      const person = await buildPerson(admin);
      const { name, rule, address } = await grant(person, 'mariadb');
      const [visitor, guard] = [await open({ language }), await open({ language })];
      const { page } = visitor;
      const frames: string[] = [];
      page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(String(payload))));
      await signIn(visitor, person, address);
      const query = queryPage(visitor);
      await query.editor.waitFor();
      expect(await problemsOf(page, 'workspace')).toEqual([]);

      // Several results of one script; texts are texts, and nothing is not an empty text.
      await query.run('select name, price, note from item order by id;\nselect count(*) as n from item;');
      await query.cell('3').waitFor();
      await page.getByRole('tab', { name: say(words.result, language, { number: 1 }) }).click();
      await query.cell('桌子').waitFor();
      expect(await query.cell('<b>not bold</b>').count()).toBe(1);
      expect(await query.cell('NULL').count()).toBe(1);
      await query.cell('lamp').click();
      await page.keyboard.press('Shift+ArrowDown');
      await page.keyboard.press('Shift+ArrowRight');
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.keyboard.press('Control+c');
      await page.getByText(say(words.copied, language)).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('lamp\t19.50\nchair\t80.00');

      // Somebody watches from here on.
      await signIn(guard, ADMIN, '/ui/terminal/session');
      const watched = await sessionsPage(guard).watch(person.name, name);
      await watched.getByText('select name, price, note').first().waitFor();

      // A transaction is visible, and rolled back.
      await page.getByRole('switch', { name: say(words.autocommit, language) }).click();
      await query.run("delete from item where name = 'lamp'");
      await page.getByText(say(words.transactionOpen, language)).waitFor();
      await query.button(words.rollback).click();
      await page.getByText(say(words.transactionNone, language)).waitFor();
      expect(mariadb.sql('select count(*) from shop.item').trim().split('\n').at(-1)).toBe('3');

      // A mistake leads to its place.
      await query.run('selec 1');
      await page.getByRole('alert').filter({ hasText: 'syntax' }).waitFor();
      await watched.getByText('selec 1').first().waitFor();

      // A file only with the right for it.
      await query.run('select name, price, note from item order by id');
      await query.cell('桌子').waitFor();
      expect(await query.button(words.export).getAttribute('aria-disabled')).toBe('true');
      await admin.patch(`perms/database-app-permissions/${rule}/`, { actions: ['connect', 'download_file'] });
      await page.reload();
      await query.editor.waitFor();
      await query.run('select name, price, note from item order by id');
      await query.cell('桌子').waitFor();
      const [file] = await Promise.all([page.waitForEvent('download'), query.button(words.export).click()]);
      expect((await readFile(await file.path(), 'utf8')).replace(/^\uFEFF/, '')).toContain('桌子,120.25,<b>not bold</b>');

      // What was run is in the log with its facts, and in the replay as it was.
      const logged = (await admin.get<{ input: string }[]>(`terminal/commands/?search=${encodeURIComponent("delete from item where name = 'lamp'")}`)).body;
      expect(logged.map(({ input }) => input)).toContain("delete from item where name = 'lamp'");
      await sessionsPage(guard).tab('online');
      await guard.page.reload();
      await sessionsPage(guard).terminate(person.name, name);
      await page
        .getByRole('alert')
        .filter({ hasText: say(words.closed, language) })
        .waitFor();
      await sessionsPage(guard).tab('history');
      const sessions = sessionsPage(guard);
      const newest = sessions.row(person.name, name).first();
      const replay = await guard.windowFrom(() => newest.getByRole('button', { name: say(sessionWords.replay, language) }).click());
      await replayPage(replay, language).play.click();
      await replay.getByText('select name, price, note').first().waitFor();
      expect(frames.join('').length).toBeGreaterThan(500);
      expect(frames.join('')).not.toContain(PASSWORD);
      expect(await page.content()).not.toContain(PASSWORD);
    },
  );
}

journey('commands of Redis are proposed, run and answered', async (open, { admin }) => {
  const person = await buildPerson(admin);
  const { address } = await grant(person, 'redis');
  const visitor = await open({ language: 'en' });
  await signIn(visitor, person, address);
  const query = queryPage(visitor);
  await query.editor.waitFor();
  await query.run('set greeting hello\nget greeting\nrpush list a b c\nlrange list 0 -1');
  await query.cell('c').waitFor();
  expect(await problemsOf(visitor.page, 'workspace of Redis')).toEqual([]);
});
