import { assetPermission, NEWCOMER_FIELDS } from '@sallyport/contract';
import { words as access } from '../../web/src/console/features/access/words.ts';
import { words as offboard } from '../../web/src/console/features/users/offboard/words.ts';
import { words as users } from '../../web/src/console/features/users/words.ts';
import { words as detail } from '../../web/src/console/resource/detail/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import {
  buildAsset,
  buildGranted,
  buildPerson,
  buildSystemUser,
  unique,
} from '../harness/build.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { connectTo } from '../pages/terminal-page.ts';
import type { Task } from './task.ts';

/** A team that needs some servers for a week. */
const teamForAWeek: Task = {
  name: 'A group gets the servers of a node for a week (from the permissions)',
  target: 7,
  async prepare({ admin, sshd, administrator }) {
    const person = await buildPerson(admin);
    const group = unique('team');
    await admin.post('users/groups/', { name: group, users: [person.id] });
    const { body: nodes } = await admin.get<{ id: string; key: string }[]>('assets/nodes/');
    const root = nodes.find(({ key }) => !key.includes(':'))?.id ?? '';
    const node = unique('place');
    const { body } = await admin.post<{ id: string }>(`assets/nodes/${root}/children/`, {
      value: node,
    });
    await buildAsset(admin, sshd, { nodes: [body.id] });
    const account = await buildSystemUser(admin, sshd);
    const visitor = await administrator('/ui/perms/asset-permissions');
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    return async (hand) => {
      const combo = (label: Parameters<typeof view.field>[0]) =>
        view.field(label).and(page.getByRole('combobox'));
      await hand.click(view.link(common.create).first());
      await hand.type(view.field(assetPermission.fields.name.label), 'Team for a week');
      await hand.pick(page, combo(assetPermission.fields.user_groups.label), group);
      await hand.pick(page, combo(assetPermission.fields.nodes.label), node);
      await hand.pick(page, combo(assetPermission.fields.system_users.label), account.name);
      await hand.click(view.button('1 week'));
      await hand.click(view.button(common.submit));
      await view.notified(common.createSuccess);
    };
  },
};

/** A user asks why a server cannot be reached. */
const whyNot: Task = {
  name: 'The reason that a user cannot reach a server (from the page of the server)',
  target: 3,
  async prepare({ admin, sshd, administrator }) {
    const { asset } = await buildGranted(admin, sshd);
    const stranger = await buildPerson(admin);
    const visitor = await administrator(`/ui/assets/assets/${asset.id}`);
    const view = new ConsolePage(visitor);
    return async (hand) => {
      await hand.click(
        visitor.page.getByRole('tab', { name: view.say(detail.access), exact: true }),
      );
      await hand.choose(
        visitor.page,
        view
          .field(access.chooseUser)
          .and(visitor.page.getByRole('combobox').or(visitor.page.getByRole('textbox'))),
        stranger.username,
      );
      await view.main.getByText(view.say(access.no), { exact: true }).waitFor();
    };
  },
};

/** A user leaves the company. */
const offboarding: Task = {
  name: 'A user who leaves loses all access, with what follows in sight (from the users)',
  target: 4,
  async prepare({ admin, sshd, administrator, person: open, language }) {
    const { person, asset } = await buildGranted(admin, sshd);
    const worker = await open(person, '/luna/');
    const terminal = await connectTo(worker.page, language, asset);
    await terminal.ready();
    const visitor = await administrator('/ui/users/users');
    const view = new ConsolePage(visitor);
    return async (hand) => {
      await hand.click(
        view.row(person.username).getByRole('button', { name: view.say(common.more) }),
      );
      await hand.click(visitor.page.getByRole('menuitem', { name: view.say(users.offboard) }));
      await view.dialog.getByText(asset.name).waitFor();
      await hand.type(
        view.dialog.getByRole('textbox', { name: view.say(offboard.reason) }),
        'left',
      );
      await hand.click(
        view.dialog.getByRole('button', { name: view.say(offboard.confirm), exact: true }),
      );
      await view.dialog.getByText(view.say(offboard.wasDisabled)).waitFor();
      await terminal.notice.first().waitFor();
    };
  },
};

/** A contractor from outside gets an account and a server. */
const contractor: Task = {
  name: 'A contractor gets an account and a server for a week (from the users)',
  target: 8,
  async prepare({ admin, sshd, administrator }) {
    const [asset, account] = [await buildAsset(admin, sshd), await buildSystemUser(admin, sshd)];
    const email = `${unique('contractor')}@example.com`;
    const visitor = await administrator('/ui/users/users');
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    return async (hand) => {
      const combo = (label: Parameters<typeof view.field>[0]) =>
        view.field(label).and(page.getByRole('combobox'));
      await hand.click(view.link(users.inviteNewUsers));
      await hand.type(view.field(NEWCOMER_FIELDS.people.label), email);
      await hand.choose(page, combo(NEWCOMER_FIELDS.assets.label), asset.name);
      await hand.choose(page, combo(NEWCOMER_FIELDS.system_users.label), account.name);
      await hand.click(view.button(users.createNewcomers));
      await view.main.getByText(/#token=/).waitFor();
    };
  },
};

export const ACCESS_TASKS: readonly Task[] = [teamForAWeek, contractor, offboarding, whyNot];
