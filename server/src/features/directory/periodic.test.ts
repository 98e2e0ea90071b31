import type { LdapPeriodic } from '@sallyport/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildUser } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { CONTRACTORS, manyPeople, PEOPLE, READER, type Slapd, startSlapd } from '../../testing/slapd.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { writeOperateLog } from '../audits/operate-log.ts';
import { createSettings, type SettingsService } from '../settings/service.ts';
import { createDirectory, type Directory } from './directory.ts';

let slapd: Slapd;
let test: TestProgram;
let admin: Client;
let settings: SettingsService;
/** Two servers that share the database. They live ten years ahead, so that the program of the test never finds that it is time. */
let servers: readonly Directory[];
const BEFORE = '2035-12-31T00:00:00Z';
const warned: object[] = [];
beforeAll(async () => {
  slapd = await startSlapd([...manyPeople(20), { uid: 'bad name!', mail: 'bad@example.com' }, { uid: 'colleague', mail: 'c@elsewhere.example.com' }]);
  test = await startTestProgram();
  const { db, program } = test;
  admin = await bearer(test);
  await buildUser(db, { username: 'colleague' });
  settings = createSettings(db, program.vault);
  const log = { info: () => undefined, warn: (facts: object) => warned.push(facts), error: () => undefined } as never;
  servers = [1, 2].map(() => createDirectory({ db, settings, authorities: undefined, audit: writeOperateLog, log }));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await test.stop();
  await slapd.stop();
});

const change = async (more: Json) => {
  const { status, text } = await admin.patch('settings/setting/', {
    AUTH_LDAP_SERVER_URI: slapd.url,
    AUTH_LDAP_BIND_DN: READER.dn,
    AUTH_LDAP_BIND_PASSWORD: READER.password,
    AUTH_LDAP_SEARCH_OU: `${PEOPLE}|${CONTRACTORS}`,
    AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
    AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
    AUTH_LDAP: true,
    AUTH_LDAP_SYNC_IS_PERIODIC: true,
    AUTH_LDAP_SYNC_INTERVAL: 1,
    AUTH_LDAP_SYNC_CRONTAB: '',
    ...more,
  });
  expect(status, text).toBe(200);
  await settings.reload();
};
beforeEach(async () => {
  warned.length = 0;
  await sql`delete from account where source = 'ldap'`.execute(test.db);
  await sql`update ldap_periodic set date_begun = ${BEFORE}, date_done = null, created = 0, reason = '', refused = '[]'`.execute(test.db);
  await change({});
});
const result = async () => (await admin.get<LdapPeriodic>('settings/ldap/periodic/')).body;
const tick = (at: string) => Promise.all(servers.map((server) => server.importWhenDue(new Date(at))));
const accounts = async () => (await sql`select 1 from account where source = 'ldap'`.execute(test.db)).rows.length;

it('takes everybody over, once on all servers, and keeps a result for each who was left out', async () => {
  expect(await result()).toMatchObject({ date_done: null, created: 0, refused: [] });
  await tick('2036-02-02T00:00:00Z');
  expect(await accounts()).toBe(20);
  expect(await result()).toMatchObject({
    date_begun: '2036-02-02 08:00:00 +0800',
    date_done: expect.any(String),
    reason: '',
    created: 20,
    updated: 0,
    unchanged: 0,
    refused: [
      { username: 'bad name!', reason: 'Letters, digits and _ @ - . only.' },
      { username: 'colleague', reason: 'There is an account of this name that does not come from the directory.' },
    ],
  });
  expect(warned).toContainEqual({ username: 'colleague', reason: 'directory_other_source' });
  const log = await admin.get<Page>('audits/operate-logs/?limit=30&user=LDAP&action=create');
  expect(log.body.count).toBe(20);
});

it('does so again when the interval is over, and not before', async () => {
  await tick('2036-02-02T00:00:00Z');
  await sql`update account set name = 'Old' where username = 'person0001'`.execute(test.db);
  await tick('2036-02-02T00:59:59Z');
  expect((await result()).created).toBe(20);
  await tick('2036-02-02T01:00:00Z');
  expect(await result()).toMatchObject({ created: 0, updated: 1, unchanged: 19 });
});

it('follows the crontab, which wins over the interval', async () => {
  // Crontabs are by the clock of the server.
  const at = (minute: number, second: number) => new Date(2036, 1, 2, 2, minute, second).toISOString();
  await change({ AUTH_LDAP_SYNC_CRONTAB: '30 2 * * *' });
  await tick(at(29, 59));
  expect(await accounts()).toBe(0);
  await tick(at(30, 1));
  expect(await accounts()).toBe(20);
  const { date_done } = await result();
  await sql`delete from account where username = 'person0001'`.execute(test.db);
  await tick(at(30, 41));
  await tick(at(31, 1));
  expect([await accounts(), (await result()).date_done]).toEqual([19, date_done]);
});

it('waits while it is off, and while LDAP is', async () => {
  for (const off of ['AUTH_LDAP', 'AUTH_LDAP_SYNC_IS_PERIODIC']) {
    await change({ [off]: false });
    await tick('2036-02-02T00:00:00Z');
    expect([off, await accounts(), (await result()).date_begun]).toEqual([off, 0, '2035-12-31 08:00:00 +0800']);
  }
});

it('says why nothing was imported', async () => {
  await change({ AUTH_LDAP_SERVER_URI: 'ldap://127.0.0.1:1' });
  await tick('2036-02-02T00:00:00Z');
  expect(await result()).toMatchObject({ created: 0, reason: expect.stringMatching(/ECONNREFUSED|refused/i), date_done: expect.any(String) });
});

it.each([
  [{ AUTH_LDAP_SYNC_CRONTAB: '* * * *' }, 'AUTH_LDAP_SYNC_CRONTAB', 'Five fields'],
  [{ AUTH_LDAP_SYNC_INTERVAL: 0 }, 'AUTH_LDAP_SYNC_INTERVAL', '1'],
])('is not set to %j', async (changes, field, text) => {
  const { status, body } = await admin.patch<Record<string, Record<string, string[]>>>('settings/setting/', changes);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain(field);
  expect(JSON.stringify(body)).toContain(text);
});
