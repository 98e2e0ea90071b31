import { adminUser, type LocalText, session, systemUser } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as first } from '../../web/src/console/features/home/first/words.ts';
import { words as home } from '../../web/src/console/features/home/words.ts';
import { words as sessionWords } from '../../web/src/console/features/sessions/words.ts';
import { words as formWords } from '../../web/src/console/resource/form/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { problemsOf } from '../harness/axe.ts';
import { unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { recordedSession } from '../harness/sessions.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { replayPage } from '../pages/replay-page.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signInByForm } from '../pages/sign-in-page.ts';
import { TerminalPage } from '../pages/terminal-page.ts';

const TITLES = { adminUsers: '管理用户', sessions: '会话管理', commands: '命令记录' } as const;

// It begins on an empty installation.
const { journey } = useStage();

journey(
  'lets a new administrator add a server with its account in one form, work in its terminal and replay it',
  async (open, { admin, sshd }) => {
    // An empty installation asks for its language and zone if the browser has others.
    const english = await open({ language: 'en' });
    const start = new ConsolePage(english);
    english.watch.allow(/^400 PATCH \/api\/v1\/settings\//);
    await signInByForm(english, ADMIN);
    await start.field(first.zone).fill('Nowhere/Land');
    await start.button(first.save).click();
    await expect.poll(() => start.main.locator('[aria-invalid=true]').count()).toBe(1);
    await start.field(first.zone).fill('Europe/Vienna');
    await english.page.keyboard.press('Enter');
    await start.main.getByText(start.say(first.saved), { exact: true }).waitFor();
    await english.context.close();

    // The first server and its account are one form.
    const visitor = await open();
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signInByForm(visitor, ADMIN);
    visitor.watch.allow(/^400 POST .*\?dry_run=1$/);
    const guide = page.getByRole('region', { name: view.say(home.journey) });
    const server = unique('server');
    await view.field(first.hostname).fill(server);
    await view.field(first.ip).fill(sshd.host);
    await view.field(first.port).fill('70000');
    await view.field(first.username).fill(sshd.username);
    await view.field(systemUser.fields.private_key.label).fill('no private key');
    await view.button(first.saveAndConnect).click();
    // Nothing is stored while a field has a problem.
    await expect.poll(() => guide.locator('[aria-invalid=true]').count()).toBe(2);
    expect(await problemsOf(page, 'the form of the first server with problems')).toEqual([]);
    await view.field(first.port).fill(String(sshd.port));
    await view.field(systemUser.fields.private_key.label).fill(sshd.privateKey);
    const account = `${sshd.username}@${server}`;
    const window = await visitor.windowFrom(() => view.button(first.saveAndConnect).click());

    const terminal = new TerminalPage(window, 'zh', server);
    await terminal.screen
      .getByRole('textbox', { name: '终端输入', exact: true })
      .waitFor({ state: 'attached' });
    await terminal.ready();
    const word = unique('word').slice(5);
    await terminal.run(`echo typed-${word}-$((40+2))`);
    await terminal.shows(`typed-${word}-42`);
    await terminal.run('exit');
    await terminal.notice.getByText('会话已结束', { exact: true }).waitFor();
    await window.close();
    await recordedSession(admin, '');

    // The privileged account, on its own page.
    await view.open(TITLES.adminUsers);
    await view.link(common.create).first().click();
    const keeper = unique('keeper');
    await view.field(adminUser.fields.name.label).fill(keeper);
    await view.field(adminUser.fields.username.label).fill('root');
    await view.field(adminUser.fields.password.label).fill('kept for background work');
    await view.submit();
    await view.notified(common.createSuccess);
    // The message names what was created, and says what can follow.
    const created = page
      .getByRole('alert')
      .filter({ hasText: view.say(common.createSuccess) })
      .filter({ hasText: keeper });
    await created
      .getByRole('button', { name: view.say(formWords.addAnother), exact: true })
      .waitFor();
    await created.getByRole('button', { name: view.say(formWords.openIt), exact: true }).waitFor();
    await view.row(keeper).waitFor();

    // The session is in the history, and its replay shows what was typed.
    await view.open(TITLES.sessions);
    const sessions = sessionsPage(visitor);
    await sessions.tab('history');
    const replay = replayPage(await sessions.replay('Administrator', server), 'zh');
    await replay.commands.getByText(`echo typed-${word}-$((40+2))`).waitFor();
    await replay.playUntil(`typed-${word}-42`);

    await view.open(TITLES.commands);
    await view.row(`echo typed-${word}-$((40+2))`).waitFor();
    await view.search(word);
    await view.row(`echo typed-${word}-$((40+2))`).waitFor();
    await expect.poll(() => view.rows.count()).toBe(1);
    await view.row(word).getByRole('button').first().click();
    await page.getByText(`typed-${word}-42`).first().waitFor();
    // From the command to its moment in the recording.
    const moment = await visitor.windowFrom(() =>
      page.getByRole('link', { name: view.say(sessionWords.replayFromHere), exact: true }).click(),
    );
    await moment.waitForURL(({ search }) => /^\?at=\d+$/.test(search));
    await replayPage(moment, 'zh').commands.getByText(`echo typed-${word}-$((40+2))`).waitFor();
    await moment.close();

    // The session itself: what was typed in it, who and where it was, and its replay.
    await view
      .row(word)
      .getByRole('link', { name: view.say(sessionWords.goto), exact: true })
      .click();
    await view.heading.filter({ hasText: server }).waitFor();
    await view.row(`echo typed-${word}-$((40+2))`).first().waitFor();
    const fact = (label: LocalText) =>
      view.main
        .locator('dt')
        .filter({ hasText: view.say(label) })
        .locator('+ dd');
    await fact(session.fields.asset.label).getByText(server).first().waitFor();
    await fact(session.fields.system_user.label).getByText(account).first().waitFor();
    // The picture of its screen: the end, or any moment, which the address names.
    const picture = view.main.locator('.xterm-rows');
    await picture.filter({ hasText: `typed-${word}-42` }).waitFor();
    await view
      .row(word)
      .getByRole('button', {
        name: new RegExp(view.say(sessionWords.showMoment, { time: '\\d+:\\d+' })),
      })
      .first()
      .click();
    await page.waitForURL(/[?&]at=\d+/);
    await view.main.getByRole('slider', { name: view.say(sessionWords.moment) }).fill('0');
    await page.waitForURL(/[?&]at=0\b/);
    await picture.filter({ hasText: `typed-${word}-42` }).waitFor({ state: 'detached' });
    const again = await visitor.windowFrom(() =>
      view.link(`${view.say(sessionWords.replaySession)}: ${view.say(sessionWords.go)}`).click(),
    );
    await replayPage(again, 'zh').commands.getByText(`echo typed-${word}-$((40+2))`).waitFor();
  },
);
