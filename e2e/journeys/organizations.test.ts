import { organization, Permission, Role } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as frame } from '../../web/src/console/base/words.ts';
import { words as orgs } from '../../web/src/console/features/orgs/words.ts';
import { words as form } from '../../web/src/console/resource/form/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildPerson, unique } from '../harness/build.ts';
import { makeObjects, openEveryScreen } from '../harness/every-screen.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

const SAID = {
  zh: { list: '组织管理', assets: '资产列表' },
  en: { list: 'Organizations', assets: 'Assets' },
} as const;
const asset = (hostname: string) => ({ hostname, ip: '10.0.0.1', platform: 'Linux' });

journey(
  'creates an organization, adds members, works in it and leaves it',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const [boss, auditor] = [await buildPerson(admin), await buildPerson(admin)];
    const [ours, theirs] = [unique('default-host'), unique('branch-host')];
    await admin.post('assets/assets/', asset(ours));

    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    const { page } = visitor;
    const selector = page
      .getByLabel(view.say(frame.organization), { exact: true })
      .and(page.locator('input'));
    await signIn(visitor, ADMIN);
    await view.open(SAID[language].list);
    const name = unique(language === 'zh' ? '分公司' : 'Branch');
    await view.link(common.create).first().click();
    await view.field(organization.fields.name.label).fill(name);
    await view.choose(organization.fields.admins.label, boss.name);
    await view.submit();
    await view.notified(common.createSuccess);
    await view.row(name).getByRole('link', { name, exact: true }).click();
    const member = (person: { name: string; username: string }) =>
      view.button(view.say(form.removeItem, { name: `${person.name}(${person.username})` }));
    await member(boss).waitFor();

    const id = page.url().split('/').at(-1) ?? '';
    const rolesNow = async (): Promise<string[][]> => {
      const { body } = await admin.get<Record<'users' | 'admins' | 'auditors', string[]>>(
        `orgs/orgs/${id}/`,
      );
      return (['users', 'admins', 'auditors'] as const).flatMap((role) =>
        body[role].map((one) => [role, one]),
      );
    };
    // A second role for one, a first for another; neither takes anything away.
    for (const person of [boss, auditor]) {
      await view.choose(orgs.auditors, person.name);
      await view.button(common.add).and(page.locator(':enabled')).click();
      // While it is chosen, the select itself has such a button as well.
      await expect.poll(rolesNow).toContainEqual(['auditors', person.id]);
      await expect.poll(() => member(person).count()).toBe(person === boss ? 2 : 1);
    }
    expect((await rolesNow()).toSorted()).toEqual(
      [
        ['admins', boss.id],
        ['auditors', boss.id],
        ['auditors', auditor.id],
      ].toSorted(),
    );

    // The selector lists it without a reload. Choosing it leaves the object's page and shows the
    // organization's data.
    await admin.inOrganization(id).post('assets/assets/', asset(theirs));
    await selector.click();
    await page.getByRole('option', { name, exact: true }).click();
    await page.waitForURL((url) => url.pathname === '/ui/dashboard');
    await expect.poll(() => selector.inputValue()).toBe(name);
    await view.open(SAID[language].assets);
    await view.row(theirs).waitFor();
    await expect.poll(() => view.row(ours).count()).toBe(0);
    await selector.click();
    await page.getByRole('option', { name: 'DEFAULT', exact: true }).click();
    await view.row(ours).waitFor();
    await expect.poll(() => view.row(theirs).count()).toBe(0);
  },
);

/**
 * Part of the roles' permissions in the specification: the walk reads the declarations, this table
 * does not.
 */
const SPECIFIED: Readonly<
  Record<string, { readonly has: readonly string[]; readonly not: readonly string[] }>
> = {
  super: {
    has: [
      'dashboard',
      'PlatformList',
      'TerminalList',
      'TaskMonitor',
      'Settings',
      'OrganizationList',
      'LoginLog',
      'TicketList',
    ],
    not: ['MyAssets'],
  },
  boss: {
    has: [
      'dashboard',
      'UserList',
      'AssetList',
      'AssetPermissionList',
      'SessionList',
      'OpsTaskList',
      'TicketList',
      'LoginLog',
      'ChangeAuthPlanList',
      'UserProfile',
    ],
    not: [
      'PlatformList',
      'TerminalList',
      'ReplayStorageList',
      'CommandStorageList',
      'TaskMonitor',
      'Settings',
      'OrganizationList',
      'MyAssets',
    ],
  },
  auditor: {
    has: [
      'dashboard',
      'SessionList',
      'SessionDetail',
      'CommandList',
      'LoginLog',
      'FtpLog',
      'OperateLog',
      'PasswordChangeLog',
      'CommandExecutionLog',
      'UserProfile',
    ],
    not: [
      'UserList',
      'AssetList',
      'AssetPermissionList',
      'OpsTaskList',
      'CommandExecutions',
      'Settings',
      'TerminalList',
      'JobList',
    ],
  },
  user: {
    has: ['MyAssets', 'MyCommandExecutions', 'TicketList', 'RequestAccess', 'UserProfile'],
    not: [
      'dashboard',
      'UserList',
      'AssetList',
      'SessionList',
      'SessionDetail',
      'CommandList',
      'LoginLog',
      'OpsTaskList',
      'Settings',
      'AssetUserList',
    ],
  },
};

journey(
  'opens for super administrator, administrator, auditor and user exactly the screens of their role',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const [boss, auditor, user] = [
      await buildPerson(admin),
      await buildPerson(admin),
      await buildPerson(admin),
    ];
    const name = unique('org');
    const { body } = await admin.post<{ id: string }>('orgs/orgs/', {
      name,
      admins: [boss.id],
      auditors: [auditor.id],
      users: [user.id],
    });
    const ids = await makeObjects(admin.inOrganization(body.id), boss.id);
    // An administrator of an organization audits it as well: there is no further role.
    const roles = [
      { role: 'super', person: ADMIN, bits: Role.SuperAdmin },
      { role: 'boss', person: boss, bits: Role.OrgAdmin },
      { role: 'auditor', person: auditor, bits: Permission.AUDIT },
      { role: 'user', person: user, bits: Permission.USE },
    ];
    await Promise.all(
      roles.map(async ({ role, person, bits }) => {
        const visitor = await open({ language, size: { width: 1000, height: 300 } });
        const view = new ConsolePage(visitor);
        const { page } = visitor;
        await signIn(visitor, person);
        await view.heading.waitFor();
        const selector = page
          .getByLabel(view.say(frame.organization), { exact: true })
          .and(page.locator('input'));
        if (role === 'super') {
          await selector.click();
          await Promise.all([
            page.waitForEvent('load'),
            page.getByRole('option', { name, exact: true }).click(),
          ]);
          await view.heading.waitFor();
        } else {
          // With one organization there is no choice, and the user area never has one.
          expect([role, await selector.count()]).toEqual([role, 0]);
        }
        const opened = await openEveryScreen(visitor, {
          role: bits,
          ids,
          notFound: frame.notFound,
        });
        const { has = [], not = [] } = SPECIFIED[role] ?? {};
        expect([
          role,
          has.filter((screen) => !opened.includes(screen)),
          not.filter((screen) => opened.includes(screen)),
        ]).toEqual([role, [], []]);
        // The menu links exactly to the opened screens.
        expect([
          role,
          await view.menu
            .getByRole('button', { name: view.say(frame.people), exact: true })
            .count(),
        ]).toEqual([role, bits & Permission.ADMIN ? 1 : 0]);
        expect([
          role,
          await view.menu.getByRole('button', { name: view.say(frame.audit), exact: true }).count(),
        ]).toEqual([role, bits & Permission.AUDIT ? 1 : 0]);
      }),
    );
  },
);
