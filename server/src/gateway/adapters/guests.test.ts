import { randomBytes } from 'node:crypto';
import { GUEST_SOCKET_PATH, type NewSessionInvitation, type SessionGuest, type SessionInvitation, type SessionSharing } from '@sallyport/contract';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { GUESTS_CHANNEL } from '../../features/terminal/invitations/service.ts';
import { type BuiltUser, buildAsset, buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { codeOf, enrolTotp, forgetUsedCodes } from '../../testing/second-factors.ts';
import { bearer, browser } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { MenuClient } from '../testing/menu-client.ts';
import { type OpenSsh, openSshClients } from '../testing/open-ssh.ts';
import { freePort, startSshd, type TestSshd } from '../testing/sshd.ts';
import { TerminalClient } from '../testing/terminal-client.ts';

/** The server of the owner, and the one that most guests come to. */
let one: TestProgram;
let other: TestProgram;
let sshd: TestSshd;
/** Clients of the SSH listener of the other server. */
let ssh: OpenSsh;
let here: string;
let asset: string;
let systemUser: string;
let owner: BuiltUser;
let ownerClient: Client;
let administrator: Client;
/** The administrator at the other server. */
let elsewhere: Client;
let live: TerminalClient;
let session: string;

const base = ({ program }: TestProgram) => program.url.replace(/^http/, 'ws').replace(/\/$/, '');
const rowOf = async (id = session) => (await administrator.get<Json>(`terminal/sessions/${id}/`)).body;
const own = (id = session) => `terminal/own-sessions/${id}/invitations/`;

async function openSession(client = ownerClient): Promise<[TerminalClient, string]> {
  const terminal = await TerminalClient.connect(base(one), { asset, system_user: systemUser }, client.headers);
  const opened = (await terminal.message('open')).session;
  terminal.type("PS1='rea''dy> '\r");
  await terminal.waitFor('ready> ');
  return [terminal, opened];
}

beforeAll(async () => {
  const secretKey = randomBytes(32).toString('hex');
  [one, sshd] = await Promise.all([startTestProgram({ secretKey }), startSshd()]);
  const sshPort = await freePort();
  other = await startTestProgram({ secretKey, databaseUrl: one.databaseUrl, sshPort });
  ssh = await openSshClients(sshPort);
  here = await buildOrganization(one.db);
  owner = await buildUser(one.db, { memberOf: [{ organization: here, role: 'User' }] });
  administrator = (await bearer(one)).inOrganization(here);
  elsewhere = await bearer(other);
  asset = await buildAsset(one.db, { organization: here, port: sshd.port });
  const account = { name: unique('account'), username: sshd.username, login_mode: 'auto', protocol: 'ssh', private_key: sshd.privateKey };
  systemUser = String((await administrator.post('assets/system-users/', account)).body.id);
  await administrator.post('perms/asset-permissions/', { name: unique('rule'), users: [owner.id], assets: [asset], system_users: [systemUser] });
  ownerClient = (await bearer(one, owner)).inOrganization(here);
});
afterAll(async () => {
  await other.stop();
  await one.stop();
  await sshd.stop();
  await ssh.stop();
});

const allow = (on: boolean) => changeSettings([administrator, elsewhere], 'terminal', { TERMINAL_SESSION_INVITATIONS: on });
beforeEach(async () => {
  await allow(true);
  [live, session] = await openSession();
});
afterEach(() => live.close());

interface Colleague {
  readonly user: BuiltUser;
  readonly client: Client;
  readonly rule: string;
}

/** Somebody of the organization, granted the same or not. */
async function colleague(isGranted = true): Promise<Colleague> {
  const user = await buildUser(one.db, { memberOf: [{ organization: here, role: 'User' }] });
  const given = { name: unique('rule'), users: [user.id], assets: [asset], system_users: [systemUser] };
  const granted = isGranted ? String((await administrator.post('perms/asset-permissions/', given)).body.id) : '';
  return { user, client: (await bearer(other, user)).inOrganization(here), rule: granted };
}

const invite = async (wanted: Json = {}, id = session): Promise<NewSessionInvitation> => {
  const answer = await ownerClient.post<NewSessionInvitation>(own(id), { may_type: true, minutes: '0', ...wanted });
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('secret')]);
  return answer.body;
};
const accept = (client: Client, { secret }: NewSessionInvitation) => client.post<Json>('terminal/invitations/accept/', { secret });
const visit = (client: Client, { id }: Pick<SessionInvitation, 'id'>, server = other) =>
  new TerminalClient(`${base(server)}${GUEST_SOCKET_PATH}?invitation=${id}`, client.headers);

/** A guest who is in. */
async function guestOf(wanted: Json = {}, server = other) {
  const invitation = await invite(wanted);
  const guest = await colleague();
  expect((await accept(guest.client, invitation)).status).toBe(200);
  const terminal = visit(guest.client, invitation, server);
  await terminal.message('resize');
  return { invitation, ...guest, terminal };
}
const leave = async (terminal: TerminalClient) => {
  await terminal.close();
  await until(async () => (guests().at(-1) ?? []).length === 0, 'the guest has left');
};
const guests = (): (readonly SessionGuest[])[] => live.messages.flatMap((message) => (message.type === 'guests' ? [message.guests] : []));
const stored = async (id: string) =>
  (await administrator.get<SessionInvitation[]>(`terminal/sessions/${session}/invitations/`)).body.find((row) => row.id === id);

it('nobody is invited unless the setting allows it, and the owner reads why', async () => {
  await allow(false);
  expect((await ownerClient.get<SessionSharing>(own())).body).toEqual({ is_allowed: false, invitations: [] });
  const refused = await ownerClient.post<Json>(own(), { may_type: false, minutes: '5' });
  expect([refused.status, refused.body.code]).toEqual([403, 'invitation_off']);
  await allow(true);
  expect((await ownerClient.get<SessionSharing>(own())).body.is_allowed).toBe(true);
});

it('only the owner of a running web terminal invites, in bounds, with a secret that nothing stores', async () => {
  const stranger = await colleague();
  for (const client of [stranger.client, administrator]) expect((await client.post<Json>(own(), { minutes: '5' })).body.code).toBe('session_gone');
  expect((await ownerClient.post<Json>(own(crypto.randomUUID()), { minutes: '5' })).status).toBe(404);
  expect((await ownerClient.post<Json>(own('x'), { minutes: '5' })).status).toBe(404);
  expect((await ownerClient.post<Json>(own(), { minutes: '7' })).body).toMatchObject({ minutes: expect.anything() });
  const [second, id] = await openSession();
  const made = await Promise.all(Array.from({ length: 12 }, () => ownerClient.post<Json>(own(id), { minutes: '5' })));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(made.filter(({ body }) => body.code === 'invitation_limit')).toHaveLength(2);
  const [first] = made.filter(({ status }) => status === 201);
  const { rows } = await sql<{ row: string }>`select to_jsonb(i)::text as row from session_invitation i where id = ${String(first?.body.id)}`.execute(one.db);
  expect(rows[0]?.row).not.toContain(String(first?.body.secret));
  expect((await ownerClient.get<SessionSharing>(own(id))).text).not.toContain(String(first?.body.secret));
  expect((await administrator.get(`audits/operate-logs/?resource_type=session_invitation`)).text).not.toContain(String(first?.body.secret));
  second.type('exit\r');
  await second.message('closed');
  // What was left of its invitations ended with the session.
  await until(async () => (await rowOf(id)).is_finished === true, 'the end of the session');
  expect((await ownerClient.post<Json>(own(id), { minutes: '5' })).body.code).toBe('session_gone');
  const late = await colleague();
  expect((await late.client.post<Json>('terminal/invitations/accept/', { secret: first?.body.secret })).body.code).toBe('invitation_unknown');
});

it('an invitation is bound to the first guest, and refused to everybody else with the reason', async () => {
  const [first, second] = [await colleague(), await colleague()];
  expect((await first.client.post<Json>('terminal/invitations/accept/', { secret: 'none' })).body.code).toBe('invitation_unknown');
  const named = await invite({ for_username: second.user.username.toUpperCase() });
  expect((await accept(first.client, named)).body.code).toBe('invitation_for_another');
  expect((await accept(second.client, named)).status).toBe(200);
  const invitation = await invite();
  expect((await accept(ownerClient, invitation)).body.code).toBe('invitation_for_another');
  expect((await accept(first.client, invitation)).body).toMatchObject({ invitation: invitation.id, session, may_type: true });
  expect((await accept(first.client, invitation)).status).toBe(200);
  expect((await accept(second.client, invitation)).body.code).toBe('invitation_taken');
  // The id alone lets nobody in.
  expect(await visit(second.client, invitation).message('closed')).toMatchObject({ code: 'invitation_unknown' });
  expect(await visit(second.client, { id: 'x' }).message('closed')).toMatchObject({ code: 'invitation_unknown' });
  await sql`update session_invitation set date_expired = now() - interval '1 second' where id = ${invitation.id}`.execute(one.db);
  expect(['invitation_expired', 'invitation_unknown']).toContain((await accept(first.client, invitation)).body.code);
  expect((await ownerClient.delete(`${own()}${named.id}/`)).status).toBe(204);
  expect((await ownerClient.delete<Json>(`${own()}${named.id}/`)).status).toBe(404);
  const foreign = await colleague();
  expect((await foreign.client.delete<Json>(`${own()}${(await invite()).id}/`)).body.code).toBe('session_gone');
});

it('a guest needs a permission of their own, and the second factor that it asks for', async () => {
  const nobody = await colleague(false);
  const invitation = await invite();
  expect((await accept(nobody.client, invitation)).status).toBe(200);
  expect(await visit(nobody.client, invitation).message('closed')).toMatchObject({ code: 'connect_denied' });
  const careful = await colleague();
  await administrator.patch(`perms/asset-permissions/${careful.rule}/`, { mfa_minutes: 5 });
  const second = await invite();
  await accept(careful.client, second);
  expect(await visit(careful.client, second).message('closed')).toMatchObject({ code: 'factor_missing' });
  const { secret } = await enrolTotp(await browser(one, careful.user), careful.user.password);
  await sql`update account set mfa_level = 0 where id = ${careful.user.id}`.execute(one.db);
  const terminal = visit(careful.client, second);
  expect(await terminal.message('need_factor')).toMatchObject({ again: false });
  expect(terminal.output).toBe('');
  await forgetUsedCodes(one.db, careful.user.id);
  terminal.send({ type: 'factor', code: codeOf(secret) });
  await terminal.message('resize');
  await leave(terminal);
});

it('a guest who watches sees what was there and what comes, and what they type goes nowhere', async () => {
  live.type('echo was the"re"\r');
  await live.waitFor('was there');
  const { terminal, invitation } = await guestOf({ may_type: false });
  await terminal.waitFor('was there');
  expect(await terminal.message('invited')).toEqual({ type: 'invited', types: false });
  terminal.type('touch /tmp/never\r');
  live.type('echo on"ly"\r');
  await terminal.waitFor('only');
  expect(live.output).not.toContain('never');
  expect(guests().at(-1)).toMatchObject([{ invitation: invitation.id, types: false, typing: false }]);
  expect((await rowOf()).is_finished).toBe(false);
  await leave(terminal);
  await until(async () => (await stored(invitation.id))?.state === 'left', 'the invitation says so');
});

it('a guest types, the log and the recording say who did, and the owner sees it', async () => {
  const { terminal, user, invitation } = await guestOf();
  const name = `Name of ${user.username}(${user.username})`;
  live.type('echo ');
  await terminal.waitFor('echo ');
  terminal.type('by-bo"th"\r');
  await live.waitFor('by-both');
  await live.until('the badge', () => guests().find((list) => list.some(({ typing }) => typing)));
  await live.until('the end of the badge', () =>
    guests()
      .at(-1)
      ?.every(({ typing }) => !typing)
      ? true
      : undefined,
  );
  await live.waitFor('ready> ');
  terminal.type('echo by-gue"st"\r');
  await live.waitFor('by-guest');
  await live.waitFor('ready> ');
  live.type('echo by-own"er"\r');
  await live.waitFor('by-owner');
  const typists = async () => (await administrator.get<Json[]>(`terminal/commands/?session=${session}`)).body;
  const typistOf = async (input: string) => (await typists()).find((row) => row.input === input);
  await until(async () => (await typistOf('echo by-own"er"')) !== undefined, 'the commands are written');
  expect((await typistOf('echo by-gue"st"'))?.typed_by).toBe(name);
  expect((await typistOf('echo by-own"er"'))?.typed_by).toBeNull();
  expect((await typistOf('echo by-bo"th"'))?.typed_by).toContain(`(${owner.username}), ${name}`);
  expect(await stored(invitation.id)).toMatchObject({ state: 'joined', guest: name, may_type: true });
  const log = async () =>
    (await administrator.get<Json[]>('audits/operate-logs/')).body.filter((row) => row.resource_id === invitation.id).map(({ action }) => action);
  await until(async () => (await log()).length === 2, 'two entries');

  // Taken away at once, and given back.
  expect((await ownerClient.patch(`${own()}${invitation.id}/`, { may_type: false })).status).toBe(204);
  await terminal.until('typing is taken away', () => terminal.messages.find((message) => message.type === 'invited' && !message.types));
  terminal.type('echo ne"ver"\r');
  live.type('echo mi"ne"\r');
  await live.waitFor('mine');
  expect(live.output).not.toContain('echo ne"ver"');
  expect((await ownerClient.delete(`${own()}${invitation.id}/`)).status).toBe(204);
  expect(await terminal.message('closed')).toMatchObject({ code: 'invitation_ended' });
  expect(await log()).toHaveLength(4);
  expect(await stored(invitation.id)).toMatchObject({ state: 'ended', end_reason: 'invitation_ended' });
});

it('what guests type passes the command filter, and nothing of a refused line reaches the server', async () => {
  const { body: filter } = await administrator.post<Json>('assets/cmd-filters/', { name: unique('filter'), system_users: [systemUser] });
  await administrator.post<Json>(`assets/cmd-filters/${filter.id}/rules/`, { type: 'command', content: 'touch', action: 0, priority: 1 });
  const { terminal, user } = await guestOf({}, one);
  // An unfinished paste of a guest holds nobody up.
  terminal.type('\u001b[200~nev');
  live.type('echo no"ne"\r');
  await live.waitFor('none');
  await until(async () => {
    terminal.type('\u0015touch gues"ted"\r');
    const rows = (await administrator.get<Json[]>(`terminal/commands/?session=${session}`)).body;
    return rows.some((row) => row.is_denied === true && String(row.input).startsWith('touch') && String(row.typed_by).includes(user.username));
  }, 'the refused command is in the log');
  expect((await administrator.delete(`assets/cmd-filters/${filter.id}/`)).status).toBe(204);
  await leave(terminal);
});

const ENDS: Readonly<Record<string, readonly [end: (guest: Colleague & { readonly invitation: NewSessionInvitation }) => Promise<unknown>, code: string]>> = {
  'the permission': [({ rule: granted }) => administrator.delete(`perms/asset-permissions/${granted}/`), 'connect_expired'],
  'the sign-in': [({ client }) => client.post('/core/auth/logout/', {}), 'session_signed_out'],
  'the account': [({ user }) => sql`update account set is_active = false where id = ${user.id}`.execute(one.db), 'session_signed_out'],
};

it.each(Object.entries(ENDS))('a visit ends with %s', async (_name, [end, code]) => {
  const guest = await guestOf();
  await end(guest);
  expect([code, 'connect_expired']).toContain((await guest.terminal.message('closed')).code);
  await until(async () => (await stored(guest.invitation.id))?.state === 'ended', 'the invitation has ended');
  expect((await rowOf()).is_finished).toBe(false);
});

it('a visit ends when the invitation expires, and with the setting', async () => {
  const { terminal, invitation } = await guestOf({ minutes: '5' });
  // What changes an invitation announces it, and the servers look at it again.
  await sql`
    with soon as (update session_invitation set date_expired = now() + interval '1 second' where id = ${invitation.id} returning session)
    select pg_notify(${GUESTS_CHANNEL}, session::text) from soon`.execute(one.db);
  expect((await terminal.message('closed')).code).toMatch(/^invitation_(expired|unknown)$/);
  const second = await guestOf();
  await allow(false);
  expect(await second.terminal.message('closed')).toMatchObject({ code: 'invitation_off' });
  await allow(true);
});

it('a colleague joins over SSH, at another server, with the code or the link of an invitation', async () => {
  live.type('echo was the"re"\r');
  await live.waitFor('was there');
  const { user } = await colleague();
  const watching = await invite({ may_type: false });
  const client = new MenuClient(ssh, user);
  await client.sees('Opt> ');
  client.type(`join ${'x'.repeat(43)}\r`);
  await client.sees('This invitation does not exist');
  client.type('join nothing\r');
  await client.sees('There is no live session');
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
  client.type(`join https://bastion.example.com/luna/invited/#${typing.secret}\r`);
  await client.sees('You may type');
  await client.sees('ready> ');
  client.type('echo from-"ssh"\r');
  await live.waitFor('from-ssh');
  await client.sees('from-ssh');
  expect((await ownerClient.patch(`${own()}${typing.id}/`, { may_type: false })).status).toBe(204);
  await client.sees('Your keys are not sent');
  expect((await ownerClient.delete(`${own()}${typing.id}/`)).status).toBe(204);
  await client.sees('The host ended your visit.');
  // The key that ends the visit is not taken for a line of the menu; what follows it is.
  client.type('xq\r');
  expect(await client.ends()).toBe(0);
  const typedBy = async () =>
    (await administrator.get<Json[]>(`terminal/commands/?session=${session}`)).body.find((row) => row.input === 'echo from-"ssh"')?.typed_by;
  await until(async () => String(await typedBy()).includes(user.username), 'the command names the guest');
});

it('a guest over SSH is asked for the second factor of their permission', async () => {
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

it('the user of an SSH session shares it from the menu of another connection, sees who is in, and ends it', async () => {
  live.type('exit\r');
  await until(async () => (await rowOf()).is_finished === true, 'only the session over SSH is left');
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
  await menu.sees('There is no session with this number');
  menu.type('share\r');
  await menu.sees('0 min');
  menu.type('share 1 type 60\r');
  await menu.sees('for 60 minutes');
  await until(() => /join ([\w-]{43})\r/.test(menu.output), 'the code is shown');
  const secret = String(/join ([\w-]{43})\r/.exec(menu.output)?.[1]);
  await menu.sees(`/luna/invited/#${secret}`);
  const guest = await colleague();
  const accepted = await guest.client.post<Json>('terminal/invitations/accept/', { secret });
  const terminal = visit(guest.client, { id: String(accepted.body.invitation) }, one);
  await terminal.waitFor('ready> ');
  await working.sees(`(${guest.user.username}) is in this session and may type.`);
  terminal.type('echo to-the-"owner"\r');
  await working.sees('to-the-owner');
  menu.type('share\r');
  // A narrow terminal cuts long names.
  await menu.sees('Name of user-');
  menu.type('unshare 1\r');
  await menu.sees('1 invitation has ended.');
  expect(await terminal.message('closed')).toMatchObject({ code: 'invitation_ended' });
  await working.sees(`(${guest.user.username}) has left this session.`);
  menu.type('unshare 1\r');
  await menu.sees('No invitation was open.');
  await allow(false);
  menu.type('share 1\r');
  await menu.sees('Invitations into sessions are switched off.');
  working.type('exit\r');
  await working.sees('Opt> ');
  const running = () => sql`select from session where user_id = ${owner.id} and not is_finished`.execute(one.db);
  await until(async () => (await running()).rows.length === 0, 'its end is written');
  menu.type('share\r');
  await menu.sees('You have no running terminal.');
  for (const client of [working, menu]) client.type('q\r');
  expect([await working.ends(), await menu.ends()]).toEqual([0, 0]);
});

it('nobody types while the owner is away, one invitation has one window, and a session has a bounded number of guests', async () => {
  const { terminal, client, invitation } = await guestOf({}, one);
  live.socket.terminate();
  await terminal.until('typing is paused', () =>
    terminal.messages.filter((message) => message.type === 'invited').at(-1)?.types === false ? true : undefined,
  );
  live = await TerminalClient.resume(base(one), { session, received: live.received }, ownerClient.headers);
  await live.message('resumed');
  expect((await live.message('guests')).guests).toHaveLength(1);
  await terminal.until('typing goes on', () => (terminal.messages.filter((message) => message.type === 'invited').at(-1)?.types ? true : undefined));

  const again = visit(client, invitation);
  await again.message('resize');
  expect(await terminal.message('closed')).toMatchObject({ code: 'session_moved' });
  expect(await stored(invitation.id)).toMatchObject({ state: 'joined' });
  const more = [again];
  while (more.length < 5) more.push((await guestOf()).terminal);
  const last = await invite();
  const late = await colleague();
  await accept(late.client, last);
  expect(await visit(late.client, last).message('closed')).toMatchObject({ code: 'watch_limit' });
  again.type('echo ag"ain"\r');
  await live.waitFor('again');
  await more.pop()?.close();
  await until(async () => guests().at(-1)?.length === 4, 'one has left');
  // The others go with the session, also when their rights are looked at meanwhile.
  live.type('exit\r');
  for (let types = true; (await ownerClient.patch(`${own()}${invitation.id}/`, { may_type: types })).status < 400; types = !types);
  for (const guest of more) expect(await guest.message('closed')).toMatchObject({ code: 'session_finished' });
  await until(async () => (await stored(invitation.id))?.end_reason === 'session_finished', 'the invitations have ended');
  await until(async () => (await rowOf()).can_replay === true, 'the recording is finished');
  const { text } = await administrator.get(`terminal/sessions/${session}/replay/download/`);
  for (const mark of ['guest joined: ', 'guest left: ', 'typing: ']) expect(text).toContain(`"m", "${mark}`);
  expect((await (await bearer(one)).post<{ sessions: Json }>('audits/verify/', {})).body.sessions).toMatchObject({ wrong: 0 });
});
