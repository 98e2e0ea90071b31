import { DUTIES, DUTY } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readMigrations } from '../../../platform/db/bridge.ts';
import { type Db, openDatabase } from '../../../platform/db/database.ts';
import { applyMigrations, migrate } from '../../../platform/db/migrate.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser, unique } from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import { runOperatorCommand } from '../../../testing/operator-command.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

/** The migration that ends the sign-ins of holders and names their keys. */
const UPGRADE = '1825_';

/** Adds a key to an account of the version before the upgrade. */
const KEYS: Readonly<Record<string, (id: string, db: Db) => Promise<unknown>>> = {
  passkey: (id, db) =>
    sql`insert into passkey (user_id, credential_id, public_key, name)
      values (${id}, ${unique('credential')}, '\\x01', 'kept')`.execute(db),
  'SSH key': (id, db) =>
    sql`insert into ssh_key (user_id, name, public_key)
      values (${id}, 'kept', 'ssh-ed25519 AAAA')`.execute(db),
  'SSH key of the profile': (id, db) =>
    sql`update account set public_key = 'ssh-ed25519 AAAA' where id = ${id}`.execute(db),
  'API key': (id, db) =>
    sql`insert into access_key (user_id, secret) values (${id}, 'sealed')`.execute(db),
  'assigned password': (id, db) =>
    sql`update account set password_assigned = true where id = ${id}`.execute(db),
};

let place: TestDatabase;
let test: TestProgram;
let first: Client;
/** Holders with keys, by key and duty. */
const keepers: { readonly key: string; readonly user: BuiltUser }[] = [];
/** Holders without a key, and ordinary users with each of them. */
const others: BuiltUser[] = [];

beforeAll(async () => {
  place = await createTestDatabase('empty');
  const { pool, db, close } = openDatabase(place.url, 2);
  const client = await pool.connect();
  const before = readMigrations().filter(({ name }) => name < UPGRADE);
  await client.query('begin');
  await applyMigrations(client, before);
  await client.query('commit');
  client.release();
  for (const [key, add] of Object.entries(KEYS)) {
    for (const duty of DUTIES) {
      const user = await buildUser(db, { duty });
      await add(user.id, db);
      keepers.push({ key, user });
    }
    const ordinary = await buildUser(db, { role: 'Admin' });
    await add(ordinary.id, db);
    others.push(ordinary);
  }
  for (const duty of DUTIES) others.push(await buildUser(db, { duty }));
  const administrator = await buildUser(db, { role: 'Admin' });
  for (const { id } of [...keepers.map(({ user }) => user), ...others])
    await sql`insert into web_session (token_digest, user_id, kind, remote_addr, date_expired)
      values (sha256(convert_to(${id}, 'UTF8')), ${id}, 'bearer', '127.0.0.1',
        now() + interval '30 days')`.execute(db);
  expect(await migrate(pool)).toContainEqual(expect.stringContaining(UPGRADE));
  await close();
  test = await startTestProgram({ databaseUrl: place.url });
  first = (await bearer(test, administrator)).inOrganization('');
});
afterAll(async () => {
  await test.stop();
  await place.drop();
});

const listed = async () => {
  const list = await first.get<Page<Json>>(
    'users/users/?attention=duty_holders_elsewhere&limit=99&offset=0',
  );
  return list.body.results.map(({ username }) => String(username)).toSorted();
};

it('names the holders whose keys are older than the upgrade, and no other user', async () => {
  const expected = keepers.map(({ user }) => user.username).toSorted();
  expect(await listed()).toEqual(expected);
  const { stdout } = await runOperatorCommand(test, ['doctor']);
  for (const username of expected) expect(stdout).toContain(username);
  for (const { username } of others) expect(stdout).not.toContain(username);
});

it('ends the sign-ins of holders once, and those of no other user', async () => {
  const { rows } = await sql<{ duty: string; count: number }>`
    select a.duty, count(*)::int as count from web_session s join account a on a.id = s.user_id
    where s.token_digest = sha256(convert_to(s.user_id::text, 'UTF8')) group by 1`.execute(test.db);
  expect(rows).toEqual([{ duty: '', count: Object.keys(KEYS).length }]);
});

it('lets each holder sign in with the password and the second factor', async () => {
  for (const { key, user } of keepers.filter(({ key }) => key !== 'assigned password')) {
    const client = await bearer(test, user);
    expect([key, (await client.get('users/profile/')).status]).toEqual([key, 200]);
  }
});

it('names a holder until the keys are replaced', async () => {
  for (const { key, user } of keepers) {
    for (const table of ['passkey', 'ssh_key', 'access_key'])
      await sql`delete from ${sql.table(table)} where user_id = ${user.id}`.execute(test.db);
    await sql`update account set password_assigned = false, public_key = ''
      where id = ${user.id}`.execute(test.db);
    const add = KEYS[key];
    if (key !== 'assigned password') await add?.(user.id, test.db);
  }
  expect(await listed()).toEqual([]);
});

it('forgets the upgrade with the duty', async () => {
  const { user } = keepers[0] ?? {};
  if (!user) throw new Error('no holder');
  const url = `users/users/${user.id}/`;
  for (const duty of ['', 'audit'])
    expect((await first.patch(url, { duty, role: duty ? DUTY.audit.role : 'User' })).status).toBe(
      200,
    );
  const { rows } = await sql`select date_duty_kept from account
    where id = ${user.id}`.execute(test.db);
  expect(rows).toEqual([{ date_duty_kept: null }]);
});
