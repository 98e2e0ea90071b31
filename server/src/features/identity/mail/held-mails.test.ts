import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MODULES } from '../../../modules.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser, unique } from '../../../testing/builders.ts';
import { changeSettings } from '../../../testing/change-settings.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { runHousekeeping } from '../../../testing/jobs.ts';
import { until } from '../../../testing/poll.ts';
import { type Mailbox, startMailbox, useMailbox } from '../../../testing/services/mailbox.ts';
import { bearer, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { canWait } from './held-mails.ts';

const DAILY = { mode: 'daily', from: '00:00', to: '08:00', zone: 'Asia/Shanghai' };

/** Addresses that the mail server refuses. */
const refused = new Set<string>();

let test: TestProgram;
let mailbox: Mailbox;
let admin: Client;
beforeAll(async () => {
  [test, mailbox] = await Promise.all([
    startTestProgram(),
    startMailbox({
      onRcptTo: ({ address }, _session, done) =>
        refused.has(address) ? done(new Error('no such mailbox')) : done(),
    }),
  ]);
  admin = await bearer(test);
  await useMailbox(admin, mailbox);
});
afterAll(async () => {
  await test.stop();
  await mailbox.stop();
});

const wish = async (user: BuiltUser, times: Json | null) =>
  expect(
    (await (await bearer(test, user)).patch('users/preferences/', { mail_times: times })).status,
  ).toBe(200);
/** An administrator asks a user for an answer; returns the title. */
async function ask({ id }: BuiltUser, client = admin): Promise<string> {
  const title = unique('question');
  const { status } = await client.post('tickets/tickets/', { title, body: 'x', assignees: [id] });
  expect(status).toBe(201);
  return title;
}
const nextMail = ({ username }: BuiltUser) => mailbox.next(`${username}@example.com`);
const held = async ({ id }: BuiltUser) =>
  (await sql`select 1 from held_mail where account_id = ${id}`.execute(test.db)).rows.length;
const holds = (user: BuiltUser, count: number) =>
  until(async () => (await held(user)) === count, `${count} held mails`);
const ageHeldMails = () =>
  sql`update held_mail set date_held = date_held - interval '25 hours'`.execute(test.db);
const sendDigests = () => runHousekeeping(test, 'mail-digests');

it('holds mails that can wait, and sends those of a day as one mail', async () => {
  const user = await buildUser(test.db);
  await wish(user, DAILY);
  const titles = [await ask(user), await ask(user)];
  await holds(user, 2);
  // A link to set a password does not wait.
  expect((await admin.patch(`users/users/${user.id}/password/reset/`)).status).toBe(200);
  expect((await nextMail(user)).text).toContain('#token=');
  expect(await held(user)).toBe(2);

  await ageHeldMails();
  await sendDigests();
  const { subject, text } = await nextMail(user);
  expect(subject).toMatch(/2/);
  for (const title of titles) expect(text).toContain(title);
  expect(text.match(/https?:\/\/\S+\/tickets\//g)).toHaveLength(2);
  expect(await held(user)).toBe(0);
});

it('sends the mail about a sign-in that waits for its reviewer at once', async () => {
  const organization = await buildOrganization(test.db);
  const member = (role: 'User' | 'Admin') =>
    buildUser(test.db, { memberOf: [{ organization, role }] });
  const [user, reviewer] = [await member('User'), await member('Admin')];
  await wish(reviewer, DAILY);
  const boss = (await bearer(test, reviewer)).inOrganization(organization);
  const setting = `authentication/login-confirm-settings/${user.id}/`;
  expect((await boss.patch(setting, { reviewers: [reviewer.id] })).status).toBe(200);
  await changeSettings([admin], 'security', { LOGIN_CONFIRM_ENABLE: true });
  try {
    await tryToSignIn(test, user);
    expect((await nextMail(reviewer)).text).toContain(user.username);
    expect(await held(reviewer)).toBe(0);
  } finally {
    await changeSettings([admin], 'security', { LOGIN_CONFIRM_ENABLE: false });
  }
});

it.each([
  ['en', 'waited'],
  ['zh', '条待发邮件'],
])(
  'writes a digest in the language of its mails without a preferred one: %s',
  async (language, word) => {
    const user = await buildUser(test.db);
    await wish(user, DAILY);
    await ask(user, admin.with({ 'accept-language': language }));
    await holds(user, 1);
    await ageHeldMails();
    await sendDigests();
    expect((await nextMail(user)).subject).toContain(word);
  },
);

it('says in a digest who decided, and how', async () => {
  const user = await buildUser(test.db);
  await wish(user, DAILY);
  const title = unique('request');
  const facts = { about: title, page: '/ui/tickets/tickets/1', by: 'Li Wei' };
  for (const kind of ['ticket_approved', 'ticket_rejected'])
    await sql`insert into held_mail (account_id, kind, about) values
      (${user.id}, ${kind}, ${JSON.stringify({ ...facts, language: 'en' })}::jsonb)`.execute(
      test.db,
    );
  await ageHeldMails();
  await sendDigests();
  const { text } = await nextMail(user);
  expect(text).toContain(`Li Wei approved your ticket "${title}"`);
  expect(text).toContain(`Li Wei rejected your ticket "${title}"`);
});

it.each([
  ['disabled', sql`is_active = false`],
  ['expired', sql`date_expired = now() - interval '1 minute'`],
])('sends no held mail to a user who is %s', async (_, change) => {
  const user = await buildUser(test.db);
  await wish(user, DAILY);
  await ask(user);
  await holds(user, 1);
  await ageHeldMails();
  await sql`update account set ${change} where id = ${user.id}`.execute(test.db);
  await sendDigests();
  expect(await held(user)).toBe(0);
  expect(mailbox.mails.filter(({ to }) => to === `${user.username}@example.com`)).toEqual([]);
});

it('sends the mails of other users when the mail server refuses an address, which it gives up after days', async () => {
  const users = await Promise.all(Array.from({ length: 6 }, () => buildUser(test.db)));
  const [first, second, ...others] = users as [BuiltUser, BuiltUser, ...BuiltUser[]];
  for (const { username } of [first, second]) refused.add(`${username}@example.com`);
  for (const user of users) {
    await wish(user, DAILY);
    await ask(user);
    await holds(user, 1);
  }
  await ageHeldMails();
  await expect(sendDigests()).rejects.toThrow('mail_failed');
  for (const user of others) {
    await nextMail(user);
    expect(await held(user)).toBe(0);
  }
  expect([await held(first), await held(second)]).toEqual([1, 1]);
  await ageHeldMails();
  await expect(sendDigests()).rejects.toThrow('mail_failed');
  expect([await held(first), await held(second)]).toEqual([0, 0]);
});

it('sends held mails when the user wants mails at once again', async () => {
  const user = await buildUser(test.db);
  await wish(user, DAILY);
  const title = await ask(user);
  await holds(user, 1);
  await wish(user, null);
  await sendDigests();
  expect((await nextMail(user)).text).toContain(title);
});

it.each([{ mode: 'daily' }, 'daily', { ...DAILY, zone: 'Mars/Base' }])(
  'sends mails at once for the malformed wish %j',
  async (times) => {
    const user = await buildUser(test.db);
    await (await bearer(test, user)).patch('users/preferences/', { mail_times: times });
    const title = await ask(user);
    expect((await nextMail(user)).text).toContain(title);
    expect(await held(user)).toBe(0);
  },
);

it('holds no mail about access that ends within a day', () => {
  expect(canWait('grant_ends')).toBe(false);
  expect(canWait('ticket_approved')).toBe(true);
});

it('drops the held mails of a restored backup, which may have been sent since', async () => {
  const user = await buildUser(test.db);
  await wish(user, DAILY);
  await ask(user);
  await holds(user, 1);
  const client = new pg.Client(test.databaseUrl);
  await client.connect();
  try {
    for (const { dropAfterRestore } of MODULES) await dropAfterRestore?.(client);
  } finally {
    await client.end();
  }
  expect(await held(user)).toBe(0);
});
