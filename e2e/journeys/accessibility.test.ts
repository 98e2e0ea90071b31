import { Permission } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as terminalWords } from '../../web/src/console/features/sessions/words.ts';
import { atRest } from '../harness/at-rest.ts';
import { problemsAndOtherTheme, problemsOf, showTheme } from '../harness/axe.ts';
import { buildGranted, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { countLayoutShift, movesOf } from '../harness/layout-shift.ts';
import { declaredScreens } from '../harness/screens.ts';
import { ADMIN } from '../harness/server.ts';
import { recordedSession } from '../harness/sessions.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { replayPage } from '../pages/replay-page.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signIn, signInPage } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

/** The screens of the administrator's console that need no object, by their declaration. */
const screens = async () =>
  (await declaredScreens()).filter(
    ({ component, path, permissions, licenseRequired, unlisted }) =>
      component &&
      !licenseRequired &&
      !unlisted &&
      !path.includes('$') &&
      permissions !== Permission.USE,
  );

/** Addresses that no declaration knows. */
const UNDECLARED = [
  '/ui/terminal/session?activeTab=OfflineList',
  ...['Email', 'Ldap', 'Security', 'License'].map((tab) => `/ui/settings?activeTab=${tab}`),
  ...[
    'ProfileUpdate',
    'PasswordUpdate',
    'SSHUpdate',
    'MFA',
    'AccessKeys',
    'SignIns',
    'LoginHistory',
    'Preferences',
  ].map((tab) => `/ui/users/profile?activeTab=${tab}`),
  '/ui/help/docs?guide=operator',
  '/ui/404',
];

journey(
  'finds no serious accessibility fault or layout shift on any page of the console, light or dark',
  async (open, { admin, sshd }) => {
    const { person, asset, account, rule } = await buildGranted(admin, sshd);
    const domain = (await admin.post<{ id: string }>('assets/domains/', { name: unique('domain') }))
      .body.id;
    const details = [
      `/ui/users/users/${person.id}`,
      `/ui/assets/assets/${asset.id}`,
      `/ui/assets/domains/${domain}`,
      `/ui/assets/system-users/${account.id}`,
      `/ui/perms/asset-permissions/${rule.id}`,
    ];
    const problems: string[] = [];
    const visitor = await open();
    const { page } = visitor;
    await countLayoutShift(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    const load = async (address: string) => {
      await page.goto(address);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await atRest(page);
      problems.push(...(await movesOf(page, address)));
    };

    // Lists and forms of resources share their components and colors: half of them are shown dark.
    const declared = await screens();
    const shared = declared.filter(({ resource }) => resource !== undefined);
    for (const theme of ['light', 'dark'] as const) {
      await showTheme(page, theme);
      for (const [index, { path }] of shared.entries()) {
        if ((index % 4 < 2 ? 'light' : 'dark') !== theme) continue;
        await load(`/ui${path}`);
        problems.push(...(await problemsOf(page, `${path}, ${theme}`, ['light'])));
      }
    }

    // Every other page has its contrasts checked in both themes.
    const others = declared
      .filter((screen) => !shared.includes(screen))
      .map(({ path }) => `/ui${path}`);
    for (const address of [...others, ...UNDECLARED, ...details]) {
      await load(address);
      problems.push(...(await problemsAndOtherTheme(page, address)));
    }
    await page.goto('/ui/dashboard');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    problems.push(...(await problemsOf(page, 'palette')));
    expect(problems).toEqual([]);
  },
  600_000,
);

journey(
  'finds no serious accessibility fault on the sign-in page, user pages, terminal, watching and replay',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const problems: string[] = [];
    const worker = await open({ language: 'en' });
    await signInPage(worker).open();
    problems.push(...(await problemsOf(worker.page, 'sign-in')));
    await signIn(worker, person, '/ui/');
    await new ConsolePage(worker).row(asset.name).waitFor();
    problems.push(...(await problemsOf(worker.page, 'my assets')));
    await worker.page.goto('/luna/');
    problems.push(...(await problemsOf(worker.page, 'terminal, empty')));
    const terminal = await connectTo(worker.page, 'en', asset);
    await terminal.ready();
    await terminal.run('ls -la /');
    problems.push(...(await problemsOf(worker.page, 'terminal')));

    const guard = await open({ language: 'en' });
    await signIn(guard, ADMIN, '/ui/terminal/session');
    const watched = await sessionsPage(guard).watch(person.name, asset.name);
    await watched.getByRole('main').getByText('drwx').first().waitFor();
    problems.push(...(await problemsOf(watched, 'watching')));
    await watched.close();
    await terminal.run('exit');
    await terminal.notice.waitFor();
    problems.push(...(await problemsOf(worker.page, 'terminal, ended')));

    const session = await recordedSession(admin, `asset_id=${asset.id}`);
    await guard.page.goto(`/ui/terminal/sessions/${session}`);
    await guard.page.getByRole('heading', { level: 1 }).waitFor();
    problems.push(...(await problemsOf(guard.page, 'session')));
    const moment = guard.page
      .getByRole('list', { name: terminalWords.timeline.en })
      .getByRole('listitem')
      .filter({ hasText: 'ls -la /' })
      .getByRole('link');
    const replay = await guard.windowFrom(() => moment.click());
    await replayPage(replay, 'en').play.waitFor();
    problems.push(...(await problemsOf(replay, 'replay')));
    expect(problems).toEqual([]);
  },
);
