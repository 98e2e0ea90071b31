import { say } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { words as access } from '../../web/src/console/features/access/words.ts';
import { words } from '../../web/src/console/layout/palette/words.ts';
import { problemsOf } from '../harness/axe.ts';
import {
  buildAsset,
  buildPermission,
  buildPerson,
  buildSystemUser,
  unique,
} from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { TerminalPage } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

const fieldOf = (page: Page) =>
  page.getByRole('combobox', {
    name: /^(搜索全部内容和操作…|Search everything…|搜索资产、标签页和页面…|Search assets, tabs and pages…)$/,
  });
const selected = (page: Page) =>
  page.getByRole('dialog').locator('[role=option][aria-selected=true]');

journey(
  'loses no key when typing begins with the shortcut, before the search is loaded',
  async (open, { admin }) => {
    const { body: group } = await admin.post<{ id: string }>('users/groups/', {
      name: unique('quick'),
    });
    const visitor = await open();
    const { page, context } = visitor;
    // The search comes late, as over a slow line: letters and Enter wait for it.
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await context.route(/PaletteResults.*\.js$/, async (route) => {
      await held;
      await route.continue();
    });
    await signIn(visitor, ADMIN, '/ui/dashboard');
    const view = new ConsolePage(visitor);
    await view.heading.waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('shezhi');
    await expect.poll(() => fieldOf(page).inputValue()).toBe('shezhi');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('wangyu');
    await page.keyboard.press('Enter');
    release();
    await page.waitForURL(/\/ui\/assets\/domains$/);
    await fieldOf(page).waitFor({ state: 'detached' });

    // The shortcut works from a focused field, and leaves the field's text unchanged.
    await page.keyboard.press('/');
    await page.keyboard.type('kept');
    await page.keyboard.press('Control+k');
    await page.keyboard.type(
      (await admin.get<{ name: string }>(`users/groups/${group.id}/`)).body.name,
    );
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/ui/users/groups/${group.id}`));

    // The page that is open is not among the recent ones.
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    await page.getByRole('option', { name: '网域列表' }).first().waitFor();
    await page.keyboard.press('Escape');
    await fieldOf(page).waitFor({ state: 'detached' });
  },
);

journey(
  'finds objects, actions and the access check by keyboard alone',
  async (open, { admin, sshd }) => {
    const person = await buildPerson(admin, { name: '孙丽丽' });
    const name = `生产环境-${unique('db')}`;
    const asset = await buildAsset(admin, sshd, { hostname: name });
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    await signIn(visitor, ADMIN, '/ui/dashboard');
    const view = new ConsolePage(visitor);
    await view.heading.waitFor();

    await page.keyboard.press('Control+k');
    await page.keyboard.type(`shengchan ${name.split('-').at(-1)}`);
    await selected(page).getByText(name, { exact: true }).waitFor();
    await page.keyboard.press('ArrowRight');
    for (const action of [words.open, words.edit, words.permissions, words.sessions])
      await page.getByRole('option', { name: say(action, 'en') }).waitFor();
    expect(await problemsOf(page, 'the actions of the search')).toEqual([]);
    await page.keyboard.press('ArrowLeft');
    await selected(page).getByText(name, { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/ui/assets/assets/${asset.id}`));

    // The access check: a user, an arrow, an asset.
    await page.keyboard.press('Control+k');
    await page.keyboard.type(`${person.username} > ${name}`);
    await selected(page)
      .getByText(say(words.checkQuestion, 'en', { user: '孙丽丽', asset: name }))
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/ui/users/users/${person.id}\\?.*check=${asset.id}`));
    await view.main.getByText(say(access.nothing, 'en')).waitFor();

    // An action, by its name in the language of the page.
    const before = await page.evaluate(() => document.documentElement.dataset.mantineColorScheme);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('switch to');
    await selected(page).waitFor();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset.mantineColorScheme))
      .not.toBe(before);
  },
);

journey(
  'offers people before pages, and continues a search in the list of commands',
  async (open, { admin }) => {
    await buildPerson(admin, { name: 'Domenica Berg' });
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await new ConsolePage(visitor).heading.waitFor();
    const options = page.getByRole('dialog').getByRole('option');

    await page.keyboard.press('Control+k');
    await page.keyboard.type('dom');
    await selected(page).getByText('Domenica Berg', { exact: true }).waitFor();
    await options.filter({ hasText: 'Domains' }).first().waitFor();
    await page.keyboard.press('ArrowRight');
    for (const action of [words.edit, words.reaches, words.permissions, words.sessions])
      await page.getByRole('option', { name: say(action, 'en') }).waitFor();
    await page.keyboard.press('ArrowLeft');

    // Pinyin of a page is nothing that readers of English type; an earlier name is.
    await page.keyboard.press('Control+a');
    await page.keyboard.type('wangyu');
    await options
      .filter({ hasText: say(words.searchCommands, 'en', { text: 'wangyu' }) })
      .waitFor();
    expect(await options.filter({ hasText: 'Domains' }).count()).toBe(0);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('job center');
    await selected(page).waitFor();

    await page.keyboard.press('Control+a');
    await page.keyboard.type('rm -rf');
    await selected(page)
      .getByText(say(words.searchCommands, 'en', { text: 'rm -rf' }))
      .waitFor();
    expect(await problemsOf(page, 'searches in lists')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/ui\/terminal\/command\?.*search=/);
    expect(new URL(page.url()).searchParams.get('search')).toBe('rm -rf');
  },
);

journey(
  'finds granted assets for a user, and connects with Ctrl+Enter',
  async (open, { admin, sshd }) => {
    const person = await buildPerson(admin);
    const [granted, other] = [await buildAsset(admin, sshd), await buildAsset(admin, sshd)];
    await buildPermission(admin, [person], [granted], [await buildSystemUser(admin, sshd)]);
    const visitor = await open({ language: 'en' });
    const { page, context } = visitor;
    await signIn(visitor, person, '/ui/');
    await new ConsolePage(visitor).heading.waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type(other.name);
    await page.getByRole('status').filter({ hasText: 'No matches' }).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(granted.name);
    await selected(page).getByText(granted.name, { exact: true }).waitFor();
    const [window] = await Promise.all([
      context.waitForEvent('page'),
      page.keyboard.press('Control+Enter'),
    ]);
    await window.waitForURL(new RegExp(`/luna/\\?login_to=${granted.id}`));
    await new TerminalPage(window, 'en', granted.name).ready();
  },
);

journey(
  'leaves Ctrl+K to the shell in the terminal, and searches with Ctrl+Shift+K',
  async (open, { admin, sshd }) => {
    const person = await buildPerson(admin);
    const [first, second] = [await buildAsset(admin, sshd), await buildAsset(admin, sshd)];
    await buildPermission(admin, [person], [first, second], [await buildSystemUser(admin, sshd)]);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    await signIn(visitor, person, `/luna/?login_to=${first.id}`);
    const terminal = new TerminalPage(page, 'en', first.name);
    await terminal.ready();
    // The shell cuts what is behind the cursor.
    await terminal.type('echo kept gone');
    for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Enter');
    await terminal.shows(/^kept$/m);
    expect(await fieldOf(page).count()).toBe(0);

    await page.keyboard.press('Control+Shift+K');
    await page.keyboard.type(second.name);
    await page.keyboard.press('Enter');
    const other = new TerminalPage(page, 'en', second.name);
    await other.ready();
    await page.keyboard.press('Control+Shift+K');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await fieldOf(page).waitFor({ state: 'detached' });
    // The keyboard comes back to the terminal.
    await page.locator('.xterm-helper-textarea:focus').waitFor({ state: 'attached' });
    await page.keyboard.type('echo back again\n');
    await other.shows(/^back again$/m);
  },
);
