import { expect } from 'vitest';
import { problemsOf } from '../harness/axe.ts';
import { buildGranted, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { replayPage } from '../pages/replay-page.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signIn, signInPage } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useStage();

const DARK_FORM = '/ui/perms/asset-permissions/create';

const PAGES = [
  '/ui/dashboard',
  '/ui/users/users',
  '/ui/users/users/create',
  '/ui/users/groups',
  '/ui/users/groups/create',
  '/ui/assets/assets',
  '/ui/assets/assets/create',
  '/ui/assets/domains',
  '/ui/assets/domains/create',
  '/ui/assets/admin-users',
  '/ui/assets/admin-users/create',
  '/ui/assets/system-users',
  '/ui/assets/system-users/create',
  '/ui/assets/labels',
  '/ui/assets/labels/create',
  '/ui/perms/asset-permissions',
  '/ui/perms/asset-permissions/create',
  '/ui/terminal/session',
  '/ui/terminal/session?activeTab=OfflineList',
  '/ui/terminal/command',
  '/ui/audits/login-log',
  '/ui/audits/operate-log',
  '/ui/audits/password-change-log',
  '/ui/settings',
  '/ui/settings?activeTab=Email',
  '/ui/settings?activeTab=Ldap',
  '/ui/settings?activeTab=Security',
  '/ui/settings?activeTab=License',
  '/ui/users/profile',
  '/ui/users/profile?activeTab=ProfileUpdate',
  '/ui/users/profile?activeTab=PasswordUpdate',
  '/ui/users/profile?activeTab=SSHUpdate',
  '/ui/users/profile?activeTab=MFA',
  '/ui/users/profile?activeTab=AccessKeys',
  '/ui/users/profile?activeTab=SignIns',
  '/ui/users/profile?activeTab=LoginHistory',
  '/ui/users/profile?activeTab=Preferences',
  '/ui/help',
  '/ui/help/docs?guide=operator',
  '/ui/help/support',
  '/ui/help/enterprise',
  '/ui/404',
] as const;

journey(
  'no page of the console has a serious fault for people who hear it or who need contrast, light or dark',
  async (open, { admin, sshd }) => {
    const { person, asset, account, rule } = await buildGranted(admin, sshd);
    const domain = (await admin.post<{ id: string }>('assets/domains/', { name: unique('domain') })).body.id;
    const details = [
      `/ui/users/users/${person.id}`,
      `/ui/assets/assets/${asset.id}`,
      `/ui/assets/domains/${domain}`,
      `/ui/assets/system-users/${account.id}`,
      `/ui/perms/asset-permissions/${rule.id}`,
    ];
    const found: string[] = [];
    const visitor = await open();
    const { page } = visitor;
    await signIn(visitor, ADMIN, '/ui/dashboard');
    for (const address of [...PAGES, ...details]) {
      await page.goto(address);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      // Forms are all made of the same parts, so one of them is enough in the dark.
      found.push(...(await problemsOf(page, address, address.endsWith('/create') && address !== DARK_FORM ? ['light'] : undefined)));
    }
    await page.goto('/ui/dashboard');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    found.push(...(await problemsOf(page, 'palette')));
    expect(found).toEqual([]);
  },
  300_000,
);

journey('neither has the door, nor the person’s own side, nor the terminal, nor watching, nor the replay', async (open, { admin, sshd }) => {
  const { person, asset } = await buildGranted(admin, sshd);
  const found: string[] = [];
  const worker = await open({ language: 'en' });
  await signInPage(worker).open();
  found.push(...(await problemsOf(worker.page, 'sign-in')));
  await signIn(worker, person, '/ui/');
  await new ConsolePage(worker).row(asset.name).waitFor();
  found.push(...(await problemsOf(worker.page, 'my assets')));
  await worker.page.goto('/luna/');
  found.push(...(await problemsOf(worker.page, 'terminal, empty')));
  const terminal = await connectTo(worker.page, 'en', asset);
  await terminal.ready();
  await terminal.run('ls -la /');
  found.push(...(await problemsOf(worker.page, 'terminal')));

  const guard = await open({ language: 'en' });
  await signIn(guard, ADMIN, '/ui/terminal/session');
  const watched = await sessionsPage(guard).watch(person.name, asset.name);
  await watched.getByRole('main').getByText('drwx').first().waitFor();
  found.push(...(await problemsOf(watched, 'watching')));
  await watched.close();
  await terminal.run('exit');
  await terminal.notice.waitFor();
  found.push(...(await problemsOf(worker.page, 'terminal, ended')));

  const [session] = (await admin.get<{ results: { id: string }[] }>(`terminal/sessions/?limit=1&asset_id=${asset.id}`)).body.results;
  await guard.page.goto(`/ui/terminal/sessions/${session?.id}`);
  await guard.page.getByRole('heading', { level: 1 }).waitFor();
  found.push(...(await problemsOf(guard.page, 'session')));
  await guard.page.goto(`/luna/replay/${session?.id}`);
  await replayPage(guard.page, 'en').play.waitFor();
  found.push(...(await problemsOf(guard.page, 'replay')));
  expect(found).toEqual([]);
});
