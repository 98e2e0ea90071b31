import { expect } from 'vitest';
import { buildGranted, buildPermission } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { liveSession } from '../harness/sessions.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signInByForm } from '../pages/sign-in-page.ts';
import { connectTo, TerminalPage } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

const SAID = {
  zh: {
    expired: '授权已到期',
    next: '延长授权后才能连接。',
    terminated: '会话被管理员终断',
    who: '管理员 Administrator',
  },
  en: {
    expired: 'Your permission has ended',
    next: 'Ask for an extension to connect again.',
    terminated: 'An administrator ended the session',
    who: 'ended this session: Administrator',
  },
} as const;

journey(
  'cuts the open session when its permission expires, and gives the reason',
  async (open, { admin, sshd }) => {
    const { person, asset, account, rule } = await buildGranted(admin, sshd);
    const visitor = await open({ language });
    await signInByForm(visitor, person, '/luna/');
    await admin.delete(`perms/asset-permissions/${rule.id}/`);
    const terminal = new TerminalPage(visitor.page, language, asset.name);
    /**
     * Opens a terminal with a permission that ends in `seconds`. Returns the end if the terminal
     * opened before it.
     */
    const openUntil = async (seconds: number): Promise<Date | undefined> => {
      // The product keeps whole seconds.
      const end = new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000);
      await buildPermission(admin, [person], [asset], [account], {
        date_expired: end.toISOString(),
      });
      await connectTo(visitor.page, language, asset);
      try {
        await terminal.ready();
        await terminal.run('echo still-$((1+1))-open');
        await terminal.shows('still-2-open');
        return end;
      } catch {
        return undefined;
      }
    };
    // A busy machine gets another try with more time.
    const end = (await openUntil(25)) ?? (await openUntil(100));
    if (!end) throw new Error('the terminal was not open before its permission ended');
    await terminal.notice
      .getByText(SAID[language].expired, { exact: true })
      .waitFor({ timeout: 120_000 });
    await terminal.notice.getByText(SAID[language].next).waitFor();
    expect(Date.now()).toBeGreaterThanOrEqual(end.getTime() - 100);
    // No retry is offered: the permission has ended.
    expect(await terminal.reconnect.count()).toBe(0);
  },
);

journey('cuts the open session when its rule is disabled', async (open, { admin, sshd }) => {
  const { person, asset, rule } = await buildGranted(admin, sshd);
  const visitor = await open({ language: 'en' });
  await signInByForm(visitor, person, '/luna/');
  const terminal = await connectTo(visitor.page, 'en', asset);
  await terminal.ready();
  expect(
    (await admin.patch(`perms/asset-permissions/${rule.id}/`, { is_active: false })).status,
  ).toBe(200);
  await terminal.notice.getByText('Your permission has ended', { exact: true }).waitFor();
});

journey(
  'closes the terminals of a sign-in when the user signs out in the console',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    await signInByForm(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, 'en', asset);
    await terminal.ready();
    const other = await visitor.context.newPage();
    await other.goto('/core/auth/logout/');
    await other.waitForURL(/\/core\/auth\/login\//);
    await terminal.notice.getByText('You are signed out').waitFor();
  },
);

journey(
  'ends a live session for an administrator, tells the user who ended it, and lets the user reconnect',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const [visitor, guard] = [await open({ language }), await open({ language })];
    await signInByForm(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, language, asset);
    await terminal.ready();
    await signInByForm(guard, ADMIN, '/ui/terminal/session');
    await sessionsPage(guard).terminate(person.name, asset.name);

    await terminal.notice.getByText(SAID[language].terminated, { exact: true }).waitFor();
    await terminal.notice.getByText(SAID[language].who, { exact: false }).waitFor();
    await terminal.reconnect.click();
    await terminal.ready();
    await terminal.run('echo back-$((40+2))');
    await terminal.shows('back-42');
    // The server records the end of the first session shortly after its user sees it; then the
    // administrator's list has one row again.
    await liveSession(admin, `asset_id=${asset.id}`);
    const { body } = await admin.get<{ results: { end_reason: string }[] }>(
      `terminal/sessions/?limit=1&is_finished=1&asset_id=${asset.id}`,
    );
    expect(body.results[0]?.end_reason).toBe('session_terminated');
    await guard.page.reload();

    // This time the user is disabled as well, and does not come back.
    await sessionsPage(guard).terminate(person.name, asset.name, '', true);
    await terminal.notice.waitFor();
    await expect
      .poll(
        async () =>
          (await admin.get<{ is_active: boolean }>(`users/users/${person.id}/`)).body.is_active,
      )
      .toBe(false);
  },
);
