import pg from 'pg';
import { expect } from 'vitest';
import { until } from '../../server/src/testing/poll.ts';
import { words as assets } from '../../web/src/console/features/assets/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { words as tree } from '../../web/src/console/tree/words.ts';
import { COOKIES } from '../../web/src/kit/cookies.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildAsset, buildGranted, buildSystemUser, create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { recordedSession } from '../harness/sessions.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { TerminalPage } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

const DAY = 86_400_000;
const MINUTE = 60;
const HOUR = 3_600;

journey('offers four ranges of dates, and whole days by default', async (open) => {
  const visitor = await open({ language: 'en' });
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  const ranges: (readonly [from: string, to: string])[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (request.method() === 'GET' && pathname.endsWith('/audits/login-logs/'))
      ranges.push([searchParams.get('date_from') ?? '', searchParams.get('date_to') ?? '']);
  });
  /** The time of day of a date, as the user has it. */
  const clockOf = (date: string | undefined) =>
    page.evaluate((text) => new Date(text).toTimeString().slice(0, 8), date ?? '');
  await signIn(visitor, ADMIN, '/ui/audits/login-log');
  await view.rows.first().waitFor();
  const [from, to] = ranges[0] ?? [];
  expect([await clockOf(from), await clockOf(to)]).toEqual(['00:00:01', '23:59:59']);

  const picker = page.getByRole('button', { name: /^Date range: / });
  await picker.click();
  await expect
    .poll(() => view.dialog.getByLabel('From').first().inputValue())
    .toMatch(/ 00:00:01$/);
  await expect.poll(() => view.dialog.getByLabel('To').first().inputValue()).toMatch(/ 23:59:59$/);
  // A day without a time gets the default one.
  for (const [name, time] of [
    ['From', '00:00:01'],
    ['To', '23:59:59'],
  ] as const) {
    const field = view.dialog.getByLabel(name).first();
    await field.fill('2026-03-04');
    await field.press('Enter');
    await expect.poll(() => field.inputValue()).toBe(`2026-03-04 ${time}`);
  }
  await page.keyboard.press('Escape');

  for (const [name, days] of [
    [list.lastDay.en, 1],
    [list.lastWeek.en, 7],
    [list.lastMonth.en, 30],
    [list.lastQuarter.en, 90],
  ] as const) {
    const before = ranges.length;
    await picker.click();
    await view.dialog.getByRole('button', { name, exact: true }).click();
    await expect.poll(() => ranges.length).toBeGreaterThan(before);
    const [start, end] = ranges.at(-1) ?? [];
    expect([name, Date.parse(end ?? '') - Date.parse(start ?? '')]).toEqual([name, days * DAY]);
  }
});

journey(
  'shows up to two actions of a row, otherwise the first and a menu',
  async (open, { admin, sshd }) => {
    const name = unique('tag');
    await admin.post('assets/labels/', { name, value: 'v' });
    const asset = await buildAsset(admin, sshd);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/assets/labels?search=${name}`);
    const actionsOf = (row: string) => view.row(row).getByRole('cell').last().getByRole('button');
    await view.row(name).waitFor();
    await expect
      .poll(() => actionsOf(name).allInnerTexts())
      .toEqual([common.update.en, common.delete.en]);
    await page.goto(`/ui/assets/assets?search=${asset.name}`);
    await view.row(asset.name).waitFor();
    await expect.poll(() => actionsOf(asset.name).count()).toBe(2);
    const [first, more] = [actionsOf(asset.name).first(), actionsOf(asset.name).last()];
    expect(await first.textContent()).toBe(common.update.en);
    expect(await more.getAttribute('aria-haspopup')).toBe('menu');
    await more.click();
    await page.getByRole('menuitem', { name: common.delete.en, exact: true }).waitFor();
    expect(await page.getByRole('menuitem').count()).toBeGreaterThan(1);
  },
);

journey(
  'shows durations in days, hours, minutes or seconds with one decimal',
  async (open, { admin, server, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    await signIn(visitor, person, `/luna/?login_to=${asset.id}`);
    const terminal = new TerminalPage(visitor.page, 'en', asset.name);
    await terminal.ready();
    await terminal.run('exit');
    const id = await recordedSession(admin, `asset=${asset.name}`);

    const desk = await open({ language: 'en' });
    const view = new ConsolePage(desk);
    const database = new pg.Client(server.databaseUrl);
    await database.connect();
    try {
      await signIn(desk, ADMIN, '/ui/terminal/session?activeTab=OfflineList');
      for (const [seconds, text] of [
        [42, '42.0 s'],
        [2.6 * MINUTE, '2.6 min'],
        [30 * MINUTE, '30.0 min'],
        [1.5 * HOUR, '1.5 h'],
        [60 * HOUR, '2.5 d'],
      ] as const) {
        await database.query(
          'update session set date_start = date_end - make_interval(secs => $2) where id = $1',
          [id, seconds],
        );
        await desk.page.reload();
        await view.row(asset.name).getByText(text, { exact: true }).waitFor();
      }
    } finally {
      await database.end();
    }
  },
);

journey(
  'nests the nodes of a tree below their parents, and opens the tab of the address, of the cookie, or the first',
  async (open, { admin, sshd }) => {
    const [above, below] = [unique('above'), unique('below')];
    const [root] = (await admin.get<{ id: string }[]>('assets/nodes/')).body;
    const parent = await create(admin, `assets/nodes/${root?.id}/children/`, { value: above });
    await create(admin, `assets/nodes/${parent}/children/`, { value: below });
    const account = await buildSystemUser(admin, sshd);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/assets');
    const item = (name: string) =>
      page.getByRole('tree', { name: view.say(tree.tree) }).getByRole('treeitem', { name });
    await item(above).waitFor();
    expect(await item(below).count()).toBe(0);
    await item(above).click();
    await page.keyboard.press('ArrowRight');
    await item(below).waitFor();
    const level = async (name: string) => Number(await item(name).getAttribute('aria-level'));
    expect([await level(above), await level(below)]).toEqual([2, 3]);

    const address = `/ui/assets/system-users/${account.id}`;
    const tab = (isOpen: boolean) => page.getByRole('tab', { selected: isOpen });
    const first = () => page.getByRole('tab').first().textContent();
    await page.goto(`${address}?activeTab=AssetList`);
    await tab(true).filter({ hasText: assets.assetList.en }).waitFor();
    // An address alone keeps nothing.
    await page.goto(address);
    await expect.poll(async () => (await tab(true).allInnerTexts())[0]).toBe(await first());
    await page.getByRole('tab', { name: assets.assetList.en, exact: true }).click();
    await page.waitForURL(/activeTab=AssetList/);
    await page.goto(address);
    await tab(true).filter({ hasText: assets.assetList.en }).waitFor();
    await page.goto(`${address}?activeTab=Detail`);
    await expect.poll(async () => (await tab(true).allInnerTexts())[0]).toBe(await first());
    await visitor.context.clearCookies({ name: COOKIES.activeTab });
    await page.goto(address);
    await expect.poll(async () => (await tab(true).allInnerTexts())[0]).toBe(await first());
    await until(async () => (await tab(true).count()) === 1, 'one tab is open');
  },
);
