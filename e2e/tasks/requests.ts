import { words as emergency } from '../../web/src/console/features/emergency/words.ts';
import { words as decide } from '../../web/src/console/features/tickets/decide/words.ts';
import { buildAsset, buildPerson, buildSystemUser, create, unique } from '../harness/build.ts';
import { addLicense } from '../harness/license.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { TerminalPage } from '../pages/terminal-page.ts';
import type { Task } from './task.ts';

/** A user asked for access; an administrator grants exactly that. */
const approve: Task = {
  name: 'A request for access is approved as asked (from the tickets)',
  target: 2,
  async prepare({ admin, server, sshd, administrator }) {
    await addLicense(server, admin);
    const [person, asset, account] = await Promise.all([
      buildPerson(admin),
      buildAsset(admin, sshd),
      buildSystemUser(admin, sshd),
    ]);
    const requester = await server.signIn(person);
    await create(requester, 'tickets/request-asset-perm/', {
      hostname: asset.name,
      system_user: account.name,
      body: 'The import failed',
    });
    const visitor = await administrator('/ui/tickets/tickets');
    const view = new ConsolePage(visitor);
    await view.row(asset.name).waitFor();
    return async (hand) => {
      await hand.click(
        view
          .row(asset.name)
          .getByRole('button', { name: `${view.say(decide.approve)} ${asset.name}` }),
      );
      const yes = { name: view.say(decide.approve), exact: true };
      await view.dialog.getByRole('button', { ...yes, disabled: false }).waitFor();
      await hand.click(view.dialog.getByRole('button', yes));
      await view.notified(decide.approved);
    };
  },
};

/** A user opens emergency access and works. */
const breakGlass: Task = {
  name: 'A user opens emergency access and gets a shell (from the own assets)',
  target: 3,
  async prepare({ admin, server, sshd, person: open, language }) {
    await addLicense(server, admin);
    const [person, asset, account] = await Promise.all([
      buildPerson(admin),
      buildAsset(admin, sshd),
      buildSystemUser(admin, sshd),
    ]);
    const { body: me } = await admin.get<{ id: string }>('users/profile/');
    await create(admin, 'perms/emergency-access/', {
      name: unique('emergency'),
      users: [person.id],
      assets: [asset.id],
      system_users: [account.id],
      reviewers: [me.id],
      max_minutes: 60,
    });
    const visitor = await open(person, '/ui/');
    const view = new ConsolePage(visitor);
    await view.button(emergency.mayOpen).waitFor();
    return async (hand) => {
      await hand.click(view.button(emergency.mayOpen));
      await hand.click(
        view.row(asset.name).getByRole('button', { name: view.say(emergency.open) }),
      );
      await hand.type(
        view.dialog.getByRole('textbox', { name: view.say(emergency.reason) }),
        'The shop is down',
      );
      const window = await visitor.windowFrom(() =>
        hand.click(view.dialog.getByRole('button', { name: view.say(emergency.openAndConnect) })),
      );
      await new TerminalPage(window, language, asset.name).ready();
    };
  },
};

export const REQUEST_TASKS: readonly Task[] = [approve, breakGlass];
