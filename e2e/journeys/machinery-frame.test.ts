import { API_VERSION, asset, domain, type LocalText } from '@sallyport/contract';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { words as frame } from '../../web/src/console/base/words.ts';
import { words as helpWords } from '../../web/src/console/features/help/words.ts';
import { words as jobWords } from '../../web/src/console/features/jobs/words.ts';
import { words as users } from '../../web/src/console/features/users/words.ts';
import { words as detailWords } from '../../web/src/console/resource/detail/words.ts';
import { words as form } from '../../web/src/console/resource/form/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { words as consequences, SENTENCES } from '../../web/src/kit/consequences/words.ts';
import { COOKIES } from '../../web/src/kit/cookies.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import type { VisitorOptions } from '../harness/browser.ts';
import { buildPerson, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { heardMessage } from '../harness/messages.ts';
import { withoutNews } from '../harness/news.ts';
import { ADMIN } from '../harness/server.ts';
import { visit } from '../harness/visit.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

journey(
  'shows the sidebar as a drawer below 992 pixels, closed by navigation, and stores its size in a cookie above',
  async (open) => {
    const visitor = await open({ language: 'en', size: { width: 991, height: 800 } });
    const { page, context } = visitor;
    const view = new ConsolePage(visitor);
    const status = async () =>
      (await context.cookies()).find(({ name }) => name === COOKIES.sidebar)?.value;
    await signIn(visitor, ADMIN, '/ui/assets/labels');
    await view.heading.waitFor();
    expect(await view.menu.count()).toBe(0);
    await view.button(frame.openMenu).click();
    await view.dialog.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.waitForURL(/\/ui\/assets\/domains/);
    await view.menu.waitFor({ state: 'detached' });

    await page.setViewportSize({ width: 1200, height: 800 });
    // Without a choice it is open, as after a reload.
    const footer = page.getByRole('contentinfo');
    const footerLeft = async () => Math.round((await footer.boundingBox())?.x ?? 0);
    await expect.poll(footerLeft).toBe(210);
    await view.button(frame.collapse).click();
    await expect.poll(status).toBe('0');
    await expect.poll(footerLeft).toBe(54);
    await page.setViewportSize({ width: 991, height: 800 });
    await view.menu.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1200, height: 800 });
    await expect.poll(footerLeft).toBe(54);
    await view.button(frame.expand).click();
    await expect.poll(status).toBe('1');
    await expect.poll(footerLeft).toBe(210);
    await expect
      .poll(async () =>
        Math.round((await page.getByRole('complementary').first().boundingBox())?.width ?? 0),
      )
      .toBe(220);
    await view.button(frame.collapse).click();
    await expect.poll(status).toBe('0');
    await page.reload();
    await view.heading.waitFor();
    await expect
      .poll(async () =>
        Math.round((await page.getByRole('complementary').first().boundingBox())?.width ?? 0),
      )
      .toBe(54);
    await page.getByText(`v${API_VERSION} GPLv2.`).waitFor();
  },
);

journey('clears the user’s data in the browser on sign-out', async (open) => {
  const visitor = await open({ language: 'en' });
  const { page, context } = visitor;
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, '/ui/terminal/session');
  await page.getByRole('tab').last().click();
  await view.button(frame.collapse).click();
  const ours = [
    COOKIES.organization,
    COOKIES.organizationHeader,
    COOKIES.role,
    COOKIES.sidebar,
    COOKIES.language,
    COOKIES.activeTab,
  ] as const;
  const held = async () =>
    (await context.cookies())
      .map(({ name }) => name)
      .filter((name) => ours.some((one) => one === name));
  await expect
    .poll(held)
    .toEqual(
      expect.arrayContaining([COOKIES.role, COOKIES.sidebar, COOKIES.language, COOKIES.activeTab]),
    );
  const days = async (name: string) =>
    Math.round(
      (((await context.cookies()).find((one) => one.name === name)?.expires ?? 0) -
        Date.now() / 1000) /
        86_400,
    );
  expect([await days(COOKIES.role), await days(COOKIES.activeTab)]).toEqual([14, 1]);
  const account = page.getByRole('button', { name: /^Account/ });
  await account.click();
  await page.getByRole('menuitem', { name: view.say(frame.accessKeys) }).waitFor();
  await page.getByRole('menuitem', { name: view.say(frame.profile) }).click();
  await page.waitForURL(/\/ui\/users\/profile$/);
  await page.getByRole('heading', { level: 1, name: 'User profile' }).waitFor();
  await account.click();
  await page.getByRole('menuitem', { name: view.say(frame.logout) }).click();
  await page.waitForURL(/\/core\/auth\/login\//);
  await page.locator('input[type="password"]').waitFor();
  expect(await held()).toEqual([]);
});

journey(
  `shows an object's page with title, back button, form and deletion, and reports a deleted object`,
  async (open, { admin }) => {
    const name = `${unique('domain')}-${'x'.repeat(90)}`;
    const { body } = await admin.post<{ id: string }>('assets/domains/', { name });
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/assets/domains?search=${name.slice(0, 15)}`);
    await view.row(name).getByRole('link').first().click();
    await view.heading.getByText('...').waitFor();
    const title = (await view.heading.textContent()) ?? '';
    expect(title.startsWith(language === 'zh' ? '网域: ' : 'Domain: ')).toBe(true);
    expect([...title]).toHaveLength(83);
    // The menu still shows where this belongs.
    expect(await view.menu.locator('[aria-current="page"]').textContent()).toBe(
      language === 'zh' ? '网域列表' : 'Domains',
    );
    await view.button(common.back).click();
    await page.waitForURL(/\?search=/);
    await page.goForward();

    await view.button(common.update).click();
    await page.waitForURL(new RegExp(`/ui/assets/domains/${body.id}/update$`));
    await page.goBack();
    await view.button(common.delete).click();
    await view.dialog.getByText(`${view.say(common.deleteQuestion)} "${name}" ?`).waitFor();
    await expect
      .poll(async () => Math.round((await view.dialog.boundingBox())?.y ?? 0))
      .toBe(Math.round(900 * 0.03));
    await view.dialog.getByRole('button', { name: view.say(common.delete), exact: true }).click();
    await view.notified(common.deleteSuccess);
    await page.waitForURL(/\/ui\/assets\/domains$/);

    visitor.watch.allow(/^404 GET /);
    await page.goto(`/ui/assets/domains/${body.id}`);
    await page.getByText(view.say(detailWords.resourceLost)).waitFor();
  },
);

journey(
  'shows an empty list with the reason when it cannot be read, and keeps the question of a failed deletion',
  async (open, { admin }) => {
    const name = unique('kept');
    await admin.post('assets/labels/', { name, value: 'v' });
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    // Otherwise the page would hear what others do meanwhile.
    await withoutNews(page);
    await signIn(visitor, ADMIN, `/ui/assets/labels?search=${name}`);
    await view.row(name).waitFor();
    // Another administrator deletes it first.
    const { body } = await admin.get<{ id: string }[]>(`assets/labels/?name=${name}`);
    await admin.delete(`assets/labels/${body[0]?.id}/`);
    visitor.watch.allow(/^404 DELETE /, /^404 POST .*\/consequences\//, /^400 GET /);
    await view
      .row(name)
      .getByRole('button', { name: view.say(common.delete) })
      .click();
    await view.dialog.getByRole('button', { name: view.say(common.delete), exact: true }).click();
    await page.getByRole('alert').getByText(view.say(common.deleteFailed)).waitFor();
    await view.dialog.getByText(view.say(common.deleteQuestion)).waitFor();
    await view.dialog.getByRole('button', { name: view.say(common.cancel) }).click();

    // A row that cannot be deleted is refused before the confirmation, with the reason: here the
    // user's own account.
    const deleteSelected = page.getByRole('menuitem', { name: view.say(list.deleteSelected) });
    await page.goto('/ui/users/users?search=admin');
    await view.row('admin').getByRole('checkbox').first().check();
    await view.button(list.moreActions).click();
    await deleteSelected.filter({ hasText: view.say(users.reasonOnPage) }).waitFor();
    expect(await deleteSelected.isDisabled()).toBe(true);

    // If the server refuses one of several rows, none is deleted: here an asset has used the
    // account since the question opened.
    const keepers = await Promise.all(
      ['free', 'used'].map((one) =>
        admin.post<{ id: string }>('assets/admin-users/', {
          name: `${name}-${one}`,
          username: 'root',
          password: 'kept',
        }),
      ),
    );
    const used = {
      hostname: unique('server'),
      ip: '192.0.2.1',
      protocols: ['ssh/22'],
      platform: 'Linux',
      admin_user: keepers[1]?.body.id,
    };
    await page.goto(`/ui/assets/admin-users?search=${name}`);
    for (const one of ['free', 'used'])
      await view.row(`${name}-${one}`).getByRole('checkbox').first().check();
    await view.button(list.moreActions).click();
    visitor.watch.allow(/^40[03] DELETE /);
    await deleteSelected.click();
    await view.dialog.getByText(view.say(consequences.nothing)).waitFor();
    expect((await admin.post('assets/assets/', used)).status).toBe(201);
    await view.answerToMany('deleteMany').click();
    await page.getByRole('alert').getByText(view.say(list.bulkDeleteFailed)).waitFor();
    await view.dialog.getByRole('button', { name: view.say(common.cancel) }).click();
    // From now on the question says so by itself.
    await view.button(list.moreActions).click();
    await deleteSelected.click();
    await view.dialog.getByText(view.say(SENTENCES.assets_blocking, { count: 1 })).waitFor();
    await view.dialog.getByRole('button', { name: view.say(common.cancel) }).click();
    await expect.poll(() => view.rows.count()).toBe(2);

    await page.goto('/ui/assets/labels?id=nonsense');
    await page.getByText(view.say(list.failed)).waitFor();
    await expect.poll(() => view.rows.count()).toBe(0);
    // The toast of a refused request, in the words of the specification.
    await page.getByText(view.say(common.badRequest)).first().waitFor();
  },
);

journey(
  'reads ten options of a select at a time, and resolves the names of chosen ids',
  async (open, { admin }) => {
    const start = unique('choice');
    const groups = await admin.post<{ id: string }[]>(
      'users/groups/',
      Array.from({ length: 12 }, (_, number) => ({ name: `${start}-${number + 10}` })),
    );
    const person = await admin.post<{ id: string }>('users/users/', {
      name: start,
      username: start,
      email: `${start}@example.com`,
      password: 'a password of the journeys 1',
      groups: groups.body.map(({ id }) => id),
    });
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const requests: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/v1/users/groups/')
        requests.push(
          `${searchParams.has('ids') ? 'set' : 'all'} ${searchParams.get('offset')} ${searchParams.get('limit')}`,
        );
    });
    await signIn(visitor, ADMIN, `/ui/users/users/${person.body.id}/update`);
    for (const number of [10, 21])
      await page.getByText(`${start}-${number}`, { exact: true }).first().waitFor();
    // A live update in the meantime causes one more request.
    expect([...new Set(requests.filter((one) => one.startsWith('set')))]).toEqual([
      'set 0 10',
      'set 10 10',
    ]);
    await page.getByRole('combobox', { name: 'User groups' }).click();
    await page.getByRole('option').first().waitFor();
    expect(requests.filter((one) => one.startsWith('all'))[0]).toBe('all 0 10');

    // The card on the user's page shows ten, more on demand, and keeps the rest after a removal.
    await page.goto(`/ui/users/users/${person.body.id}`);
    const card = page.getByRole('region', { name: 'User groups' });
    const minus = card.getByRole('button', { name: new RegExp(`^Remove ${start}`) });
    await expect.poll(() => minus.count()).toBe(10);
    await card.getByRole('button', { name: 'More', exact: true }).click();
    await expect.poll(() => minus.count()).toBe(12);
    await minus.first().click();
    await heardMessage(page, 'Removed');
    await expect.poll(() => minus.count()).toBeLessThan(12);
    expect(
      (await admin.get<{ groups: string[] }>(`users/users/${person.body.id}/`)).body.groups,
    ).toHaveLength(11);
  },
);

journey(
  'creates, shows and changes an object in a dialog without leaving the page',
  async (open, { admin }) => {
    const name = unique('network');
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/assets/create');
    await view.unfold(form.moreOptions);
    const select = view.field(asset.fields.domain.label).and(page.getByRole('combobox'));
    await select.fill(name);
    await page
      .getByRole('option', { name: view.say(form.createNew, { what: view.say(domain.title) }) })
      .click();
    // Submitting the dialog does not submit the form around it, which lacks a host name.
    await view.dialog.getByRole('button', { name: view.say(common.submit) }).click();
    await view.dialog.waitFor({ state: 'detached' });
    await expect.poll(() => select.inputValue()).toBe(name);
    await expect.poll(() => page.locator('[aria-invalid="true"]').count()).toBe(0);
    const { body } = await admin.get<{ id: string }[]>(`assets/domains/?name=${name}`);
    const own = body[0]?.id ?? '';

    const gatewayName = unique('gateway');
    await admin.post('assets/gateways/', {
      name: gatewayName,
      ip: '192.0.2.7',
      port: 22,
      domain: own,
      username: 'hop',
      password: 'quiet secret',
    });
    page.on('dialog', (warning) => void warning.accept());
    await page.goto(`/ui/assets/domains/${own}?activeTab=GatewayList`);
    await view.button(gatewayName).click();
    await view.dialog.getByText('192.0.2.7').waitFor();
    expect(await view.dialog.getByRole('textbox').count()).toBe(0);
    expect(await view.dialog.getByText('quiet secret').count()).toBe(0);
    await view.dialog.getByRole('button', { name: view.say(common.update) }).click();
    await view.dialog.getByRole('textbox', { name: 'IP' }).fill('192.0.2.8');
    await view.dialog.getByRole('button', { name: view.say(common.submit) }).click();
    await view.notified(common.updateSuccess);
    await view.dialog.waitFor({ state: 'detached' });
    await view.row('192.0.2.8').waitFor();
  },
);

journey(
  'opens help in separate windows: guides, support and licensed features',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    /** Signs a user in; then an entry of a menu opens a window. */
    const enter = async (
      account: { username: string; password: string },
      options: VisitorOptions,
    ) => {
      const visitor = await open(options);
      const view = new ConsolePage(visitor);
      await signIn(visitor, account, '/ui/');
      await view.heading.waitFor();
      const follow = async (menu: Locator, item: LocalText) => {
        await menu.click();
        const window = await visitor.windowFrom(() =>
          visitor.page.getByRole('menuitem', { name: view.say(item), exact: true }).click(),
        );
        await window.getByRole('heading', { level: 1 }).waitFor();
        return window;
      };
      const entry = (item: LocalText) =>
        visitor.page.getByRole('menuitem', { name: view.say(item), exact: true });
      return {
        view,
        follow,
        entry,
        own: visitor.page.getByRole('button', { name: new RegExp(`^${view.say(frame.account)}`) }),
      };
    };

    const boss = await enter(ADMIN, { language: 'en', theme: 'dark' });
    const help = boss.view.button(frame.help);
    const docs = await boss.follow(help, frame.docs);
    expect(new URL(docs.url()).pathname).toBe('/ui/help/docs');
    await docs.getByRole('heading', { level: 2, name: 'Web terminal' }).waitFor();
    await docs.getByText(boss.view.say(helpWords.operatorGuide), { exact: true }).click();
    await docs.getByRole('heading', { level: 2, name: 'Back up', exact: true }).waitFor();
    const support = await boss.follow(help, frame.support);
    await support.getByText(/Sallyport \d+\.\d+\.\d+/).waitFor();
    await support.getByText(boss.view.say(helpWords.up), { exact: true }).first().waitFor();
    const enterprise = await boss.follow(help, frame.enterprise);
    await enterprise.getByText(boss.view.say(helpWords.closed), { exact: true }).first().waitFor();
    await boss.own.click();
    await boss.entry(frame.logout).waitFor();
    expect(await boss.entry(frame.docs).count()).toBe(0);

    // On the user page the own menu leads there, too.
    const worker = await enter(person, { language: 'zh' });
    const overview = await worker.follow(worker.own, frame.help);
    await overview.getByText('用户手册', { exact: true }).waitFor();
    await worker.own.click();
    for (const item of [frame.docs, frame.support]) await worker.entry(item).waitFor();

    // Pages of the operator replace the entries; an empty address keeps the page of the console.
    const outside = {
      HELP_DOCS_URL: 'https://wiki.example.com/',
      TASK_MONITOR_URL: 'https://flower.example.com/',
    };
    await admin.patch('settings/setting/', { basic: outside });
    const { page } = boss.view;
    await page.goto('/ui/ops/task/monitor');
    const monitor = page.getByRole('link', { name: boss.view.say(jobWords.monitor) });
    expect(await monitor.getAttribute('href')).toBe(outside.TASK_MONITOR_URL);
    expect(await monitor.getAttribute('rel')).toBe('noopener');
    await help.click();
    const addresses = [frame.docs, frame.support].map((item) =>
      boss.entry(item).getAttribute('href'),
    );
    expect(await Promise.all(addresses)).toEqual([outside.HELP_DOCS_URL, '/ui/help/support']);
    await admin.patch('settings/setting/', {
      basic: { HELP_DOCS_URL: '', TASK_MONITOR_URL: '' },
    });
  },
);

journey(
  'scrolls a long row of visited pages by a quarter of the wheel’s distance',
  async (open) => {
    const visitor = await open({ language: 'en', size: { width: 1000, height: 500 } });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await view.heading.waitFor();
    for (const path of [
      'users/users',
      'users/users/create',
      'users/groups',
      'assets/assets',
      'assets/domains',
      'assets/domains/create',
      'assets/labels',
      'assets/labels/create',
      'terminal/session',
    ])
      await visit(visitor, `/ui/${path}`);
    await page.goto('/ui/dashboard');
    await view.heading.waitFor();
    const bar = view.tabs.locator('..');
    const left = () => bar.evaluate((element) => element.scrollLeft);
    await expect.poll(left).toBe(0);
    await bar.hover();
    await page.mouse.wheel(0, 400);
    await expect.poll(left).toBe(100);
    expect(await page.evaluate(() => window.scrollY)).toBe(0);

    // The last tab is brought into view with the margin, and its menu is as wide as specified.
    await bar.evaluate((element) => {
      element.scrollLeft = 0;
    });
    const last = view.tabs.getByRole('link', { name: 'Sessions', exact: true });
    await last.dispatchEvent('click');
    await page.waitForURL(/\/ui\/terminal\/session/);
    const gap = () =>
      last.evaluate((link) => {
        const tab = link.parentElement;
        const row = tab?.closest<HTMLElement>('nav')?.parentElement;
        return tab && row
          ? Math.round(row.scrollLeft + row.clientWidth - tab.offsetLeft - tab.offsetWidth)
          : undefined;
      });
    await expect.poll(gap).toBe(4);
    await last.click({ button: 'right' });
    await expect
      .poll(async () => Math.round((await page.getByRole('menu').boundingBox())?.width ?? 0))
      .toBe(105);
  },
);
