import { say } from '@sallyport/contract';
import { expect } from 'vitest';
import { SESSION_ERRORS as ERRORS } from '../../contract/src/errors/session-errors.ts';
import { words as home } from '../../web/src/console/features/home/words.ts';
import { words as news } from '../../web/src/console/features/notifications/words.ts';
import { words as sessions } from '../../web/src/console/features/sessions/words.ts';
import { problemsOf } from '../harness/axe.ts';
import {
  buildAsset,
  buildGranted,
  buildPermission,
  buildPerson,
  buildSystemUser,
} from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { recordedSession } from '../harness/sessions.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signIn, signInPage } from '../pages/sign-in-page.ts';
import { connectTo, TerminalPage } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

journey(
  'shows a live session to an administrator, who cannot type into it',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const [visitor, guard] = [await open({ language }), await open({ language })];
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, language, asset);
    await terminal.ready();
    await terminal.run('echo before-$((40+2))');
    await terminal.shows('before-42');

    await signIn(guard, ADMIN, '/ui/terminal/session');
    const watched = await sessionsPage(guard).watch(person.name, asset.name);
    const picture = watched.getByRole('main');
    // Earlier output is visible, too.
    await picture.getByText('before-42').waitFor();
    await terminal.run('echo after-$((50+5))');
    await picture.getByText('after-55').waitFor();

    await picture.click();
    await watched.keyboard.type('echo from-the-watcher\n');
    await terminal.run('echo only-$((60+6))');
    await terminal.shows('only-66');
    await picture.getByText('only-66').waitFor();
    expect(await terminal.text()).not.toContain('from-the-watcher');

    // It ends before the watcher's eyes, and can be replayed.
    await terminal.run('exit');
    await watched
      .getByRole('alert')
      .getByText(language === 'zh' ? '会话已结束' : 'The session has ended')
      .waitFor();
  },
);

journey(
  `invites a colleague into a terminal, who types under their own name and leaves at the owner's request`,
  async (open, { admin, sshd }) => {
    const { person, asset, account } = await buildGranted(admin, sshd);
    const colleague = await buildPerson(admin);
    await buildPermission(admin, [colleague], [asset], [account]);
    const [visitor, guest] = [await open({ language: 'en' }), await open({ language: 'en' })];
    const { page } = visitor;
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(page, 'en', asset);
    await terminal.ready();
    await terminal.run('echo before-$((40+2))');
    await terminal.shows('before-42');
    const tab = page.getByRole('tab', { name: new RegExp(asset.name) });
    const dialog = page.getByRole('dialog', { name: `Invite a colleague into ${asset.name}` });
    const invite = async () => {
      await tab.click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Invite a colleague…' }).click();
    };

    // Off until an administrator allows it, and then it says why.
    await invite();
    await dialog.getByText('Invitations are off').waitFor();
    await page.keyboard.press('Escape');
    await admin.patch('settings/setting/', { terminal: { TERMINAL_SESSION_INVITATIONS: true } });
    await invite();
    await dialog.getByRole('radio', { name: 'Watch and type' }).check();
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = await dialog.getByRole('textbox', { name: 'Invitation link' }).inputValue();
    await dialog.getByText('no guest yet').waitFor();
    expect(await problemsOf(page, 'invitation')).toEqual([]);
    await page.keyboard.press('Escape');

    // The link leads through the sign-in, and its secret stays out of the address.
    guest.watch.allow(/^401 GET .*users\/profile/);
    await guest.page.goto(link);
    await guest.page.waitForURL((url) => url.pathname.startsWith('/core/auth/login/'));
    await signInPage(guest).submit(colleague);
    await guest.page.getByText('You may type').waitFor();
    expect(guest.page.url()).not.toContain(link.split('#')[1] ?? 'nothing');
    const name = `${person.name}(${person.username})`;
    const shared = new TerminalPage(guest.page, 'en', asset.name);
    const picture = guest.page.getByRole('main');
    await picture.getByText('before-42').waitFor();
    expect(await problemsOf(guest.page, 'guest')).toEqual([]);
    await guest.page.getByRole('textbox', { name: `Terminal of ${name}` }).focus();
    const bar = page.getByRole('region', { name: 'Guests in this session' });
    // It is shown for a moment only.
    const badge = page.waitForFunction(
      (label) =>
        document.querySelector(`[aria-label="${label}"]`)?.textContent?.includes('is typing'),
      'Guests in this session',
    );
    await shared.page.keyboard.type('echo guest-$((50+5))\n');
    await badge;
    await terminal.shows('guest-55');
    expect(await problemsOf(page, 'guests of a terminal')).toEqual([]);

    // Typing is taken away, then the visit ends.
    await bar.getByRole('button', { name: /^Revoke typing:/ }).click();
    await guest.page.getByText('Watching', { exact: true }).waitFor();
    await shared.page.keyboard.type('echo nothing\n');
    await terminal.run('echo mine-$((60+6))');
    await picture.getByText('mine-66').waitFor();
    expect(await terminal.text()).not.toContain('nothing');
    await bar.getByRole('button', { name: /^End the invitation/ }).click();
    await guest.page.getByRole('alert').getByText('The host ended your visit.').waitFor();
    await bar.waitFor({ state: 'detached' });
    await terminal.run('exit');
    const session = await recordedSession(admin, `user_id=${person.id}`);

    // The page of the session lists the participants and who typed.
    const auditor = await open({ language: 'en' });
    await signIn(auditor, ADMIN, '/ui/terminal/session');
    await auditor.page.goto(`/ui/terminal/sessions/${session}`);
    const who = `${colleague.name}(${colleague.username})`;
    await auditor.page
      .getByRole('cell', { name: new RegExp(colleague.username) })
      .first()
      .waitFor();
    await auditor.page.getByText(`Typed by ${who}`).first().waitFor();
    expect(await problemsOf(auditor.page, 'session with guests')).toEqual([]);
    await admin.patch('settings/setting/', { terminal: { TERMINAL_SESSION_INVITATIONS: false } });
  },
);

journey(
  'passes input of a two-person session only while a reviewer watches',
  async (open, { admin, sshd }) => {
    const [person, asset, account] = await Promise.all([
      buildPerson(admin),
      buildAsset(admin, sshd),
      buildSystemUser(admin, sshd),
    ]);
    await buildPermission(admin, [person], [asset], [account], { needs_watcher: true });
    await admin.post('users/notifications/read/', {});
    const [visitor, reviewer] = [await open({ language }), await open({ language })];
    await signIn(reviewer, ADMIN, '/ui/dashboard');
    const desk = new ConsolePage(reviewer);
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, language, asset);
    await terminal.ready();
    const reads = (code: keyof typeof ERRORS, who = '') =>
      visitor.page
        .getByRole('status')
        .getByText(say(ERRORS[code], language, { who }))
        .waitFor();
    await reads('second_person_awaited');
    expect(await problemsOf(visitor.page, 'terminal that waits')).toEqual([]);
    await terminal.run('echo early-$((40+2))');

    // The open page of the reviewer hears of it, and leads to the session.
    const bell = reviewer.page.getByRole('button', {
      name: `${desk.say(news.title)}: ${desk.say(news.unread, { count: 1 })}`,
      exact: true,
    });
    await bell.click();
    const panel = reviewer.page.getByRole('dialog', { name: desk.say(news.title) });
    await panel.getByRole('link', { name: asset.name }).click();
    await desk.main.getByText(desk.say(sessions.presenceWaits)).waitFor();
    expect(await problemsOf(reviewer.page, 'session that waits')).toEqual([]);
    const watched = await reviewer.windowFrom(() =>
      reviewer.page
        .getByRole('link', { name: new RegExp(desk.say(sessions.monitorSession)) })
        .click(),
    );
    const who = 'Administrator(admin)';
    await terminal.shows(who);
    await terminal.run('echo late-$((50+5))');
    await watched.getByRole('main').getByText('late-55').waitFor();
    expect(await terminal.text()).not.toContain('early');

    // Input stops with the window of the reviewer.
    await watched.close();
    await reads('second_person_left', who);
    await terminal.run('echo lost-$((60+6))');
    await reviewer.page.goto('/ui/dashboard');
    await desk.main.getByText(desk.say(home.waitingSessions, { count: 1 })).click();
    const again = await sessionsPage(reviewer).watch(person.name, asset.name);
    // The reviewer has come, left and come back.
    await terminal.shows(/(?:Administrator\(admin\)[\s\S]*){3}/);
    expect(await terminal.text()).not.toContain('lost-');
    await terminal.run('exit');
    await again.getByRole('alert').waitFor();
  },
);
