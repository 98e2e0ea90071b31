import type { NewSessionInvitation, SessionSharing } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { GUESTS_CHANNEL } from '../../features/sessions/index.ts';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { codeOf, enrolTotp, forgetUsedCodes } from '../../testing/second-factors.ts';
import { bearer, browser } from '../../testing/sign-in.ts';
import {
  accept,
  administrator,
  allow,
  type Colleague,
  colleague,
  comeBack,
  guestOf,
  guests,
  invite,
  leave,
  live,
  one,
  openSession,
  own,
  owner,
  ownerClient,
  rowOf,
  session,
  stored,
  systemUser,
  useGuests,
  visit,
} from '../../testing/terminals/guests-setup.ts';

useGuests();

it('rejects invitations while the setting forbids them, and tells the owner why', async () => {
  await allow(false);
  expect((await ownerClient.get<SessionSharing>(own())).body).toEqual({
    is_allowed: false,
    invitations: [],
  });
  const refused = await ownerClient.post<Json>(own(), { may_type: false, minutes: '5' });
  expect([refused.status, refused.body.code]).toEqual([403, 'invitation_off']);
  await allow(true);
  expect((await ownerClient.get<SessionSharing>(own())).body.is_allowed).toBe(true);
});

it('lets only the owner of a running web terminal invite, within limits, and never stores the secret', async () => {
  const stranger = await colleague();
  for (const client of [stranger.client, administrator])
    expect((await client.post<Json>(own(), { minutes: '5' })).body.code).toBe('session_gone');
  expect((await ownerClient.post<Json>(own(crypto.randomUUID()), { minutes: '5' })).status).toBe(
    404,
  );
  expect((await ownerClient.post<Json>(own('x'), { minutes: '5' })).status).toBe(404);
  expect((await ownerClient.post<Json>(own(), { minutes: '7' })).body).toMatchObject({
    minutes: expect.anything(),
  });
  const [second, id] = await openSession();
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => ownerClient.post<Json>(own(id), { minutes: '5' })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(answers.filter(({ body }) => body.code === 'invitation_limit')).toHaveLength(2);
  const [first] = answers.filter(({ status }) => status === 201);
  const { rows } = await sql<{
    row: string;
  }>`select to_jsonb(i)::text as row from session_invitation i where id = ${String(first?.body.id)}`.execute(
    one.db,
  );
  expect(rows[0]?.row).not.toContain(String(first?.body.secret));
  expect((await ownerClient.get<SessionSharing>(own(id))).text).not.toContain(
    String(first?.body.secret),
  );
  expect(
    (await administrator.get(`audits/operate-logs/?resource_type=session_invitation`)).text,
  ).not.toContain(String(first?.body.secret));
  second.type('exit\r');
  await second.message('closed');
  // The open invitations ended with the session.
  await until(async () => (await rowOf(id)).is_finished === true, 'the end of the session');
  expect((await ownerClient.post<Json>(own(id), { minutes: '5' })).body.code).toBe('session_gone');
  const late = await colleague();
  expect(
    (await late.client.post<Json>('terminal/invitations/accept/', { secret: first?.body.secret }))
      .body.code,
  ).toBe('invitation_unknown');
});

it('binds an invitation to its first guest, and rejects other users with the reason', async () => {
  const [first, second] = [await colleague(), await colleague()];
  expect(
    (await first.client.post<Json>('terminal/invitations/accept/', { secret: 'none' })).body.code,
  ).toBe('invitation_unknown');
  const addressed = await invite({ for_username: second.user.username.toUpperCase() });
  expect((await accept(first.client, addressed)).body.code).toBe('invitation_for_another');
  expect((await accept(second.client, addressed)).status).toBe(200);
  const invitation = await invite();
  expect((await accept(ownerClient, invitation)).body.code).toBe('invitation_for_another');
  expect((await accept(first.client, invitation)).body).toMatchObject({
    invitation: invitation.id,
    session,
    may_type: true,
  });
  expect((await accept(first.client, invitation)).status).toBe(200);
  expect((await accept(second.client, invitation)).body.code).toBe('invitation_taken');
  // The id of an invitation alone admits no guest.
  expect(await visit(second.client, invitation).message('closed')).toMatchObject({
    code: 'invitation_unknown',
  });
  expect(await visit(second.client, { id: 'x' }).message('closed')).toMatchObject({
    code: 'invitation_unknown',
  });
  await sql`update session_invitation set date_expired = now() - interval '1 second' where id = ${invitation.id}`.execute(
    one.db,
  );
  expect(['invitation_expired', 'invitation_unknown']).toContain(
    (await accept(first.client, invitation)).body.code,
  );
  expect((await ownerClient.delete(`${own()}${addressed.id}/`)).status).toBe(204);
  expect((await ownerClient.delete<Json>(`${own()}${addressed.id}/`)).status).toBe(404);
  const foreign = await colleague();
  expect((await foreign.client.delete<Json>(`${own()}${(await invite()).id}/`)).body.code).toBe(
    'session_gone',
  );
});

it('requires an own permission of the guest, and its second factor', async () => {
  const nobody = await colleague(false);
  const invitation = await invite();
  const unknown = await accept(nobody.client, { ...invitation, secret: 'x'.repeat(43) });
  const refused = await accept(nobody.client, invitation);
  expect([refused.status, refused.body.code]).toEqual([404, 'invitation_unknown']);
  // A user without a permission does not even learn that the invitation exists.
  expect(refused.body).toEqual(unknown.body);
  expect(await stored(invitation.id)).toMatchObject({ state: 'open', guest: null });
  expect(await visit(nobody.client, invitation).message('closed')).toMatchObject({
    code: 'invitation_unknown',
  });
  const careful = await colleague();
  await administrator.patch(`perms/asset-permissions/${careful.rule}/`, { mfa_minutes: 5 });
  const second = await invite();
  await accept(careful.client, second);
  expect(await visit(careful.client, second).message('closed')).toMatchObject({
    code: 'factor_missing',
  });
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

it('keeps an invitation open for its guest when others without its permission try it', async () => {
  const invitation = await invite();
  const stranger = await buildUser(one.db, {
    memberOf: [{ organization: await buildOrganization(one.db), role: 'Admin' }],
  });
  const lapsed = await colleague();
  await administrator.patch(`perms/asset-permissions/${lapsed.rule}/`, { is_active: false });
  for (const client of [await bearer(one, stranger), lapsed.client]) {
    const { status, text } = await accept(client, invitation);
    expect([status, text]).toEqual([404, expect.stringContaining('invitation_unknown')]);
    for (const fact of [session, owner.username, 'system_user', invitation.id])
      expect(text).not.toContain(fact);
  }
  const guest = await colleague();
  expect((await accept(guest.client, invitation)).body).toMatchObject({ session });
  // A guest who loses the permission gets nothing from the link any more.
  await administrator.delete(`perms/asset-permissions/${guest.rule}/`);
  expect((await accept(guest.client, invitation)).body.code).toBe('invitation_unknown');
});

it("shows a watching guest earlier and new output, and drops the guest's input", async () => {
  live.type('echo was the"re"\r');
  await live.waitFor('was there');
  const { terminal, invitation } = await guestOf({ may_type: false });
  await terminal.waitFor('was there');
  expect(await terminal.message('invited')).toEqual({ type: 'invited', types: false });
  terminal.type('touch /tmp/never\r');
  live.type('echo on"ly"\r');
  await terminal.waitFor('only');
  expect(live.output).not.toContain('never');
  expect(guests().at(-1)).toMatchObject([
    { invitation: invitation.id, types: false, typing: false },
  ]);
  expect((await rowOf()).is_finished).toBe(false);
  await leave(terminal);
  await until(
    async () => (await stored(invitation.id))?.state === 'left',
    'the invitation is marked as left',
  );
});

it('lets a guest type, and names the guest in log, recording and terminal', async () => {
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
  const typists = async () =>
    (await administrator.get<Json[]>(`terminal/commands/?session=${session}`)).body;
  const typistOf = async (input: string) => (await typists()).find((row) => row.input === input);
  await until(
    async () => (await typistOf('echo by-own"er"')) !== undefined,
    'the commands are written',
  );
  expect((await typistOf('echo by-gue"st"'))?.typed_by).toBe(name);
  expect((await typistOf('echo by-own"er"'))?.typed_by).toBeNull();
  expect((await typistOf('echo by-bo"th"'))?.typed_by).toContain(`(${owner.username}), ${name}`);
  expect(await stored(invitation.id)).toMatchObject({
    state: 'joined',
    guest: name,
    may_type: true,
  });
  const log = async () =>
    (await administrator.get<Json[]>('audits/operate-logs/')).body
      .filter((row) => row.resource_id === invitation.id)
      .map(({ action }) => action);
  await until(async () => (await log()).length === 2, 'two entries');

  // The owner takes the right to type away, then ends the visit.
  expect((await ownerClient.patch(`${own()}${invitation.id}/`, { may_type: false })).status).toBe(
    204,
  );
  await terminal.until('the right to type is withdrawn', () =>
    terminal.messages.find((message) => message.type === 'invited' && !message.types),
  );
  terminal.type('echo ne"ver"\r');
  live.type('echo mi"ne"\r');
  await live.waitFor('mine');
  expect(live.output).not.toContain('echo ne"ver"');
  expect((await ownerClient.delete(`${own()}${invitation.id}/`)).status).toBe(204);
  expect(await terminal.message('closed')).toMatchObject({ code: 'invitation_ended' });
  expect(await log()).toHaveLength(4);
  expect(await stored(invitation.id)).toMatchObject({
    state: 'ended',
    end_reason: 'invitation_ended',
  });
});

it('filters the commands of guests, and sends nothing of a rejected line to the server', async () => {
  const { body: filter } = await administrator.post<Json>('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [systemUser],
  });
  await administrator.post<Json>(`assets/cmd-filters/${filter.id}/rules/`, {
    type: 'command',
    content: 'touch',
    action: 0,
    priority: 1,
  });
  const { terminal, user } = await guestOf({}, one);
  // An unfinished paste of a guest must not block the owner.
  terminal.type('\u001b[200~nev');
  live.type('echo no"ne"\r');
  await live.waitFor('none');
  await until(async () => {
    terminal.type('\u0015touch gues"ted"\r');
    const rows = (await administrator.get<Json[]>(`terminal/commands/?session=${session}`)).body;
    return rows.some(
      (row) =>
        row.is_denied === true &&
        String(row.input).startsWith('touch') &&
        String(row.typed_by).includes(user.username),
    );
  }, 'the refused command is in the log');
  expect((await administrator.delete(`assets/cmd-filters/${filter.id}/`)).status).toBe(204);
  await leave(terminal);
});

const ENDS: Readonly<
  Record<
    string,
    readonly [
      end: (guest: Colleague & { readonly invitation: NewSessionInvitation }) => Promise<unknown>,
      code: string,
    ]
  >
> = {
  'the permission': [
    ({ rule: granted }) => administrator.delete(`perms/asset-permissions/${granted}/`),
    'connect_expired',
  ],
  'the sign-in': [({ client }) => client.post('/core/auth/logout/', {}), 'session_signed_out'],
  'the account': [
    ({ user }) => sql`update account set is_active = false where id = ${user.id}`.execute(one.db),
    'session_signed_out',
  ],
};

it.each(Object.entries(ENDS))('ends a visit with %s', async (_name, [end, code]) => {
  const guest = await guestOf();
  await end(guest);
  expect([code, 'connect_expired']).toContain((await guest.terminal.message('closed')).code);
  await until(
    async () => (await stored(guest.invitation.id))?.state === 'ended',
    'the invitation has ended',
  );
  expect((await rowOf()).is_finished).toBe(false);
});

it('ends a visit when the invitation expires, and when the setting is switched off', async () => {
  const { terminal, invitation } = await guestOf({ minutes: '5' });
  // The change is announced as the application does it; the servers check the guests again.
  await sql`
    with soon as (update session_invitation set date_expired = now() + interval '1 second'
      where id = ${invitation.id} returning session)
    select pg_notify(${GUESTS_CHANNEL}, session::text) from soon`.execute(one.db);
  expect((await terminal.message('closed')).code).toMatch(/^invitation_(expired|unknown)$/);
  const second = await guestOf();
  await allow(false);
  expect(await second.terminal.message('closed')).toMatchObject({ code: 'invitation_off' });
  await allow(true);
});

it('pauses typing while the owner is away, moves a visit to a new window, and limits the number of guests', async () => {
  const { terminal, client, invitation } = await guestOf({}, one);
  live.socket.terminate();
  await terminal.until('typing is paused', () =>
    terminal.messages.filter((message) => message.type === 'invited').at(-1)?.types === false
      ? true
      : undefined,
  );
  await comeBack();
  await live.message('resumed');
  expect((await live.message('guests')).guests).toHaveLength(1);
  await terminal.until('typing resumes', () =>
    terminal.messages.filter((message) => message.type === 'invited').at(-1)?.types
      ? true
      : undefined,
  );

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
  // The other guests leave with the session, even while their rights change.
  live.type('exit\r');
  for (
    let types = true;
    (await ownerClient.patch(`${own()}${invitation.id}/`, { may_type: types })).status < 400;
    types = !types
  );
  for (const guest of more)
    expect(await guest.message('closed')).toMatchObject({ code: 'session_finished' });
  await until(
    async () => (await stored(invitation.id))?.end_reason === 'session_finished',
    'the invitations have ended',
  );
  await until(async () => (await rowOf()).can_replay === true, 'the recording is finished');
  const { text } = await administrator.get(`terminal/sessions/${session}/replay/download/`);
  for (const mark of ['guest joined: ', 'guest left: ', 'typing: '])
    expect(text).toContain(`"m", "${mark}`);
  expect(
    (await (await bearer(one)).post<{ sessions: Json }>('audits/verify/', {})).body.sessions,
  ).toMatchObject({ wrong: 0 });
});
