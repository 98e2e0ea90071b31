import type { LocalText } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as frame } from '../../web/src/console/base/words.ts';
import { words as profile } from '../../web/src/console/features/profile/words.ts';
import { words as keys } from '../../web/src/console/layout/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { COOKIES } from '../../web/src/kit/cookies.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { words as signInWords } from '../../web/src/signin/words.ts';
import { atRest } from '../harness/at-rest.ts';
import { buildAsset, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

journey(
  'refreshes and closes visited pages: one, the others, all, and by the middle button',
  async (open) => {
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    const tab = (name: string) => view.tabs.getByRole('link', { name, exact: true });
    await view.open('Domains');
    await view.open('Labels');
    await view.open('System users');
    await view.open('User groups');
    expect(await view.tabs.getByRole('link').allInnerTexts()).toEqual([
      'Dashboard',
      'Domains',
      'Labels',
      'System users',
      'User groups',
    ]);

    await tab('Labels').click({ button: 'middle' });
    await tab('Labels').waitFor({ state: 'detached' });
    await view.tabs.getByRole('button', { name: 'Close User groups' }).click();
    // Closing the open one leads to the last that is left.
    await page.waitForURL(/\/ui\/assets\/system-users/);

    await tab('Domains').click();
    await page.waitForURL(/\/ui\/assets\/domains/);
    const listed = page.waitForResponse((response) =>
      response.url().includes('/api/v1/assets/domains/?'),
    );
    await tab('Domains').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Refresh', exact: true }).click();
    await listed;
    await page.waitForURL(/\/ui\/assets\/domains/);

    await tab('Domains').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Close Others', exact: true }).click();
    await expect
      .poll(() => view.tabs.getByRole('link').allInnerTexts())
      .toEqual(['Dashboard', 'Domains']);
    // A pinned page stays when all are closed.
    await tab('Domains').dblclick();
    await view.tabs.getByRole('button', { name: 'Unpin Domains' }).waitFor();
    await tab('Domains').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Close All', exact: true }).click();
    await view.tabs.getByRole('button', { name: 'Unpin Domains' }).click();
    await view.tabs.getByRole('button', { name: 'Close Domains' }).waitFor();
    await tab('Domains').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Close All', exact: true }).click();
    await expect.poll(() => view.tabs.getByRole('link').allInnerTexts()).toEqual(['Dashboard']);
    await tab('Dashboard').click({ button: 'right' });
    expect(await page.getByRole('menuitem', { name: 'Close', exact: true }).count()).toBe(0);
    expect(await page.getByRole('note').count()).toBe(0);

    // A user can hide the row, in all of their browsers.
    const kept = () =>
      page.waitForResponse(
        (response) =>
          response.url().includes('/users/preferences/') && response.request().method() === 'PATCH',
      );
    const choose = async (wanted: LocalText) => {
      const [answer] = await Promise.all([
        kept(),
        page
          .getByRole('radiogroup', { name: view.say(profile.visitedPages) })
          .getByText(view.say(wanted), { exact: true })
          .click(),
      ]);
      expect(answer.status()).toBe(200);
    };
    await page.goto('/ui/users/profile?activeTab=Preferences');
    await view.tabs.waitFor();
    await choose(profile.hidden);
    await view.tabs.waitFor({ state: 'detached' });
    await page.reload();
    await view.heading.waitFor();
    await page.getByRole('radiogroup', { name: view.say(profile.visitedPages) }).waitFor();
    expect(await view.tabs.count()).toBe(0);
    await choose(profile.shown);
    await view.tabs.waitFor();
  },
);

journey('starts in Chinese, and remembers another language and the appearance', async (open) => {
  const visitor = await open();
  const { page } = visitor;
  await signIn(visitor, ADMIN, '/ui/assets/labels');
  await page.getByRole('heading', { level: 1, name: '标签管理' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN');
  await page.getByRole('button', { name: /^语言/ }).click();
  await page.getByRole('menuitem', { name: 'English' }).click();
  await page.getByRole('heading', { level: 1, name: 'Labels' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Labels' }).waitFor();

  const scheme = () =>
    page.evaluate(() => document.documentElement.getAttribute('data-mantine-color-scheme'));
  expect(await scheme()).toBe('light');
  const kept = page.waitForResponse(
    (response) =>
      response.url().includes('/users/preferences/') && response.request().method() === 'PATCH',
  );
  await page.getByRole('button', { name: 'Appearance' }).click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await expect.poll(scheme).toBe('dark');
  await kept;

  // Another browser without a stored choice.
  const other = await open({ language: 'en' });
  await signIn(other, ADMIN, '/ui/assets/labels');
  await expect
    .poll(() =>
      other.page.evaluate(() => document.documentElement.getAttribute('data-mantine-color-scheme')),
    )
    .toBe('dark');
});

journey(
  'redirects an old link with a hash, and reports an unknown page as not found',
  async (open) => {
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await page.goto('about:blank');
    await page.goto('/ui/#/users/users');
    await page.waitForURL(/\/ui\/users\/users$/);
    await view.row('admin').first().waitFor();
    await page.goto('/ui/no/such/page');
    await page.waitForURL(/\/ui\/404$/);
    await page.getByText(view.say(frame.notFound)).waitFor();
    await page.getByRole('link', { name: view.say(frame.home) }).click();
    await page.waitForURL(/\/ui\/dashboard/);
  },
);

journey(
  'prompts once for a new sign-in when it has expired, and returns to the page',
  async (open) => {
    const visitor = await open({ language });
    const { page, context } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/domains');
    await view.heading.waitFor();
    await atRest(page);
    await context.clearCookies({ name: 'sessionid' });
    visitor.watch.allow(/^401 /);
    // The live channel may come back by itself at this moment.
    visitor.watch.allow(/\/ws\/live\/.* HTTP Authentication failed/);
    // The answer of an automatic request may arrive first: then the dialog covers the menu.
    await (await view.entry(language === 'zh' ? '标签管理' : 'Labels')).dispatchEvent('click');
    await view.dialog
      .getByText(
        language === 'zh' ? '账号已退出，请重新登录' : 'You account has logout, Please login again',
      )
      .waitFor();
    expect(await view.dialog.count()).toBe(1);
    await view.dialog
      .getByRole('button', { name: language === 'zh' ? '重新登录' : 'Re-Login' })
      .click();
    await page.waitForURL(/\/core\/auth\/login\/\?next=/);
  },
);

journey(
  'opens palette, search field, shortcuts and the terminal of an asset by keyboard alone',
  async (open, { admin, sshd }) => {
    const asset = await buildAsset(admin, sshd);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await view.heading.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content');

    await page.keyboard.press('Control+k');
    await view.dialog.getByRole('option').first().waitFor();
    await page.keyboard.type('Assets');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/ui\/assets\/assets/);
    await view.row(asset.name).waitFor();
    await view.dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(asset.name);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`search=${asset.name}`));
    await page.keyboard.press('Escape');
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('Shift+?');
    await view.dialog.getByText(view.say(keys.keyPalette)).waitFor();
    await page.keyboard.press('Escape');
    await view.dialog.waitFor({ state: 'detached' });

    // Tab reaches the row's own link.
    const link = page.getByRole('link', { name: asset.name, exact: true });
    for (
      let step = 0;
      step < 80 && !(await link.evaluate((element) => element === document.activeElement));
      step++
    )
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/ui/assets/assets/${asset.id}`));
    await page.getByRole('heading', { level: 1 }).getByText(asset.name).waitFor();
  },
);

journey(
  'loads the code of the next page before the click: for a hovered button, a focused link, a palette choice',
  async (open) => {
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await view.open('Users');
    const own = view.main.getByRole('link', { name: 'Administrator', exact: true }).first();
    await own.waitFor();
    await atRest(page);
    const address = page.url();
    const code = () => page.waitForRequest((request) => request.resourceType() === 'script');

    const [form] = await Promise.all([
      code(),
      view.main.getByRole('link', { name: 'Create', exact: true }).hover(),
    ]);
    await form.response();
    const [detail] = await Promise.all([code(), own.focus()]);
    await detail.response();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('combobox', { name: view.say(frame.palette) });
    await palette.waitFor();
    await atRest(page);
    await Promise.all([code(), palette.fill('Platforms')]);
    expect(page.url()).toBe(address);
    await page.keyboard.press('Enter');
    await page.waitForURL(/assets\/platforms/);
  },
);

journey('scrolls a row of tabs to those that do not fit', async (open) => {
  const visitor = await open({ language: 'en', size: { width: 360, height: 800 } });
  const { page } = visitor;
  await signIn(visitor, ADMIN, '/ui/users/profile');
  const tabs = page.getByRole('tablist').first();
  const last = tabs.getByRole('tab').last();
  await tabs.waitFor();
  const isWhole = async () => {
    const [row, tab] = [await tabs.boundingBox(), await last.boundingBox()];
    return !!row && !!tab && tab.x + tab.width <= row.x + row.width + 1;
  };
  expect(await isWhole()).toBe(false);
  const forward = tabs.locator('..').locator('[data-side="after"]');
  await forward.click();
  await expect.poll(isWhole).toBe(true);
  await forward.waitFor({ state: 'detached' });
  await tabs.locator('..').locator('[data-side="before"]').click();
  await expect.poll(isWhole).toBe(false);
});

journey(
  'leads to the sign-in page without the CSRF cookie, and back without a password',
  async (open) => {
    const visitor = await open({ language: 'en' });
    const { page, context } = visitor;
    const view = new ConsolePage(visitor);
    // The second address of the console works like the first one, and its links stay below it.
    for (const base of ['/ui', '/core/console']) {
      await signIn(visitor, ADMIN, `${base}/assets/labels?search=none`);
      await view.heading.filter({ hasText: 'Labels' }).waitFor();
      await context.clearCookies({ name: COOKIES.csrf });
      await page.reload();
      await page.waitForURL(/\/core\/auth\/login\/\?next=/);
      await view.link(signInWords.goOn).click();
      await page.waitForURL(({ pathname }) => pathname === `${base}/assets/labels`);
      await view.heading.filter({ hasText: 'Labels' }).waitFor();
      await view.open('Domains');
      await page.waitForURL(({ pathname }) => pathname === `${base}/assets/domains`);
      await view.link(common.create).first().click();
      await page.waitForURL(({ pathname }) => pathname === `${base}/assets/domains/create`);
    }
  },
);

journey(
  'offers five pages of a long list, and reports a console that cannot be opened in a toast and on its page',
  async (open, { admin }) => {
    const prefix = unique('label');
    const labels = Array.from({ length: 80 }, (_, index) => ({ name: prefix, value: `v${index}` }));
    expect((await admin.post('assets/labels/', labels)).status).toBe(201);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/assets/labels?search=${prefix}`);
    const pager = view.main.getByRole('navigation', { name: view.say(list.pagination) });
    const numbers = pager.getByRole('button', { name: /^Page \d+$/ });
    await pager.getByRole('button', { name: 'Page 6', exact: true }).waitFor();
    expect(await numbers.allInnerTexts()).toEqual(['1', '2', '3', '4', '6']);
    await pager.getByRole('button', { name: 'Page 4', exact: true }).click();
    await pager.locator('[aria-current="page"]').getByText('4', { exact: true }).waitFor();
    expect(await numbers.allInnerTexts()).toEqual(['1', '3', '4', '5', '6']);

    visitor.watch.allow(/profile\/start/, /500/);
    await page.route('**/api/v1/users/profile/start/', (route) =>
      route.fulfill({ status: 500, json: { code: 'failed', detail: 'no settings' } }),
    );
    await page.reload();
    const text = view.say(frame.startFailed);
    await page.getByRole('heading', { level: 1, name: text }).waitFor();
    // The toast loads after the page.
    await expect.poll(() => page.getByText(text).count()).toBe(2);
    await page.unroute('**/api/v1/users/profile/start/');
    await view.button(common.retry).click();
    await view.heading.filter({ hasText: 'Labels' }).waitFor();
  },
);
