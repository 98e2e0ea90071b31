import { Permission, Role } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { words as frame } from '../../web/src/console/base/words.ts';
import { COOKIES } from '../../web/src/kit/cookies.ts';
import { atRest } from '../harness/at-rest.ts';
import type { Visitor } from '../harness/browser.ts';
import { buildPerson, create, unique } from '../harness/build.ts';
import { type OpenBrowser, useOwnServer } from '../harness/journey.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { visit } from '../harness/visit.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

const PROFILE = '/api/v1/users/profile/';

const cookieOf = async ({ context }: Visitor, name: string) =>
  (await context.cookies()).find((cookie) => cookie.name === name)?.value;

/** The organization that the browser remembers. */
const organizationIn = async (visitor: Visitor): Promise<unknown> =>
  JSON.parse(decodeURIComponent((await cookieOf(visitor, COOKIES.organization)) ?? 'null'));

/** The requests of a page, in order, each as its path and organization. */
function requestsOf(page: Page): { readonly path: string; readonly organization?: string }[] {
  const requests: { readonly path: string; readonly organization?: string }[] = [];
  page.on('request', (request) => {
    const organization = request.headers()['x-jms-org'];
    requests.push({
      path: new URL(request.url()).pathname,
      ...(organization !== undefined && { organization }),
    });
  });
  return requests;
}

async function openAs(
  open: OpenBrowser,
  account: { readonly username: string; readonly password: string },
  where = '/ui/',
) {
  const visitor = await open({ language: 'en' });
  const view = new ConsolePage(visitor);
  await signIn(visitor, account, where);
  await view.heading.waitFor();
  return { visitor, view, page: visitor.page };
}

const accountMenu = (view: ConsolePage) =>
  view.page.getByRole('button', { name: new RegExp(`^${view.say(frame.account)}`) });

/** The switch to the other side that the account menu offers; both names if there are both. */
async function offeredSides(view: ConsolePage): Promise<string[]> {
  await accountMenu(view).click();
  await view.page.getByRole('menuitem', { name: view.say(frame.logout) }).waitFor();
  const names = await view.page.getByRole('menuitem').allInnerTexts();
  await view.page.keyboard.press('Escape');
  return names.filter((name) => name === frame.userPage.en || name === frame.adminPage.en);
}

async function chooseSide(view: ConsolePage, name: string): Promise<void> {
  await accountMenu(view).click();
  await Promise.all([
    view.page.waitForEvent('load'),
    view.page.getByRole('menuitem', { name, exact: true }).click(),
  ]);
  await view.heading.waitFor();
}

journey(
  'sets the title of the page before the first answer, and opens /login without a check',
  async (open) => {
    const { visitor, view, page } = await openAs(open, ADMIN, '/ui/assets/labels');
    // Without another title, the site has the name of the product.
    await expect.poll(() => page.title()).toBe('Labels · Sallyport');
    const held = Promise.withResolvers<void>();
    await page.route(`**${PROFILE}start/`, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto('/ui/assets/domains', { waitUntil: 'commit' });
    await expect.poll(() => page.title()).toBe('Domains · Sallyport');
    expect(await view.heading.filter({ hasText: 'Domains' }).count()).toBe(0);
    held.resolve();
    await view.heading.filter({ hasText: 'Domains' }).waitFor();
    await atRest(page);

    // The user is signed in, so any other page would ask for the profile.
    const requests = requestsOf(page);
    await page.goto('/ui/login');
    await page.waitForURL((url) => url.pathname === '/core/auth/login/');
    const paths = requests.map(({ path }) => path);
    expect(paths[0]).toBe('/ui/login');
    expect(
      paths.slice(0, paths.indexOf('/core/auth/login/')).filter((path) => path.startsWith('/api/')),
    ).toEqual([]);
    expect(await page.title()).toMatch(/ · Sallyport$/);
    expect(await cookieOf(visitor, COOKIES.csrf)).toBeTruthy();
  },
);

journey(
  'takes organization and role that the user has, and keeps both on the next pages',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const [boss, auditor, user] = [
      await buildPerson(admin),
      await buildPerson(admin),
      await buildPerson(admin),
    ];
    const [east, west, foreign] = [unique('east'), unique('west'), unique('foreign')];
    const ids = {
      east: await create(admin, 'orgs/orgs/', {
        name: east,
        admins: [boss.id],
        auditors: [auditor.id],
        users: [user.id],
      }),
      west: await create(admin, 'orgs/orgs/', { name: west, admins: [boss.id] }),
      foreign: await create(admin, 'orgs/orgs/', { name: foreign, users: [boss.id] }),
    };

    const { visitor, view, page } = await openAs(open, boss);
    const selector = page
      .getByLabel(view.say(frame.organization), { exact: true })
      .and(page.locator('input'));
    await selector.click();
    // The organizations of the profile: not the one where the user is a plain member.
    expect((await page.getByRole('option').allInnerTexts()).toSorted()).toEqual(
      [east, west].toSorted(),
    );
    await Promise.all([
      page.waitForEvent('load'),
      page.getByRole('option', { name: west, exact: true }).click(),
    ]);
    await view.heading.waitFor();
    expect(await organizationIn(visitor)).toEqual({ id: ids.west, name: west });
    expect(await cookieOf(visitor, COOKIES.role)).toBe(String(Role.OrgAdmin));

    // Once per page load: the next pages request neither the profile nor the settings.
    await atRest(page);
    const later = requestsOf(page);
    for (const path of ['assets/labels', 'assets/domains', 'users/groups'])
      await visit(visitor, `/ui/${path}`);
    await atRest(page);
    const paths = later.map(({ path }) => path);
    expect(paths).toContain('/api/v1/users/groups/');
    const first = [PROFILE, `${PROFILE}start/`, '/api/v1/settings/public/'];
    expect(paths.filter((path) => first.includes(path))).toEqual([]);
    expect(await selector.inputValue()).toBe(west);

    // A remembered organization without a permission there, and a role of another user.
    const { url } = server;
    const forged = (name: string, value: string) => ({ name, value, url });
    await visitor.context.addCookies([
      forged(
        COOKIES.organization,
        encodeURIComponent(JSON.stringify({ id: ids.foreign, name: foreign })),
      ),
      forged(COOKIES.organizationHeader, ids.foreign),
      forged(COOKIES.role, String(Role.SuperAdmin)),
    ]);
    later.length = 0;
    await page.reload();
    await view.heading.waitFor();
    await atRest(page);
    const own = (await organizationIn(visitor)) as { id: string };
    expect([ids.east, ids.west]).toContain(own.id);
    expect(await cookieOf(visitor, COOKIES.role)).toBe(String(Role.OrgAdmin));
    const last = later.findLastIndex(({ path }) => path === PROFILE);
    expect(later[last]?.organization).toBe(own.id);
    expect(
      later
        .slice(last)
        .map(({ organization }) => organization)
        .filter((id) => id !== undefined && id !== own.id),
    ).toEqual([]);
    await page.goto('/ui/assets/platforms');
    await page.waitForURL(/\/ui\/404$/);
    await page.goto('/ui/');
    await view.heading.waitFor();

    // A covered role stays until the user chooses another one.
    expect(await offeredSides(view)).toEqual([frame.userPage.en]);
    await chooseSide(view, frame.userPage.en);
    await page.waitForURL((to) => to.pathname === '/ui/');
    expect(await cookieOf(visitor, COOKIES.role)).toBe(String(Role.User));
    await page.reload();
    await view.heading.waitFor();
    expect(await offeredSides(view)).toEqual([frame.adminPage.en]);
    expect(await selector.count()).toBe(0);
    await chooseSide(view, frame.adminPage.en);
    await page.waitForURL((to) => to.pathname === '/ui/dashboard');
    expect(await cookieOf(visitor, COOKIES.role)).toBe(String(Role.OrgAdmin));

    // The other roles: what they start with, and which side they can change to.
    for (const { account, role, sides } of [
      { account: ADMIN, role: Role.SuperAdmin, sides: [frame.userPage.en] },
      { account: auditor, role: Permission.AUDIT, sides: [frame.userPage.en] },
      { account: user, role: Role.User, sides: [] },
    ]) {
      const other = await openAs(open, account);
      expect(await offeredSides(other.view)).toEqual(sides);
      expect([account.username, await cookieOf(other.visitor, COOKIES.role)]).toEqual([
        account.username,
        String(role),
      ]);
    }
  },
);

journey(
  'changes to an organization of the user who asks for the admin page where there is none',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const boss = await buildPerson(admin);
    const [here, there] = [unique('here'), unique('there')];
    const first = await create(admin, 'orgs/orgs/', { name: here, admins: [boss.id] });
    const second = await create(admin, 'orgs/orgs/', { name: there, admins: [boss.id] });
    const { visitor, view, page } = await openAs(open, boss);
    const current = ((await organizationIn(visitor)) as { id: string }).id;
    const other = current === first ? { id: second, name: there } : { id: first, name: here };
    // The roles of the current organization end while its name is still in the profile.
    const without = { current_org_roles: ['User'] };
    await page.route(`**${PROFILE}{,start/}`, async (route) => {
      if (route.request().headers()['x-jms-org'] !== current) return route.continue();
      const answer = await route.fetch();
      const body = (await answer.json()) as { readonly profile?: object };
      const json = body.profile
        ? { ...body, profile: { ...body.profile, ...without } }
        : { ...body, ...without };
      return route.fulfill({ response: answer, json });
    });
    await page.goto('/ui/');
    await view.heading.waitFor();
    expect(await offeredSides(view)).toEqual([frame.adminPage.en]);
    await chooseSide(view, frame.adminPage.en);
    await expect.poll(() => organizationIn(visitor)).toEqual(other);
    await page.waitForURL((url) => url.pathname === '/ui/dashboard');
    expect(await cookieOf(visitor, COOKIES.role)).toBe(String(Role.OrgAdmin));
  },
);

journey(
  'hides the pages of batch commands until the setting is on, and lands on / after the last tab',
  async (open, { admin }) => {
    const set = async (value: boolean) =>
      expect(
        (
          await admin.patch('settings/setting/', {
            security: { SECURITY_COMMAND_EXECUTION: value },
          })
        ).status,
      ).toBe(200);
    const user = await buildPerson(admin);
    const sides = [
      {
        ...(await openAs(open, ADMIN)),
        path: '/ui/ops/command-executions/create',
        start: '/ui/dashboard',
      },
      { ...(await openAs(open, user)), path: '/ui/command-executions', start: '/ui/' },
    ];
    for (const isOn of [false, true]) {
      await set(isOn);
      for (const { view, page, path } of sides) {
        await page.goto('/ui/');
        await view.menu.getByRole('link').first().waitFor({ state: 'attached' });
        const entry = view.menu.locator(`a[href="${path}"]`);
        expect([path, isOn, await entry.count()]).toEqual([path, isOn, isOn ? 1 : 0]);
        await page.goto(path);
        await page.waitForURL((url) => url.pathname === (isOn ? path : '/ui/404'));
        await view.heading.waitFor();
      }
    }
    for (const { view, page, visitor, start } of sides) {
      const tabs = view.tabs.getByRole('link');
      const last = tabs.and(page.getByRole('link', { name: 'User profile', exact: true }));
      await visit(visitor, '/ui/users/profile');
      await last.click({ button: 'right' });
      await page.getByRole('menuitem', { name: frame.tabCloseOthers.en, exact: true }).click();
      await expect.poll(() => tabs.count()).toBe(2);
      // The tab of / itself stays.
      await last.click({ button: 'middle' });
      await expect.poll(() => tabs.count()).toBe(1);
      await page.waitForURL((url) => url.pathname === start);
    }
  },
);
