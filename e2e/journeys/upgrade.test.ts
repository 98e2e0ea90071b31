import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  type RedisServer,
  startRedisServer,
} from '../../server/src/testing/databases/redis-server.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { words } from '../../web/src/kit/new-version/words.ts';
import { problemsAndOtherTheme } from '../harness/axe.ts';
import { buildDatabase, buildGranted } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { queryPage } from '../pages/query-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const PASSWORD = 'Vault-Secret-82';

const { journey } = useOwnServer({ restarts: true, upgrades: true });
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedisServer(PASSWORD);
});
afterAll(() => redis?.stop());

journey(
  'keeps a terminal, a file manager and a query workspace through an upgrade of the server',
  async (open, { admin, sshd, server }) => {
    const { person, asset, account } = await buildGranted(admin, sshd);
    await admin.patch(`assets/system-users/${account.id}/`, { sftp_root: 'home' });
    const folder = join(sshd.home, 'many');
    await mkdir(folder, { mode: 0o777, recursive: true });
    for (let number = 100; number < 220; number += 1)
      await writeFile(join(folder, `file-${number}`), 'x');
    const { app } = await buildDatabase(admin, person, {
      type: 'redis',
      host: redis.host,
      port: redis.port,
      password: PASSWORD,
    });
    const visitor = await open({ language: 'en' });
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, 'en', asset);
    await terminal.ready();
    await terminal.run('echo before-$((40+2))');
    await terminal.shows('before-42');
    await terminal.type('echo half-$((1+');

    const files = await visitor.context.newPage();
    visitor.watch.over(files);
    await files.goto(`/koko/elfinder/sftp/${asset.id}/`);
    const list = files.getByRole('grid');
    await list.getByRole('button', { name: 'many', exact: true }).click();
    await list.getByText('file-100', { exact: true }).waitFor();
    await files.getByPlaceholder('Filter').fill('file-1');
    await list.hover();
    await files.mouse.wheel(0, 900);
    const top = () => list.evaluate((element) => element.scrollTop);
    await expect.poll(top).toBeGreaterThan(300);
    const scrolled = await top();

    const workspace = await visitor.context.newPage();
    visitor.watch.over(workspace);
    await workspace.goto(`/luna/?type=database_app&login_to=${app.id}`);
    const query = queryPage({ page: workspace, language: 'en' });
    await query.editor.waitFor();
    await query.run('set upgrade before');
    await query.outcome('set upgrade before').waitFor();
    await query.write('get upgrade');

    await server.upgrade();

    // Nothing says that anything happened.
    for (const page of [visitor.page, files, workspace]) {
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(
        await page
          .getByRole('status')
          .filter({ hasText: /connect/i })
          .count(),
      ).toBe(0);
    }
    await terminal.run('1))');
    await terminal.shows('half-2');
    expect(await top()).toBe(scrolled);
    const answered = files.waitForResponse(/\/api\/v1\/files\//);
    await files.getByRole('button', { name: 'Refresh' }).click();
    expect((await answered).status()).toBe(200);
    expect(await top()).toBe(scrolled);
    await files.getByRole('button', { name: 'Root' }).first().click();
    await list.getByRole('button', { name: 'many', exact: true }).waitFor();
    await query.editor.click();
    await workspace.keyboard.press('Control+Shift+Enter');
    await query.cell('before').waitFor();
  },
);

/** Answers a page as a server with another version of its files does. */
const withNewFiles = (page: Page, path: string) =>
  page.route(path, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/(<script type="module"[^>]* src="[^"]+-)/, '$1x');
    await route.fulfill({ response, body });
  });

journey(
  'offers a reload after an upgrade that changed the files of a page, and none otherwise',
  async (open, { server }) => {
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    // Its part that looks for new versions loads after the page.
    const watches = (one: Page) => one.waitForResponse(/new-version/);
    const looked = (one: Page) =>
      one.waitForResponse((response) => response.url() === one.url() && response.ok());
    const offerOn = (one: Page) => one.getByText(words.newVersion.en, { exact: true });
    await Promise.all([watches(page), signIn(visitor, ADMIN, '/ui/assets/labels')]);
    const same = await visitor.context.newPage();
    visitor.watch.over(same);
    await Promise.all([watches(same), same.goto('/ui/assets/domains')]);

    await withNewFiles(page, '**/ui/assets/labels');
    await Promise.all([looked(page), looked(same), server.upgrade()]);
    await offerOn(page).waitFor();
    expect(await offerOn(same).count()).toBe(0);
    expect(await problemsAndOtherTheme(page, 'the offer of a reload')).toEqual([]);
    await page.unroute('**/ui/assets/labels');
    await page.getByRole('button', { name: common.reload.en, exact: true }).click();
    await offerOn(page).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor();
  },
);
