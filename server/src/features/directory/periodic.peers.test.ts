import { ERRORS, type LdapPeriodic } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { runJob } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import {
  CONTRACTORS,
  manyPeople,
  PEOPLE,
  READER,
  type Slapd,
  startSlapd,
} from '../../testing/services/slapd.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let slapd: Slapd;
let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  slapd = await startSlapd([
    ...manyPeople(20),
    { uid: 'bad name!', mail: 'bad@example.com' },
    { uid: 'colleague', mail: 'c@elsewhere.example.com' },
  ]);
  test = await startTestProgram();
  admin = await bearer(test);
  await buildUser(test.db, { username: 'colleague' });
});
afterAll(async () => {
  await test.stop();
  await slapd.stop();
});

// A distant schedule, so that the test starts every import itself.
const NEVER = '0 0 29 2 1';
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
    AUTH_LDAP_SYNC_CRONTAB: NEVER,
    ...more,
  });
  expect(status, text).toBe(200);
};
beforeEach(async () => {
  await sql`delete from account where source = 'ldap'`.execute(test.db);
  await change({});
});
const result = async () => (await admin.get<LdapPeriodic>('settings/ldap/periodic/')).body;
const accounts = async () =>
  (await sql`select 1 from account where source = 'ldap'`.execute(test.db)).rows.length;
const schedule = async () =>
  (
    await sql<{ cron: string }>`select cron from jobs.schedule where name = 'ldap-import'`.execute(
      test.db,
    )
  ).rows[0]?.cron;
const isScheduled = (expected: string | RegExp | undefined) =>
  until(async () => {
    const cron = await schedule();
    return expected instanceof RegExp ? expected.test(cron ?? '') : cron === expected;
  }, `the schedule is ${expected}`);

it('imports all people, and stores a result for each rejected person', async () => {
  expect(await result()).toMatchObject({ date_done: null, created: 0, refused: [] });
  expect(await runJob(test, 'ldap-import')).toMatchObject({
    state: 'succeeded',
    done: 22,
    total: 22,
  });
  expect(await accounts()).toBe(20);
  expect(await result()).toMatchObject({
    date_begun: expect.any(String),
    date_done: expect.any(String),
    reason: '',
    created: 20,
    updated: 0,
    unchanged: 0,
    refused: [
      {
        username: 'bad name!',
        reason: ERRORS.directory_username.en,
      },
      {
        username: 'colleague',
        reason: 'An account with this name exists but does not come from the directory.',
      },
    ],
  });
  expect(test.log()).toContain('directory_other_source');
  const log = await admin.get<Page>('audits/operate-logs/?limit=30&user=LDAP&action=create');
  expect(log.body.count).toBe(20);
});

it('updates existing accounts', async () => {
  await runJob(test, 'ldap-import');
  await sql`update account set name = 'Old' where username = 'person0001'`.execute(test.db);
  await runJob(test, 'ldap-import');
  expect(await result()).toMatchObject({ created: 0, updated: 1, unchanged: 19 });
});

it('schedules by the crontab, or else by the interval', async () => {
  await isScheduled(NEVER);
  await change({ AUTH_LDAP_SYNC_CRONTAB: '30 2 * * *' });
  await isScheduled('30 2 * * *');
  await change({ AUTH_LDAP_SYNC_CRONTAB: '', AUTH_LDAP_SYNC_INTERVAL: 3 });
  await isScheduled(/^DTSTART:\d{8}T\d{6}Z\nRRULE:FREQ=MINUTELY;INTERVAL=180$/);
  const before = await schedule();
  // Other settings do not restart the interval.
  await change({
    AUTH_LDAP_SYNC_CRONTAB: '',
    AUTH_LDAP_SYNC_INTERVAL: 3,
    AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
  });
  await test.program.jobs.reschedule();
  expect(await schedule()).toBe(before);
});

it('schedules nothing while the import or LDAP is off', async () => {
  for (const off of ['AUTH_LDAP', 'AUTH_LDAP_SYNC_IS_PERIODIC']) {
    await isScheduled(NEVER);
    await change({ [off]: false });
    await isScheduled(undefined);
    await change({});
  }
});

it('reports why nothing was imported', async () => {
  await change({
    AUTH_LDAP_SERVER_URI: 'ldap://127.0.0.1:1',
    AUTH_LDAP_BIND_PASSWORD: READER.password,
  });
  const definition = test.program.jobs.definitionOf('ldap-import');
  if (!definition) throw new Error('the job is missing');
  await test.program.jobs.enqueue(definition, undefined);
  await until(
    async () => /ECONNREFUSED|refused/i.test((await result()).reason),
    'the reason is shown',
  );
  expect(await result()).toMatchObject({ created: 0 });
  // Retries would come a minute later.
  const row = await test.program.jobs.latest(definition);
  await test.program.jobs.cancel(row?.id ?? '');
});

it.each([
  [{ AUTH_LDAP_SYNC_CRONTAB: '* * * *' }, 'AUTH_LDAP_SYNC_CRONTAB', 'valid crontab expression'],
  [{ AUTH_LDAP_SYNC_INTERVAL: 0 }, 'AUTH_LDAP_SYNC_INTERVAL', '1'],
])('rejects the setting %j', async (changes, field, text) => {
  const { status, body } = await admin.patch<Record<string, Record<string, string[]>>>(
    'settings/setting/',
    changes,
  );
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain(field);
  expect(JSON.stringify(body)).toContain(text);
});
