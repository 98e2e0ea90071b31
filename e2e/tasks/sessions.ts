import type { LocalText } from '@sallyport/contract';
import { REPORT_WORDS } from '../../server/src/features/sessions/report.ts';
import { words as sessionWords } from '../../web/src/console/features/sessions/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildGranted, create, unique } from '../harness/build.ts';
import { recordedSession } from '../harness/sessions.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { replayPage } from '../pages/replay-page.ts';
import { connectTo } from '../pages/terminal-page.ts';
import type { Task } from './task.ts';

/** An auditor searches for the user who deleted a file. */
const deletedFile: Task = {
  name: 'From a deleted file to the moment in the recording (from the commands)',
  target: 5,
  async prepare({ admin, sshd, administrator, person, language }) {
    const granted = await buildGranted(admin, sshd);
    const file = `${unique('report')}.txt`;
    const worker = await person(granted.person, '/luna/');
    const terminal = await connectTo(worker.page, language, granted.asset);
    await terminal.ready();
    await terminal.run(`touch ${file}; rm ${file}; echo deleted-$((40+2))`);
    await terminal.shows('deleted-42');
    await terminal.run('exit');
    await terminal.notice.getByText('The session has ended', { exact: true }).waitFor();
    const visitor = await administrator('/ui/terminal/command');
    const view = new ConsolePage(visitor);
    return async (hand) => {
      const search = view.main.getByRole('combobox').first();
      await hand.type(search, file);
      await hand.press(visitor.page, 'Enter');
      await hand.click(view.row(file).getByRole('button').first());
      const moment = await visitor.windowFrom(() =>
        hand.click(
          visitor.page.getByRole('link', {
            name: view.say(sessionWords.replayFromHere),
            exact: true,
          }),
        ),
      );
      await replayPage(moment, language).commands.getByText(file).first().waitFor();
    };
  },
};

/** A session has to end now, and only a phone is at hand. */
const endOnPhone: Task = {
  name: 'A live session is ended on a phone (from the sessions)',
  target: 4,
  async prepare({ admin, sshd, administrator, person, language }) {
    const granted = await buildGranted(admin, sshd);
    const worker = await person(granted.person, '/luna/');
    const terminal = await connectTo(worker.page, language, granted.asset);
    await terminal.ready();
    const visitor = await administrator('/ui/terminal/session', { width: 390, height: 844 });
    const view = new ConsolePage(visitor);
    return async (hand) => {
      await hand.click(
        view.row(granted.asset.name).getByRole('button', { name: view.say(common.more) }),
      );
      await hand.click(
        visitor.page.getByRole('menuitem', { name: view.say(sessionWords.terminate), exact: true }),
      );
      await hand.click(
        view.dialog.getByRole('button', {
          name: view.say(sessionWords.endSessions, { count: 1 }),
          exact: true,
        }),
      );
      await terminal.notice.first().waitFor();
    };
  },
};

/** A refused command is investigated, and its session documented on paper. */
const dangerousCommand: Task = {
  name: 'From a dangerous command to the replay and the printable report (from the commands)',
  target: 3,
  async prepare({ admin, sshd, administrator, person, language }) {
    const granted = await buildGranted(admin, sshd);
    const filter = await create(admin, 'assets/cmd-filters/', {
      name: unique('filter'),
      system_users: [granted.account.id],
    });
    await create(admin, `assets/cmd-filters/${filter}/rules/`, { content: 'forbidden' });
    const command = `touch ${unique('forbidden')}`;
    const worker = await person(granted.person, '/luna/');
    const terminal = await connectTo(worker.page, language, granted.asset);
    await terminal.ready();
    await terminal.run(command);
    await terminal.shows('does not allow this');
    await terminal.run('exit');
    await recordedSession(admin, `user_id=${granted.person.id}`);
    const visitor = await administrator('/ui/terminal/command');
    const view = new ConsolePage(visitor);
    return async (hand) => {
      const windowOf = (title: LocalText, button: LocalText) =>
        visitor.windowFrom(() => hand.click(view.link(`${view.say(title)}: ${view.say(button)}`)));
      await view.row(command).getByText(view.say(sessionWords.denied), { exact: true }).waitFor();
      await hand.click(
        view.row(command).getByRole('link', { name: view.say(sessionWords.goto), exact: true }),
      );
      const replay = await windowOf(sessionWords.replaySession, sessionWords.go);
      await replayPage(replay, language).commands.getByText(command).first().waitFor();
      const report = await windowOf(sessionWords.commandReport, sessionWords.report);
      await report
        .getByRole('row')
        .filter({ hasText: command })
        .getByText(view.say(REPORT_WORDS.dangerous), { exact: true })
        .waitFor();
    };
  },
};

export const SESSION_TASKS: readonly Task[] = [deletedFile, dangerousCommand, endOnPhone];
