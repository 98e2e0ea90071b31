import { say } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import type { Client } from '../../server/src/testing/client.ts';
import { until } from '../../server/src/testing/poll.ts';
import { TerminalClient } from '../../server/src/testing/terminals/terminal-client.ts';
import { words as screens } from '../../web/src/console/features/sessions/screens/words.ts';
import type { Organization } from '../harness/browser.ts';
import { TerminalPage } from '../pages/terminal-page.ts';
import type { GuidePicture } from './guide-pictures.ts';

/** The asset of the demo with a rule for each verdict. */
export const SHELL = 'demo-shell';
const CONFIRMED = 'systemctl restart nginx';
const HELD = 'passwd deploy';
const PHRASE = 'nginx';

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

/** The first object below a path. @throws Error */
async function firstOf<Found extends Row>(client: Client, path: string): Promise<Found> {
  const [row] = (await client.get<Found[]>(path)).body;
  if (!row) throw new Error(`there is nothing to photograph below ${path}`);
  return row;
}

/** Types a command that waits for a reviewer. Returns its ticket, and what ends the session. */
async function heldCommand(admin: Client, worker: Client, asset: string) {
  const account = await firstOf(worker, `perms/users/assets/${asset}/system-users/`);
  const terminal = await TerminalClient.connect(
    new URL(worker.url).origin.replace('http', 'ws'),
    { asset, system_user: account.id },
    worker.headers,
  );
  await terminal.message('open');
  await terminal.waitFor('$');
  terminal.type(`${HELD}\r`);
  const path = 'tickets/tickets/?type=held_command&status=open';
  await until(
    async () => (await admin.get<Row[]>(path)).body.length > 0,
    'the command waits for a reviewer',
  );
  return { ticket: (await firstOf(admin, path)).id, stop: () => terminal.close() };
}

/** The change set that waits in the second organization of the demo. */
async function waitingChange(
  admin: Client,
): Promise<{ readonly organization: Organization; readonly id: string }> {
  const organization = await firstOf<Row & Organization>(admin, 'orgs/orgs/');
  const set = await firstOf(admin.inOrganization(organization.id), 'change-sets/');
  return { organization: { id: organization.id, name: organization.name }, id: set.id };
}

/** Pictures of what waits for, and what reports to, a second pair of eyes. */
export async function controlPictures(
  admin: Client,
  worker: Client,
): Promise<{ readonly pictures: readonly GuidePicture[]; readonly stop: () => Promise<void> }> {
  const shell = await firstOf(worker, `perms/users/assets/?search=${SHELL}`);
  const [held, change] = [await heldCommand(admin, worker, shell.id), await waitingChange(admin)];
  const [condition] = (await admin.get<Row[]>('perms/conditions/')).body.filter(
    ({ hours }) => hours,
  );
  if (!condition) throw new Error('no condition has hours');
  await until(
    async () => (await admin.get<Row[]>('audits/alerts/')).body.length > 0,
    'the alerts are raised',
  );
  const pictures: readonly GuidePicture[] = [
    {
      name: 'change-set',
      who: 'administrator',
      organization: change.organization,
      address: `/ui/perms/change-sets/${change.id}`,
    },
    {
      name: 'held-command',
      who: 'administrator',
      address: `/ui/tickets/tickets/${held.ticket}`,
    },
    {
      name: 'condition',
      who: 'administrator',
      address: `/ui/perms/conditions/${condition.id}/update`,
    },
    { name: 'alerts', who: 'administrator', address: '/ui/audits/alert' },
    { name: 'compliance', who: 'administrator', address: '/ui/compliance' },
    {
      name: 'screen-search',
      who: 'administrator',
      address: '/ui/terminal/session?activeTab=ScreenSearch',
      prepare: async (page, language) => {
        await page.getByLabel(say(screens.phrase, language)).fill(PHRASE);
        await page.keyboard.press('Enter');
        await page.getByRole('status').first().waitFor();
      },
    },
    {
      name: 'confirm-command',
      who: 'worker',
      address: `/luna/?login_to=${shell.id}`,
      prepare: async (page: Page, language) => {
        const terminal = new TerminalPage(page, language, SHELL);
        await terminal.ready();
        await terminal.run(CONFIRMED);
        await terminal.shows(SHELL);
      },
    },
  ];
  return { pictures, stop: held.stop };
}
