import { assetPermission } from '@sallyport/contract';
import { words as sessionWords } from '../../web/src/console/features/sessions/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import {
  buildAsset,
  buildGranted,
  buildPerson,
  buildSystemUser,
  unique,
} from '../harness/build.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { connectTo, TerminalPage } from '../pages/terminal-page.ts';
import type { Task } from './task.ts';

/** A user works on a server with the keyboard alone. */
const connect: Task = {
  name: 'Keyboard only: a user opens a shell on a server (from any page)',
  target: 0,
  async prepare({ admin, sshd, person: open, language }) {
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open(person, '/ui/');
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await view.row(asset.name).waitFor();
    return async (hand) => {
      const window = await visitor.windowFrom(async () => {
        await hand.press(page, 'Control+k');
        await hand.write(page, asset.name);
        await page.getByRole('option', { name: asset.name }).first().waitFor();
        await hand.press(page, 'Control+Enter');
      });
      const terminal = new TerminalPage(window, language, asset.name);
      await terminal.ready();
      await hand.write(window, 'echo keys-$((40+2))');
      await hand.press(window, 'Enter');
      await terminal.shows('keys-42');
    };
  },
};

/** A session has to end, now. */
const endSession: Task = {
  name: 'Keyboard only: a live session is ended (from the sessions)',
  target: 0,
  async prepare({ admin, sshd, administrator, person, language }) {
    const granted = await buildGranted(admin, sshd);
    const worker = await person(granted.person, '/luna/');
    const terminal = await connectTo(worker.page, language, granted.asset);
    await terminal.ready();
    const visitor = await administrator('/ui/terminal/session');
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await view.row(granted.asset.name).waitFor();
    return async (hand) => {
      await hand.press(page, 'j');
      await hand.press(page, 't');
      // The dialog begins at the reason; its button is enabled once the consequences are shown.
      const yes = { name: view.say(sessionWords.endSessions, { count: 1 }), exact: true };
      await view.dialog.getByRole('button', { ...yes, disabled: false }).waitFor();
      await hand.press(page, 'Enter');
      await terminal.notice.first().waitFor();
    };
  },
};

/** A user gets access to a server. */
const grant: Task = {
  name: 'Keyboard only: a user gets a server for a week (from the permissions)',
  target: 0,
  async prepare({ admin, sshd, administrator }) {
    const [person, asset, account] = await Promise.all([
      buildPerson(admin),
      buildAsset(admin, sshd),
      buildSystemUser(admin, sshd),
    ]);
    const visitor = await administrator('/ui/perms/asset-permissions');
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    return async (hand) => {
      const combo = (label: Parameters<typeof view.field>[0]) =>
        view.field(label).and(page.getByRole('combobox'));
      const choose = async (label: Parameters<typeof view.field>[0], search: string) => {
        await hand.tabTo(page, combo(label));
        await hand.write(page, search);
        await page.getByRole('option', { name: search }).first().waitFor();
        await hand.press(page, 'Enter');
      };
      await hand.tabTo(page, view.link(common.create).first());
      await hand.press(page, 'Enter');
      await hand.tabTo(page, view.field(assetPermission.fields.name.label));
      await hand.write(page, unique('week'));
      await choose(assetPermission.fields.users.label, person.username);
      await choose(assetPermission.fields.assets.label, asset.name);
      await choose(assetPermission.fields.system_users.label, account.name);
      await hand.tabTo(page, view.button('1 week'));
      await hand.press(page, 'Enter');
      await hand.tabTo(page, view.button(common.submit));
      await hand.press(page, 'Enter');
      await view.notified(common.createSuccess);
    };
  },
};

export const KEYBOARD_TASKS: readonly Task[] = [connect, endSession, grant];
