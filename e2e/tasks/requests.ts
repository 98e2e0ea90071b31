import { words as emergency } from '../../web/src/console/features/emergency/words.ts';
import { words as home } from '../../web/src/console/features/home/words.ts';
import { words as decide } from '../../web/src/console/features/tickets/decide/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import type { Visitor } from '../harness/browser.ts';
import {
  type Built,
  buildAsset,
  buildPerson,
  buildSystemUser,
  create,
  unique,
} from '../harness/build.ts';
import { addLicense } from '../harness/license.ts';
import { recordedSession } from '../harness/sessions.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { replayPage } from '../pages/replay-page.ts';
import { connectTo, TerminalPage } from '../pages/terminal-page.ts';
import type { Task, TaskWorld } from './task.ts';

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

/** A user who may open emergency access to a server, and the rule for it. */
async function buildEmergency(
  { admin, server, sshd }: Pick<TaskWorld, 'admin' | 'server' | 'sshd'>,
  reviewer: Pick<Built, 'id'>,
) {
  await addLicense(server, admin);
  const [person, asset, account] = await Promise.all([
    buildPerson(admin),
    buildAsset(admin, sshd),
    buildSystemUser(admin, sshd),
  ]);
  const rule = await create(admin, 'perms/emergency-access/', {
    name: unique('emergency'),
    users: [person.id],
    assets: [asset.id],
    system_users: [account.id],
    reviewers: [reviewer.id],
    max_minutes: 60,
  });
  return { person, asset, rule };
}

const myself = async ({ admin }: Pick<TaskWorld, 'admin'>) =>
  (await admin.get<{ readonly id: string }>('users/profile/')).body;

const REASON = 'The shop is down';

/** A user opens emergency access and works. */
const breakGlass: Task = {
  name: 'A user opens emergency access and gets a shell (from the own assets)',
  target: 3,
  async prepare(world) {
    const { person, asset } = await buildEmergency(world, await myself(world));
    const visitor = await world.person(person, '/ui/');
    const view = new ConsolePage(visitor);
    await view.link(emergency.mayOpen).waitFor();
    return async (hand) => {
      await hand.click(view.link(emergency.mayOpen));
      await hand.click(
        view.row(asset.name).getByRole('button', { name: view.say(emergency.open) }),
      );
      await hand.type(
        view.dialog.getByRole('textbox', { name: view.say(emergency.reason) }),
        REASON,
      );
      const window = await visitor.windowFrom(() =>
        hand.click(view.dialog.getByRole('button', { name: view.say(emergency.openAndConnect) })),
      );
      await new TerminalPage(window, world.language, asset.name).ready();
    };
  },
};

/** Opens emergency access, works on the server, and ends the access. */
async function workInEmergency(
  { admin, server, person: open, language }: TaskWorld,
  { person, asset, rule }: Awaited<ReturnType<typeof buildEmergency>>,
): Promise<void> {
  const user = await server.signIn(person);
  const { body } = await user.post<{ readonly ticket: string }>('perms/users/emergency-access/', {
    rule,
    asset: asset.id,
    minutes: 30,
    reason: REASON,
  });
  const worker = await open(person, '/luna/');
  const terminal = await connectTo(worker.page, language, asset);
  await terminal.ready();
  await terminal.run('exit');
  await recordedSession(admin, `user_id=${person.id}`);
  await user.post(`tickets/emergency/${body.ticket}/end/`, {});
}

/** Emergency access has ended; its reviewer watches the recording and answers. */
const review = (
  reviewerName: string,
  start: (world: TaskWorld) => Promise<{
    readonly reviewer: Pick<Built, 'id'>;
    readonly signIn: (where: string) => Promise<Visitor>;
  }>,
): Task => ({
  name: `${reviewerName} reviews emergency access after its recording (from the dashboard)`,
  target: 4,
  async prepare(world) {
    const { reviewer, signIn } = await start(world);
    const access = await buildEmergency(world, reviewer);
    await workInEmergency(world, access);
    const visitor = await signIn('/ui/dashboard');
    const view = new ConsolePage(visitor);
    return async (hand) => {
      await hand.click(
        view.main
          .getByRole('region', { name: view.say(home.attention) })
          .getByRole('link')
          .filter({ hasText: access.asset.name }),
      );
      const next = view.say(emergency.openRecording, { at: 1, count: 1 });
      const recording = await visitor.windowFrom(() =>
        hand.click(view.main.getByRole('link', { name: next, exact: true })),
      );
      await replayPage(recording, world.language).play.waitFor();
      await hand.click(view.button(emergency.reviewed));
      await view.notified(common.updateSuccess);
    };
  },
});

const reviewByAdministrator = review('An administrator', async (world) => ({
  reviewer: await myself(world),
  signIn: world.administrator,
}));

const reviewByAuditor = review('An auditor', async ({ admin, person: open }) => {
  const reviewer = await buildPerson(admin, { role: 'Auditor' });
  return { reviewer, signIn: (where) => open(reviewer, where) };
});

export const REQUEST_TASKS: readonly Task[] = [
  approve,
  breakGlass,
  reviewByAdministrator,
  reviewByAuditor,
];
