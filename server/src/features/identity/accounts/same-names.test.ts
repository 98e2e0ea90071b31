import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser, unique } from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import { runOperatorCommand } from '../../../testing/operator-command.ts';
import { sendScim } from '../../../testing/scim.ts';
import { bearer, browser, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { accountKey, accountKeyOf } from '../sign-in/place.ts';
import { foldedName } from './folded-name.ts';

type Problems = Record<string, string[]>;

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = (await bearer(test)).inOrganization('');
});
afterAll(() => test.stop());

const newName = () => unique('Wang.Li');
const body = (username: string): Json => ({
  ...{ name: username, username, email: `${unique('mail')}@example.com` },
  ...{ password_strategy: 1, password: 'a password of the tests 1' },
});
const spellings = (name: string) => [name.toLowerCase(), name.toUpperCase(), name];

/** Two accounts of an earlier version, whose names differ in letter case only. */
async function buildPair(): Promise<readonly [BuiltUser, BuiltUser]> {
  const username = newName();
  const one = await buildUser(test.db, { username });
  const other = await buildUser(test.db);
  await test.db.transaction(async (tx) => {
    await sql`alter table account disable trigger same_name`.execute(tx);
    await sql`update account set username = ${username.toLowerCase()}, password = null
      where id = ${other.id}`.execute(tx);
    await sql`alter table account enable trigger same_name`.execute(tx);
  });
  return [one, { ...other, username: username.toLowerCase() }];
}

it('folds ASCII letters only, in the database and in the server alike', async () => {
  const names = ['Wang.Li_1@x-y', 'İstanbul', '\u212Aelvin', 'ſ', 'ÄÖ', 'ΑΣ', 'I', 'ı', '李WEI'];
  const { rows } = await sql<{ folded: string }>`
    select folded_name(name) as folded from unnest(${names}::text[]) name`.execute(test.db);
  expect(rows.map(({ folded }) => folded)).toEqual(names.map(foldedName));
  expect(foldedName('\u212A')).not.toBe('k');
});

it('counts wrong passwords under one name, also in a database with Turkish rules', async () => {
  const names = ['ISTANBUL', 'Wang.Li_1@x-y', 'istanbul'];
  const turkish = sql`(name collate "tr-x-icu")`;
  const { rows } = await sql<{ key: string; lowered: string }>`
    select ${accountKeyOf(turkish)} as key, lower(${turkish}) as lowered
    from unnest(${names}::text[]) name`.execute(test.db);
  expect(rows.map(({ key }) => key)).toEqual(names.map(accountKey));
  expect(rows[0]?.lowered).toBe('ıstanbul');
});

it('signs in by any letter case: scripts, browsers and keys, and logs the stored name', async () => {
  const user = await buildUser(test.db, { username: newName() });
  for (const username of spellings(user.username)) {
    expect((await tryToSignIn(test, { ...user, username })).status, username).toBe(201);
    const page = await browser(test, { ...user, username });
    expect((await page.get<Json>('users/profile/')).body.username).toBe(user.username);
  }
  const lookalike = user.username.replace('W', '\u1E82');
  expect((await tryToSignIn(test, { ...user, username: lookalike })).status).toBe(400);
});

it('locks an account however its name is typed', async () => {
  const user = await buildUser(test.db, { username: newName() });
  for (let attempt = 0; attempt < 8; attempt++)
    await tryToSignIn(test, {
      username: spellings(user.username)[attempt % 3] ?? '',
      password: 'wrong',
    });
  const locked = await tryToSignIn(test, user);
  expect([locked.status, locked.text]).toEqual([400, expect.stringContaining('block_login')]);
});

it('refuses a second account of the name by form, list, file, change, statement and at the same time', async () => {
  const user = await buildUser(test.db, { username: newName() });
  const other = await buildUser(test.db);
  for (const username of spellings(user.username).slice(0, 2)) {
    const one = await admin.post<Problems>('users/users/', body(username));
    expect([one.status, Object.keys(one.body)]).toEqual([400, ['username']]);
    expect((await admin.post('users/users/', [body(username)])).status).toBe(400);
    const file = `name,username,email\nX,${username},${unique('x')}@example.com\n`;
    expect((await admin.send('POST', 'users/users/', file, 'text/csv')).status).toBe(400);
    const renamed = await admin.patch<Problems>(`users/users/${other.id}/`, { username });
    expect([renamed.status, Object.keys(renamed.body)]).toEqual([400, ['username']]);
    await expect(
      sql`update account set username = ${username} where id = ${other.id}`.execute(test.db),
    ).rejects.toMatchObject({ code: '23505' });
  }
  const own = user.username.toUpperCase();
  expect((await admin.patch(`users/users/${user.id}/`, { username: own })).status).toBe(200);
  const fresh = newName();
  const answers = await Promise.all(
    spellings(fresh).map((username) => admin.post('users/users/', body(username))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  const twice = newName();
  const both = [body(twice), body(twice.toLowerCase())];
  expect((await admin.post('users/users/', both)).status).toBe(400);
});

it('refuses the name to an identity provider that uses SCIM', async () => {
  const user = await buildUser(test.db, { username: newName() });
  await admin.patch('settings/setting/', { AUTH_SCIM: true });
  const answer = await admin.post<{ token: string }>('settings/scim/tokens/', {
    name: unique('provider'),
  });
  const { status } = await sendScim(test, {
    method: 'POST',
    path: 'Users',
    headers: { authorization: `Bearer ${answer.body.token}` },
    body: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: user.username.toLowerCase(),
      emails: [{ value: `${unique('x')}@example.com` }],
    },
  });
  expect(status).toBe(409);
});

it('finds an invited user, and the account of a command, by any letter case', async () => {
  const user = await buildUser(test.db, { username: newName() });
  const organization = await buildOrganization(test.db);
  const { status, text } = await admin
    .inOrganization(organization)
    .post('users/users/invite/', { accounts: [user.username.toUpperCase()] });
  expect(status, text).toBe(201);
  const { code, stdout } = await runOperatorCommand(test, [
    'user',
    'reset-password',
    user.username.toLowerCase(),
  ]);
  const password = / is (\S+)\n$/.exec(stdout)?.[1] ?? '';
  expect([code, (await tryToSignIn(test, { ...user, password })).status]).toEqual([0, 201]);
});

/** Begins the sign-in of a device for a name, and confirms it as a user. */
async function confirmFor(username: string, user: BuiltUser): Promise<number> {
  const begun = await test.visitor.post<Json>('authentication/device/code/', {
    ...{ device: 'laptop', username },
  });
  const own = await bearer(test, user);
  const { status } = await own.post('authentication/device/confirm/', {
    ...{ user_code: begun.body.user_code, password: user.password },
  });
  return status;
}

it('signs in a device for a name in any letter case, and for the exact name of a pair', async () => {
  const user = await buildUser(test.db, { username: newName() });
  for (const username of spellings(user.username))
    expect([username, await confirmFor(username, user)]).toEqual([username, 204]);
  const [one, other] = await buildPair();
  const spelled = [one.username, other.username, one.username.toUpperCase()];
  const statuses = await Promise.all(spelled.map((username) => confirmFor(username, one)));
  expect(statuses).toEqual([204, 403, 403]);
  const apart = { username: unique('apart') };
  expect((await admin.patch(`users/users/${other.id}/`, apart)).status).toBe(200);
});

it('keeps both accounts of an earlier pair: each by its exact name, and none by a third spelling', async () => {
  const [one, other] = await buildPair();
  expect((await tryToSignIn(test, one)).status).toBe(201);
  expect((await tryToSignIn(test, other)).status).toBe(400);
  const third = { ...one, username: one.username.toUpperCase() };
  expect((await tryToSignIn(test, third)).status).toBe(400);
  expect((await admin.patch(`users/users/${other.id}/`, { name: 'Still here' })).status).toBe(200);
  const list = await admin.get<Page<Json>>('users/users/?attention=users_of_one_name&limit=10');
  expect(list.body.results.map(({ id }) => id).sort()).toEqual([one.id, other.id].sort());
  const needs = await admin.get<readonly Json[]>('common/attention/');
  expect(needs.body).toContainEqual(
    expect.objectContaining({ kind: 'users_of_one_name', count: 2 }),
  );
  const examined = await runOperatorCommand(test, ['doctor']);
  for (const { username } of [one, other]) expect(examined.stdout).toContain(username);
  const appoint = (deputy: string) =>
    admin.put<{ own?: Json }>('tickets/deputy/', {
      ...{ deputy, date_start: new Date().toISOString() },
      date_end: new Date(Date.now() + 86_400_000).toISOString(),
    });
  for (const { id, username } of [one, other]) {
    const { body: appointed, text } = await appoint(username);
    expect(appointed.own?.deputy, text).toBe(id);
  }
  expect((await appoint(third.username)).status).toBe(400);
  const free = unique('apart');
  expect((await admin.patch(`users/users/${other.id}/`, { username: free })).status).toBe(200);
  expect((await tryToSignIn(test, third)).status).toBe(201);
});
