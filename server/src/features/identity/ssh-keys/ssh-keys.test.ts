import { generateSshKeyPair } from '@sallyport/ssh';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { fingerprintOf } from '../../../platform/ssh-keys.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../../../testing/builders.ts';
import { changeSettings } from '../../../testing/change-settings.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { agePasswordProofs, bearer } from '../../../testing/sign-in.ts';
import { createSecurityDevice } from '../../../testing/ssh/security-device.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const KEYS = 'authentication/ssh-keys/';
const PROFILE_KEY = 'users/profile/public-key/';
const newLine = (comment = 'laptop') => generateSshKeyPair(comment).public.trim();

let test: TestProgram;
let user: BuiltUser;
let own: Client;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  own = await bearer(test, user);
});

const add = (body: Json) => own.post<Json>(KEYS, { password: user.password, ...body });
const list = async () => (await own.get<Json[]>(KEYS)).body;

it('adds named keys with an end, and lists them without the password', async () => {
  const line = newLine();
  const added = await add({
    name: 'Laptop',
    public_key: ` ${line}\n`,
    date_expired: '2036-01-31 08:30:00 +0800',
  });
  expect(added.status).toBe(201);
  expect(added.body).toMatchObject({
    name: 'Laptop',
    public_key: line,
    type: 'ssh-ed25519',
    fingerprint: fingerprintOf(line),
    date_expired: '2036-01-31 08:30:00 +0800',
    date_last_used: null,
    remote_addr: '',
  });
  const device = createSecurityDevice('ecdsa');
  expect((await add({ name: 'Token', public_key: device.line })).status).toBe(201);
  expect((await list()).map(({ name, type }) => [name, type])).toEqual([
    ['Token', 'sk-ecdsa-sha2-nistp256@openssh.com'],
    ['Laptop', 'ssh-ed25519'],
  ]);
  expect(JSON.stringify(await list())).not.toContain(user.password);
});

it('requires the password or a second factor, and a sign-in instead of an access key', async () => {
  const body = { name: 'Laptop', public_key: newLine() };
  await agePasswordProofs(test);
  expect((await own.post(KEYS, body)).body).toHaveProperty('password');
  expect((await own.post(KEYS, { ...body, password: 'wrong' })).status).toBe(400);
  expect((await test.visitor.get(KEYS)).status).toBe(401);
  expect(await list()).toEqual([]);
});

it('names the field of a wrong key, a known key, a missing name and a past end', async () => {
  const line = newLine();
  await add({ name: 'Laptop', public_key: line });
  for (const [field, body] of [
    ['public_key', { name: 'a', public_key: 'ssh-ed25519 nonsense' }],
    ['public_key', { name: 'a', public_key: generateSshKeyPair('').private }],
    ['public_key', { name: 'a', public_key: line.replace('laptop', 'another comment') }],
    ['public_key', { name: 'a' }],
    ['name', { public_key: newLine() }],
    ['date_expired', { name: 'a', public_key: newLine(), date_expired: '2020-01-01 00:00:00' }],
  ] as const) {
    const answer = await add(body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, [field]]);
  }
  expect(await list()).toHaveLength(1);
});

it('keeps at most twenty keys of a user', async () => {
  await sql`insert into ssh_key (user_id, name, public_key)
    select ${user.id}, 'key ' || n, 'ssh-ed25519 ' || n from generate_series(1, 19) n`.execute(
    test.db,
  );
  const both = await Promise.all(
    ['one', 'two'].map((name) => add({ name, public_key: newLine() })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([201, 400]);
});

it('has the key of the profile as one of them, and deletes it in both', async () => {
  const [first, second] = [newLine('first'), newLine('second')];
  const set = (public_key: string) => own.put(PROFILE_KEY, { public_key, password: user.password });
  await set(first);
  await add({ name: 'Desk', public_key: newLine() });
  await set(second);
  const keys = await list();
  expect(keys.map(({ name }) => name).sort()).toEqual(['Desk', 'second']);
  const profile = keys.find(({ name }) => name === 'second');
  expect((await own.get<Json>(`${KEYS}${profile?.id}/`)).body.public_key).toBe(second);
  expect((await own.delete(`${KEYS}${profile?.id}/`)).status).toBe(204);
  expect((await own.get<Json>(PROFILE_KEY)).body.public_key).toBe('');
  expect((await list()).map(({ name }) => name)).toEqual(['Desk']);
});

it('shows and deletes own keys only, and changes none', async () => {
  const { body } = await add({ name: 'Laptop', public_key: newLine() });
  const url = `${KEYS}${body.id}/`;
  const stranger = await bearer(test, await buildUser(test.db));
  const superuser = await bearer(test);
  for (const other of [stranger, superuser]) {
    expect((await other.get(url)).status).toBe(404);
    expect((await other.delete(url)).status).toBe(404);
    expect((await other.get<Json[]>(KEYS)).body).toEqual([]);
  }
  expect((await own.patch(url, { name: 'Other' })).status).toBe(405);
  expect(await list()).toHaveLength(1);
});

it('refuses keys while the settings disable them', async () => {
  const superuser = await bearer(test);
  await changeSettings([superuser], 'terminal', { TERMINAL_PUBLIC_KEY_AUTH: false });
  expect((await add({ name: 'Laptop', public_key: newLine() })).body).toHaveProperty('public_key');
  await changeSettings([superuser], 'terminal', { TERMINAL_PUBLIC_KEY_AUTH: true });
});

it('logs additions and deletions without the password', async () => {
  const { body } = await add({ name: 'Laptop', public_key: newLine() });
  await own.delete(`${KEYS}${body.id}/`);
  const { rows } = await sql<Json>`
    select action, resource_type as type, resource from operate_log
    where resource_id = ${String(body.id)} order by datetime, id`.execute(test.db);
  expect(rows).toEqual([
    { action: 'create', type: 'ssh_key', resource: 'Laptop' },
    { action: 'delete', type: 'ssh_key', resource: 'Laptop' },
  ]);
});

it('loses all keys when an administrator offboards the account', async () => {
  const organization = await buildOrganization(test.db);
  const admin = (
    await bearer(test, await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] }))
  ).inOrganization(organization);
  const superuser = await bearer(test);
  await add({ name: 'Laptop', public_key: newLine() });
  expect((await admin.get(`users/users/${user.id}/`)).status).toBe(404);
  const offboard = `users/users/${user.id}/offboarding/`;
  expect(
    (await superuser.post(offboard, { way: 'disable', reason: 'Left', public_key: true })).status,
  ).toBe(200);
  expect(
    (await sql`select 1 from ssh_key where user_id = ${user.id}`.execute(test.db)).rows,
  ).toEqual([]);
});
