import type { LdapReading } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import {
  type ScriptedDirectory,
  startScriptedDirectory,
} from '../../testing/services/scripted-directory.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let directory: ScriptedDirectory;
let names: readonly string[];

beforeAll(async () => {
  [test, directory] = await Promise.all([startTestProgram(), startScriptedDirectory()]);
  admin = await bearer(test);
  const { status, text } = await admin.patch('settings/setting/', {
    AUTH_LDAP_SERVER_URI: directory.url,
    AUTH_LDAP_BIND_DN: 'cn=reader',
    AUTH_LDAP_BIND_PASSWORD: 'reader hunter2',
    AUTH_LDAP_SEARCH_OU: 'dc=example,dc=com',
    AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
    AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
    AUTH_LDAP: true,
  });
  expect(status, text).toBe(200);
  await withoutSchedule(test, 'ldap-watch');
});
afterAll(async () => {
  await test.stop();
  await directory.stop();
});

const entryOf = (uid: string, key: string = uid) => ({
  uid,
  cn: `Name of ${uid}`,
  mail: `${uid}@example.com`,
  entryUUID: key,
});
const signIn = async (uid: string) => {
  directory.entries = [entryOf(uid)];
  const { status, text } = await tryToSignIn(test, { username: uid, password: 'right password' });
  expect(status, text).toBe(201);
};
const accountOf = async (username: string) =>
  (await admin.get<Json[]>(`users/users/?username=${username}`)).body[0];

/** Reads the directory, whose lists have these entries, the last one again if more are read. */
async function read(...lists: readonly (readonly ReturnType<typeof entryOf>[])[]) {
  let searches = 0;
  directory.onSearch = () => {
    directory.entries = lists[Math.min(searches, lists.length - 1)] ?? [];
    searches += 1;
  };
  await runHousekeeping(test, 'ldap-watch');
  directory.onSearch = () => undefined;
  return searches;
}

beforeEach(async () => {
  const prefix = unique('wu').replaceAll('-', '.');
  names = [`${prefix}.a`, `${prefix}.b`];
  directory.searchCode = 0;
  await sql`delete from account where source = 'ldap'`.execute(test.db);
  for (const name of names) await signIn(name);
});
const everyone = () => names.map((name) => entryOf(name));

it('reads a list again that lacks a user, and shuts one that both lack', async () => {
  const [one = '', other = ''] = names;
  expect(await read(everyone())).toBe(1);
  expect(await read([entryOf(one)], everyone())).toBe(2);
  expect(await accountOf(other)).toMatchObject({ is_active: true, source_state: 'listed' });
  // Each list lacks another user, whose entry moved meanwhile.
  expect(await read([entryOf(one)], [entryOf(other)])).toBe(2);
  for (const name of names) expect(await accountOf(name)).toMatchObject({ is_active: true });
  expect(await read([entryOf(one)])).toBe(2);
  expect(await accountOf(one)).toMatchObject({ is_active: true });
  expect(await accountOf(other)).toMatchObject({ is_active: false, source_state: 'gone' });
  // A user who is known as gone causes no second list.
  expect(await read([entryOf(one)])).toBe(1);
});

it('follows an entry with two new names between the lists', async () => {
  const [one = '', other = ''] = names;
  expect(await read(everyone())).toBe(1);
  const renamed = (name: string) => entryOf(`${name}.new`, other);
  expect(await read([entryOf(one)], [entryOf(one), renamed('x')])).toBe(2);
  expect(await read([entryOf(one), renamed('x')], [entryOf(one), renamed('y')])).toBe(1);
  expect(await accountOf(other)).toMatchObject({ is_active: true, source_state: 'listed' });
  // Another person with the name does not take the place of the one who left.
  expect(await read([entryOf(one), entryOf(other, 'of-a-stranger')])).toBe(2);
  expect(await accountOf(other)).toMatchObject({ is_active: false, source_state: 'gone' });
});

it('keeps a user who signs in for the first time during the read', async () => {
  const newcomer = `${names[0]}.new`;
  let hasSignedIn = false;
  directory.onSearch = async () => {
    if (hasSignedIn) return;
    hasSignedIn = true;
    await signIn(newcomer);
    directory.entries = everyone();
  };
  await runHousekeeping(test, 'ldap-watch');
  directory.onSearch = () => undefined;
  expect(await accountOf(newcomer)).toMatchObject({ is_active: true, source_state: 'listed' });
  await read(everyone());
  expect(await accountOf(newcomer)).toMatchObject({ is_active: false, source_state: 'gone' });
});

it.each([
  ['time limit', 3],
  ['size limit', 4],
  ['referral', 10],
  ['administrative limit', 11],
  ['busy', 51],
  ['unwilling', 53],
])('changes nothing when the list ends early: %s', async (_, code) => {
  expect(await read(everyone())).toBe(1);
  directory.searchCode = code;
  directory.entries = [entryOf(names[0] ?? '')];
  await runHousekeeping(test, 'ldap-watch').catch(() => undefined);
  for (const name of names) expect(await accountOf(name)).toMatchObject({ is_active: true });
  const { body } = await admin.get<LdapReading>('settings/ldap/reading/');
  expect(body.reason).not.toBe('');
});
