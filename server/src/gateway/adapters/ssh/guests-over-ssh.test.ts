import { expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import type { Json } from '../../../testing/client.ts';
import { until } from '../../../testing/poll.ts';
import { codeOf, enrolTotp, forgetUsedCodes } from '../../../testing/second-factors.ts';
import { browser } from '../../../testing/sign-in.ts';
import { MenuClient } from '../../../testing/ssh/menu-client.ts';
import {
  administrator,
  allow,
  colleague,
  invite,
  live,
  one,
  own,
  owner,
  ownerClient,
  rowOf,
  session,
  ssh,
  stored,
  useGuests,
  visit,
} from '../../../testing/terminals/guests-setup.ts';

useGuests();

it('lets a colleague join over SSH at another server, with the code or the link of an invitation', async () => {
  live.type('echo was the"re"\r');
  await live.waitFor('was there');
  const { user } = await colleague();
  const watching = await invite({ may_type: false });
  const client = new MenuClient(ssh, user);
  await client.sees('Opt> ');
  client.type(`join ${'x'.repeat(43)}\r`);
  await client.sees('This invitation does not exist');
  client.type('join nothing\r');
  await client.sees('No live session');
  await client.sees('Opt> ');
  client.type(`join ${watching.secret}\r`);
  await client.sees('You are a guest of Name of');
  await client.sees('Your keys are not sent');
  await client.sees('was there');
  client.type('q\x03touch /tmp/never\r');
  live.type('echo on"ly"\r');
  await client.sees('only');
  expect(live.output).not.toContain('never');
  client.type('\x1d');
  await client.sees('Opt> ');
  await until(async () => (await stored(watching.id))?.state === 'left', 'the guest has left');

  const typing = await invite({ may_type: true });
  client.type(`join https://bastion.example.com/luna/invited/?lang=zh#${typing.secret}\r`);
  await client.sees('You may type');
  await client.sees('ready> ');
  client.type('echo from-"ssh"\r');
  await live.waitFor('from-ssh');
  await client.sees('from-ssh');
  expect((await ownerClient.patch(`${own()}${typing.id}/`, { may_type: false })).status).toBe(204);
  await client.sees('Your keys are not sent');
  expect((await ownerClient.delete(`${own()}${typing.id}/`)).status).toBe(204);
  await client.sees('The host ended your visit.');
  // The menu ignores the key that ends the visit, and reads the keys after it.
  client.type('xq\r');
  expect(await client.ends()).toBe(0);
  const typedBy = async () =>
    (await administrator.get<Json[]>(`terminal/commands/?session=${session}`)).body.find(
      (row) => row.input === 'echo from-"ssh"',
    )?.typed_by;
  await until(
    async () => String(await typedBy()).includes(user.username),
    'the command names the guest',
  );
});

it('names nothing of a session to a user over SSH who has no permission for it', async () => {
  const { user } = await colleague(false);
  const invitation = await invite();
  const client = new MenuClient(ssh, user);
  await client.sees('Opt> ');
  client.type(`join ${invitation.secret}\r`);
  await client.sees('This invitation does not exist');
  expect(client.output).not.toContain(owner.username);
  expect(await stored(invitation.id)).toMatchObject({ state: 'open', guest: null });
  client.type('q\r');
  expect(await client.ends()).toBe(0);
});

it("asks a guest over SSH for the second factor of the guest's permission", async () => {
  const careful = await colleague();
  await administrator.patch(`perms/asset-permissions/${careful.rule}/`, { mfa_minutes: 5 });
  const { secret } = await enrolTotp(await browser(one, careful.user), careful.user.password);
  await sql`update account set mfa_level = 0 where id = ${careful.user.id}`.execute(one.db);
  await forgetUsedCodes(one.db, careful.user.id);
  const invitation = await invite();
  const client = new MenuClient(ssh, careful.user);
  await client.sees('Opt> ');
  client.type(`join ${invitation.secret}\r`);
  await client.sees('[MFA auth]: ');
  expect(client.output).not.toContain('ready> ');
  client.type(`${codeOf(secret)}\r`);
  await client.sees('ready> ');
  client.type('\x1d');
  await client.sees('Opt> ');
  client.type('q\r');
  expect(await client.ends()).toBe(0);
});

it('shares an SSH session from the menu of another connection, lists its guests, and revokes the invitation', async () => {
  live.type('exit\r');
  await until(async () => (await rowOf()).is_finished === true, 'only the SSH session is left');
  const working = new MenuClient(ssh, owner);
  await working.sees('Opt> ');
  working.type('p\r');
  await working.sees('1 server');
  working.type('1\r');
  await working.sees('Connecting to ');
  working.type("PS1='rea''dy> '\r");
  await working.sees('ready> ');
  const menu = new MenuClient(ssh, owner);
  await menu.sees('Opt> ');
  menu.type('share 1 type 7\r');
  await menu.sees('5, 15, 60, 0');
  menu.type('share 9\r');
  await menu.sees('No session has this number');
  menu.type('share\r');
  await menu.sees('0 min');
  menu.type('share 1 type 60\r');
  await menu.sees('for 60 minutes');
  await until(() => /join ([\w-]{43})\r/.test(menu.output), 'the code is shown');
  const secret = String(/join ([\w-]{43})\r/.exec(menu.output)?.[1]);
  await menu.sees(`/luna/invited/?lang=en#${secret}`);
  const guest = await colleague();
  const accepted = await guest.client.post<Json>('terminal/invitations/accept/', { secret });
  const terminal = visit(guest.client, { id: String(accepted.body.invitation) }, one);
  await terminal.waitFor('ready> ');
  await working.sees(`(${guest.user.username}) joined this session and may type.`);
  terminal.type('echo to-the-"owner"\r');
  await working.sees('to-the-owner');
  // The owner sees the guest slightly before the row is written, and the menu reads the row.
  const joined = () =>
    sql`select from session_invitation where id = ${accepted.body.invitation} and date_joined is not null`.execute(
      one.db,
    );
  await until(async () => (await joined()).rows.length === 1, 'the visit is stored');
  menu.type('share\r');
  // A narrow terminal cuts long names.
  await menu.sees('Name of user-');
  menu.type('unshare 1\r');
  await menu.sees('1 invitation ended.');
  expect(await terminal.message('closed')).toMatchObject({ code: 'invitation_ended' });
  await working.sees(`(${guest.user.username}) left this session.`);
  menu.type('unshare 1\r');
  await menu.sees('No open invitations.');
  await allow(false);
  menu.type('share 1\r');
  await menu.sees('Invitations into sessions are switched off.');
  working.type('exit\r');
  await working.sees('Opt> ');
  const running = () =>
    sql`select from session where user_id = ${owner.id} and not is_finished`.execute(one.db);
  await until(async () => (await running()).rows.length === 0, 'the end is stored');
  menu.type('share\r');
  await menu.sees('You have no running terminal.');
  for (const client of [working, menu]) client.type('q\r');
  expect([await working.ends(), await menu.ends()]).toEqual([0, 0]);
});
