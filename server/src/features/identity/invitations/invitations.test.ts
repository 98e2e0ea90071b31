import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { signInMember } from '../../../testing/roles.ts';
import { bearer, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let installation: Client;
beforeAll(async () => {
  test = await startTestProgram();
  installation = await bearer(test);
});
afterAll(() => test.stop());

let here: string;
let admin: Client;
let person: BuiltUser;
let own: Client;
beforeEach(async () => {
  here = await buildOrganization(test.db);
  admin = await signInMember(test, here);
  person = await buildUser(test.db);
  own = await bearer(test, person);
});

const INVITE = 'users/users/invite/';
const MINE = 'users/profile/invitations/';
const SENT = 'users/users/invitations/';
const isMember = async () =>
  (
    await sql`select 1 from organization_member where organization_id = ${here} and user_id = ${person.id}`.execute(
      test.db,
    )
  ).rows.length > 0;
const invite = () => admin.post<Json[]>(INVITE, { accounts: [person.username] });
const first = async (client: Client, path: string) =>
  (await client.get<{ id: string }[]>(path)).body[0]?.id ?? '';

describe('an invitation by an organization', () => {
  it("hides a user's data until the user accepts the invitation", async () => {
    const { status, body } = await invite();
    expect([status, body]).toEqual([
      201,
      [{ id: person.id, username: person.username, name: '', state: 'invited' }],
    ]);
    expect([await isMember(), (await admin.get(`users/users/${person.id}/`)).status]).toEqual([
      false,
      404,
    ]);
    expect((await own.get<Json[]>(MINE)).body).toEqual([
      expect.objectContaining({
        account: person.username,
        invited_by: expect.stringContaining('user-'),
      }),
    ]);
    expect((await own.post(`${MINE}${await first(own, MINE)}/accept/`)).status).toBe(204);
    expect([
      await isMember(),
      (await admin.get(`users/users/${person.id}/`)).status,
      (await own.get(MINE)).body,
    ]).toEqual([true, 200, []]);
    const { rows } =
      await sql<Json>`select "user", changes from operate_log where org_id = ${here} order by sequence desc limit 1`.execute(
        test.db,
      );
    expect(rows[0]).toMatchObject({
      user: expect.stringContaining(person.username),
      changes: { users: [[], [expect.stringContaining(person.username)]] },
    });
  });

  it('ends an invitation that is declined, withdrawn or expired', async () => {
    await invite();
    expect((await own.delete(`${MINE}${await first(own, MINE)}/`)).status).toBe(204);
    await invite();
    expect((await admin.delete(`${SENT}${await first(admin, SENT)}/`)).status).toBe(204);
    await invite();
    const id = await first(own, MINE);
    await sql`update organization_invitation set date_expired = now() where id = ${id}`.execute(
      test.db,
    );
    for (const [method, path] of [
      ['POST', `${MINE}${id}/accept/`],
      ['DELETE', `${MINE}${id}/`],
    ] as const)
      expect([path, (await own.request(method, path)).status]).toEqual([path, 404]);
    expect([await isMember(), (await own.get(MINE)).body]).toEqual([false, []]);
  });

  it('shows an expired invitation to the inviter, who sends it again or withdraws it', async () => {
    await invite();
    const states = async (client: Client, path: string) =>
      (await client.get<{ state: string }[]>(path)).body.map(({ state }) => state);
    expect([await states(admin, SENT), await states(own, MINE)]).toEqual([['open'], ['open']]);
    await sql`update organization_invitation set date_expired = now() - interval '1 day' where organization_id = ${here}`.execute(
      test.db,
    );
    expect([await states(admin, SENT), await states(own, MINE)]).toEqual([['expired'], []]);
    await invite();
    expect([await states(admin, SENT), await states(own, MINE)]).toEqual([['open'], ['open']]);
    await sql`update organization_invitation set date_expired = now() - interval '1 day' where organization_id = ${here}`.execute(
      test.db,
    );
    expect((await admin.delete(`${SENT}${await first(admin, SENT)}/`)).status).toBe(204);
    expect(await states(admin, SENT)).toEqual([]);
  });

  it('rejects other users who read, accept or withdraw an invitation', async () => {
    await invite();
    const id = await first(own, MINE);
    const other = await bearer(test, await buildUser(test.db));
    const there = await buildOrganization(test.db);
    const elsewhere = await signInMember(test, there);
    expect([(await other.get(MINE)).body, (await elsewhere.get(SENT)).body]).toEqual([[], []]);
    for (const [client, method, path] of [
      [other, 'POST', `${MINE}${id}/accept/`],
      [other, 'DELETE', `${MINE}${id}/`],
      [elsewhere, 'DELETE', `${SENT}${id}/`],
      [admin, 'POST', `${MINE}${id}/accept/`],
    ] as const)
      expect([path, (await client.request(method, path)).status]).toEqual([path, 404]);
    expect((await own.get(SENT)).status).toBe(403);
    expect((await own.post(`${MINE}${id}/accept/`)).status).toBe(204);
    expect((await own.post(`${MINE}${id}/accept/`)).status).toBe(404);
  });

  it('rejects invitations as administrator or auditor', async () => {
    for (const role of ['Admin', 'Auditor'])
      expect((await admin.post(INVITE, { accounts: [person.username], role })).status).toBe(400);
  });
});

it('adds members at once for an administrator of the installation', async () => {
  expect(
    (await installation.inOrganization(here).post<Json[]>(INVITE, { accounts: [person.username] }))
      .body,
  ).toEqual([expect.objectContaining({ username: person.username, state: 'member' })]);
  expect(await isMember()).toBe(true);
});

it("hides an invited user's earlier logs and the protection of the account from the organization", async () => {
  await tryToSignIn(test, { ...person, password: 'wrong' });
  await sql`
    update account
    set phone = '123', last_login = now(), mfa_level = 1, comment = 'private'
    where id = ${person.id}`.execute(test.db);
  await invite();
  await own.post(`${MINE}${await first(own, MINE)}/accept/`);
  const auditor = await signInMember(test, here, 'Auditor');
  const seen = async () =>
    (await auditor.get<Json[]>(`audits/login-logs/?username=${person.username}`)).body.length;
  expect(await seen()).toBe(0);
  await tryToSignIn(test, { ...person, password: 'wrong' });
  expect(await seen()).toBe(1);
  const hidden = {
    phone: null,
    comment: null,
    wechat: '',
    mfa_level: null,
    mfa_enabled: null,
    last_login: null,
    date_password_last_updated: null,
  };
  expect((await admin.get(`users/users/${person.id}/`)).body).toMatchObject({
    username: person.username,
    ...hidden,
  });
  expect(
    (await admin.get<Json[]>(`users/users/?id=${person.id}&fields=phone,mfa_level,last_login`))
      .body[0],
  ).toMatchObject({ phone: null, mfa_level: null });
  expect(
    (await installation.inOrganization(here).get(`users/users/${person.id}/`)).body,
  ).toMatchObject({ phone: '123', mfa_level: 1 });
  expect((await own.inOrganization(here).get('users/profile/')).body).toMatchObject({
    phone: '123',
    mfa_level: 1,
  });
});

it('shows everything about accounts that the organization created', async () => {
  const member = await buildUser(test.db, { memberOf: [{ organization: here, role: 'User' }] });
  await sql`
    update organization_member set date_joined = now() + interval '1 hour'
    where user_id = ${member.id}`.execute(test.db);
  await tryToSignIn(test, { ...member, password: 'wrong' });
  const auditor = await signInMember(test, here, 'Auditor');
  expect(
    (await auditor.get<Json[]>(`audits/login-logs/?username=${member.username}`)).body,
  ).toHaveLength(1);
  expect((await admin.get(`users/users/${member.id}/`)).body).toMatchObject({ mfa_level: 0 });
});
