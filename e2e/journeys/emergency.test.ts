import { say } from '@sallyport/contract';
import { expect } from 'vitest';
import { words } from '../../web/src/console/features/emergency/words.ts';
import { words as session } from '../../web/src/terminal/features/emergency/words.ts';
import { buildAsset, buildPerson, buildSystemUser, create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { TerminalPage } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

journey(
  'opens emergency access and connects in one step, ends it in the terminal, and leads the reviewer to the recording',
  async (open, { admin, sshd, server }) => {
    await addLicense(server, admin);
    const [person, asset, low, high] = await Promise.all([
      buildPerson(admin),
      buildAsset(admin, sshd),
      buildSystemUser(admin, sshd, { priority: 10 }),
      buildSystemUser(admin, sshd, { priority: 90 }),
    ]);
    const { body: me } = await admin.get<{ id: string }>('users/profile/');
    await create(admin, 'perms/emergency-access/', {
      name: unique('emergency'),
      users: [person.id],
      assets: [asset.id],
      system_users: [low.id, high.id],
      reviewers: [me.id],
      max_minutes: 60,
    });

    const language = 'en';
    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    await signIn(visitor, person, '/ui/emergency-access');
    await view
      .row(asset.name)
      .getByRole('button', { name: view.say(words.open) })
      .click();
    const account = view.dialog.getByRole('combobox', { name: view.say(words.account) });
    await expect.poll(() => account.inputValue()).toBe(high.name);
    await view.dialog.getByLabel(view.say(words.reason)).fill('The database does not answer');
    const shell = await visitor.windowFrom(() =>
      view.dialog.getByRole('button', { name: view.say(words.openAndConnect) }).click(),
    );
    const terminal = new TerminalPage(shell, language, asset.name);
    await terminal.ready();
    await shell
      .getByRole('timer')
      .filter({ hasText: /\d:\d\d/ })
      .waitFor();
    // A phone shows the countdown and the button as well.
    const end = shell.getByRole('button', { name: say(session.endNow, language) });
    const desktop = shell.viewportSize();
    await shell.setViewportSize({ width: 390, height: 844 });
    const isWhole = async () => {
      const box = await end.boundingBox();
      return box !== null && box.x + box.width <= 390;
    };
    await expect.poll(isWhole).toBe(true);
    if (desktop) await shell.setViewportSize(desktop);

    const boss = await open({ language });
    const desk = new ConsolePage(boss);
    await signIn(boss, ADMIN, '/ui/dashboard');
    const band = boss.page.getByRole('complementary', { name: say(words.access, language) });
    await band.getByRole('link', { name: say(words.watch, language) }).waitFor();
    await band.getByRole('link').first().click();

    await end.click();
    const question = shell.getByRole('dialog');
    await question.getByText(say(session.endQuestion, language)).waitFor();
    await question.getByRole('button', { name: say(session.endNow, language) }).click();
    await terminal.notice.first().waitFor();

    const next = desk.main.getByRole('link', {
      name: say(words.openRecording, language, { at: 1, count: 1 }),
    });
    await next.waitFor();
    const replay = await boss.windowFrom(() => next.click());
    await replay.waitForLoadState();
    await desk.main.getByText(say(words.seen, language)).waitFor();
    const reviewed = desk.main.getByRole('button', {
      name: say(words.reviewed, language),
      exact: true,
    });
    await expect.poll(() => reviewed.isEnabled()).toBe(true);

    // The page of the session offers the review as well.
    await desk.main.locator('a[href*="/terminal/sessions/"]').first().click();
    const review = desk.main.getByRole('region', { name: say(words.review, language) });
    await review.getByText(say(words.reviewQuestion, language)).waitFor();
    await review.getByRole('button', { name: say(words.reviewed, language), exact: true }).click();
    await review.waitFor({ state: 'detached' });
  },
);
