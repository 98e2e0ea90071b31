import { randomUUID } from 'node:crypto';
import type { alert, notification, Page, Row } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

type Alert = Row<typeof alert>;
type News = Row<typeof notification>;
const PATH = 'audits/alerts/';
const SEEN = 'audits/alerts/seen/';

let test: TestProgram;
let root: Client;
/** A new organization for each test, with its administrator and auditor. */
let organization: string;
let boss: Client;
let bossAccount: BuiltUser;
let auditor: Client;

const member = (role: 'Admin' | 'Auditor' | 'User' = 'User', of = organization) =>
  buildUser(test.db, { memberOf: [{ organization: of, role }] });
const set = async (alerts: Json) => {
  const { status, text } = await root.patch('settings/setting/', alerts);
  expect(status, text).toBe(200);
};

beforeAll(async () => {
  test = await startTestProgram({ trustedProxies: ['127.0.0.1'] });
  await withoutSchedule(test, 'raise-alerts');
  root = await bearer(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  organization = await buildOrganization(test.db);
  bossAccount = await member('Admin');
  boss = (await bearer(test, bossAccount)).inOrganization(organization);
  auditor = (await bearer(test, await member('Auditor'))).inOrganization(organization);
});

const signInFrom = async (address: string, user: BuiltUser): Promise<Client> => {
  const visitor = test.visitor.with({ 'x-forwarded-for': address });
  const { status, body, text } = await tryToSignIn({ ...test, visitor }, user);
  expect(status, text).toBe(201);
  return visitor.with({ authorization: `Bearer ${body.token}` });
};
const raise = () => runHousekeeping(test, 'raise-alerts');
const alertsOf = async (client: Client, query = '') =>
  (await client.get<Page<Alert>>(`${PATH}?limit=100${query}`)).body.results;
const newsOf = async (client: Client, kind: string) =>
  (await client.get<Page<News>>(`users/notifications/?limit=100&kind=${kind}`)).body.results;
/** Signs a user in from one network, and then from another one. */
const moved = async (user: BuiltUser): Promise<Client> => {
  await signInFrom('198.51.100.1', user);
  const client = await signInFrom('203.0.113.7', user);
  await raise();
  return client;
};
/** Adds a successful sign-in of the past, before alerts. */
const before = (user: BuiltUser, interval: string, ip = '198.51.100.1') =>
  sql`insert into login_log (username, user_id, type, ip, status, datetime)
    values (${user.username}, ${user.id}, 'W', ${ip}, true, now() - ${interval}::interval)`.execute(
    test.db,
  );

it('raises an alert for a sign-in from a network that is new for the user, but not for the first one', async () => {
  const user = await member();
  await signInFrom('198.51.100.1', user);
  await raise();
  expect(await alertsOf(boss)).toEqual([]);
  // Another address of the same network.
  await signInFrom('198.51.100.200', user);
  const client = await signInFrom('203.0.113.7', user);
  await raise();
  expect(await alertsOf(boss)).toMatchObject([
    {
      kind: 'new_network',
      kind_display: 'New network',
      user: `Name of ${user.username}(${user.username})`,
      username: user.username,
      subject: '203.0.113.0/24',
      remote_addr: '203.0.113.7',
      is_seen: false,
      org_id: organization,
      links: { user: { resource: 'user', id: user.id } },
    },
  ]);
  const [{ sign_in: entry } = { sign_in: '' }] = await alertsOf(boss);
  expect((await boss.get<Json>(`audits/login-logs/${entry}/`)).body).toMatchObject({
    ip: '203.0.113.7',
  });
  expect(await newsOf(client, 'own_new_network')).toMatchObject([
    { subject: '203.0.113.0/24 (203.0.113.7)' },
  ]);
  for (const watcher of [boss, auditor])
    expect(await newsOf(watcher, 'alert_new_network')).toMatchObject([
      { by_name: `Name of ${user.username}(${user.username})`, org_id: organization },
    ]);
});

it('raises one alert for a user and a network in a day, however often the log is read', async () => {
  const user = await member();
  await signInFrom('198.51.100.1', user);
  await raise();
  for (let count = 0; count < 3; count += 1) await signInFrom('203.0.113.7', user);
  await raise();
  await raise();
  await signInFrom('203.0.113.8', user);
  await raise();
  expect(await alertsOf(boss)).toHaveLength(1);
  // IPv6 networks are /48.
  await signInFrom('2001:db8:1::5', user);
  await signInFrom('2001:db8:1:ffff::6', user);
  await raise();
  expect((await alertsOf(boss)).map(({ subject }) => subject).sort()).toEqual([
    '2001:db8:1::/48',
    '203.0.113.0/24',
  ]);
});

it('forgets a network after 90 days, but not that the user exists', async () => {
  const user = await member();
  await before(user, '91 days');
  await raise();
  await runHousekeeping(test, 'forget-habits');
  await signInFrom('198.51.100.1', user);
  await raise();
  expect(await alertsOf(boss)).toMatchObject([{ subject: '198.51.100.0/24' }]);
  const other = await member();
  await before(other, '89 days');
  await signInFrom('198.51.100.1', other);
  await raise();
  expect(await alertsOf(boss)).toHaveLength(1);
});

it('ignores failed sign-ins', async () => {
  const user = await member();
  await signInFrom('198.51.100.1', user);
  const visitor = test.visitor.with({ 'x-forwarded-for': '203.0.113.7' });
  const refused = await tryToSignIn({ ...test, visitor }, { ...user, password: 'wrong' });
  expect(refused.status).toBe(400);
  await raise();
  expect(await alertsOf(boss)).toEqual([]);
});

it('continues after a failure without losing or repeating a sign-in', async () => {
  const user = await member();
  await signInFrom('198.51.100.1', user);
  await signInFrom('203.0.113.7', user);
  await sql`alter table sign_in_place add constraint broken check (false) not valid`.execute(
    test.db,
  );
  await expect(raise()).rejects.toThrow();
  expect(await alertsOf(boss)).toEqual([]);
  await sql`alter table sign_in_place drop constraint broken`.execute(test.db);
  await raise();
  await signInFrom('192.0.2.7', user);
  await raise();
  expect(await alertsOf(boss)).toHaveLength(2);
});

it('raises alerts of an unusual hour only when switched on, and after enough sign-ins', async () => {
  const user = await member();
  // Far from now, and on every day of the week.
  for (let day = 0; day < 40; day += 1) await before(user, `${day} days 10 hours`);
  await signInFrom('198.51.100.1', user);
  await raise();
  expect(await alertsOf(boss)).toEqual([]);
  await set({ ALERT_UNUSUAL_HOUR: true });
  try {
    const newcomer = await member();
    for (let day = 0; day < 5; day += 1) await before(newcomer, `${day} days 10 hours`);
    await signInFrom('198.51.100.1', newcomer);
    await raise();
    expect(await alertsOf(boss)).toEqual([]);
    const regular = await member();
    for (let day = 0; day < 40; day += 1) await before(regular, `${day} days 10 hours`);
    await raise();
    await signInFrom('198.51.100.1', regular);
    await raise();
    expect(await alertsOf(boss)).toMatchObject([
      { kind: 'unusual_hour', subject: '', username: regular.username },
    ]);
    expect(await newsOf(boss, 'alert_unusual_hour')).toHaveLength(1);
  } finally {
    await set({ ALERT_UNUSUAL_HOUR: false });
  }
});

it('raises no alert of a kind that is switched off, and still learns the network', async () => {
  const user = await member();
  await signInFrom('198.51.100.1', user);
  await set({ ALERT_NEW_NETWORK: false });
  try {
    await signInFrom('203.0.113.7', user);
    await raise();
  } finally {
    await set({ ALERT_NEW_NETWORK: true });
  }
  await signInFrom('203.0.113.7', user);
  await raise();
  expect(await alertsOf(boss)).toEqual([]);
});

it('raises alerts by days of UTC while the server time zone is blank', async () => {
  await set({ SERVER_TIME_ZONE: '' });
  try {
    await moved(await member());
  } finally {
    await set({ SERVER_TIME_ZONE: 'Asia/Shanghai' });
  }
  expect((await alertsOf(boss)).map(({ kind }) => kind)).toEqual(['new_network']);
});

it('shows alerts to administrators and auditors of an organization of the user alone', async () => {
  const other = await buildOrganization(test.db);
  const outsider = (await bearer(test, await member('Admin', other))).inOrganization(other);
  const user = await member();
  const client = await moved(user);
  const [{ id } = { id: '' }] = await alertsOf(auditor);
  expect((await boss.get(`${PATH}${id}/`)).status).toBe(200);
  expect(await alertsOf(outsider)).toEqual([]);
  expect((await outsider.get(`${PATH}${id}/`)).status).toBe(404);
  expect(await newsOf(outsider, 'alert_new_network')).toEqual([]);
  const refused = await outsider.post<Json>(SEEN, { ids: [id], note: 'x' });
  expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['ids']]);
  expect((await outsider.inOrganization(organization).get(PATH)).status).toBe(403);
  expect((await client.inOrganization(organization).get(PATH)).status).toBe(403);
  expect((await client.inOrganization(organization).post(SEEN, {})).status).toBe(403);
  expect((await test.visitor.get(PATH)).status).toBe(401);
  expect(await alertsOf(boss, '&is_seen=false')).toHaveLength(1);
});

it('raises an alert in each organization of the user, and asks the user once', async () => {
  const other = await buildOrganization(test.db);
  const outsider = (await bearer(test, await member('Admin', other))).inOrganization(other);
  const user = await buildUser(test.db, {
    memberOf: [
      { organization, role: 'User' },
      { organization: other, role: 'User' },
    ],
  });
  const client = await moved(user);
  expect(await newsOf(client, 'own_new_network')).toHaveLength(1);
  const [mine] = await alertsOf(boss);
  const [theirs] = await alertsOf(outsider);
  expect([mine?.org_id, theirs?.org_id]).toEqual([organization, other]);
  await boss.post(SEEN, { ids: [mine?.id], note: 'A business trip' });
  expect(await alertsOf(outsider)).toMatchObject([{ is_seen: false }]);
});

it('keeps an alert in Needs attention until an administrator or auditor marks it as seen with a note', async () => {
  const attention = async () =>
    (await boss.get<{ kind: string; count: number }[]>('common/attention/')).body.find(
      ({ kind }) => kind === 'unseen_alerts',
    );
  await moved(await member());
  expect(await attention()).toMatchObject({ count: 1 });
  const [{ id, user } = { id: '', user: '' }] = await alertsOf(boss, '&attention=unseen_alerts');
  for (const [body, field] of [
    [{ ids: [id] }, 'note'],
    [{ ids: [id], note: ' ' }, 'note'],
    [{ ids: [id], note: 'x'.repeat(513) }, 'note'],
    [{ ids: [], note: 'x' }, 'ids'],
    [{ note: 'x' }, 'ids'],
    [{ ids: ['nonsense'], note: 'x' }, 'ids'],
    [{ ids: [id, randomUUID()], note: 'x' }, 'ids'],
  ] as const) {
    const refused = await auditor.post<Json>(SEEN, body);
    expect([refused.status, Object.keys(refused.body)], refused.text).toEqual([400, [field]]);
  }
  const answer = await auditor.post(SEEN, { ids: [id], note: ' A business trip ' });
  expect([answer.status, answer.body], answer.text).toEqual([200, { seen: 1 }]);
  expect(await attention()).toBeUndefined();
  expect(await alertsOf(boss)).toMatchObject([{ is_seen: true, note: 'A business trip' }]);
  // Again: the first note stays.
  expect((await boss.post(SEEN, { ids: [id], note: 'Other' })).body).toEqual({ seen: 0 });
  expect(await alertsOf(boss)).toMatchObject([{ note: 'A business trip' }]);
  const { body } = await boss.get<Json[]>('audits/operate-logs/?resource_type=alert');
  expect(body).toMatchObject([
    { action: 'update', resource: user, changes: { note: ['', 'A business trip'] } },
  ]);
});

it('leaves alerts about an administrator to another one, if there is one', async () => {
  await signInFrom('198.51.100.1', bossAccount);
  await raise();
  await signInFrom('203.0.113.7', bossAccount);
  await raise();
  const ids = (await alertsOf(boss)).map(({ id }) => id);
  const refused = await boss.post<{ code: string }>(SEEN, { ids, note: 'Me' });
  expect([refused.status, refused.body.code]).toEqual([403, 'alert_own']);
  // The administrator concerned is asked, and not told about the own alert.
  expect(await newsOf(boss, 'alert_new_network')).toEqual([]);
  expect((await newsOf(boss, 'own_new_network')).length).toBeGreaterThan(0);
  await sql`delete from organization_member where organization_id = ${organization}
    and role = 'Auditor'`.execute(test.db);
  expect((await boss.post(SEEN, { ids, note: 'Me' })).status).toBe(200);
});

it('notifies at most of 20 unread alerts, and raises at most 200 in a day', async () => {
  const user = await member();
  await before(user, '1 day');
  await raise();
  await sql`insert into login_log (username, user_id, type, ip, status)
    select ${user.username}, ${user.id}, 'W', '10.0.' || n || '.1', true
    from generate_series(1, 210) n`.execute(test.db);
  await raise();
  expect((await boss.get<Page<Json>>(`${PATH}?limit=1`)).body.count).toBe(200);
  expect(await newsOf(boss, 'alert_new_network')).toHaveLength(20);
});

it('does not alert of sign-ins from before the membership', async () => {
  const other = await buildOrganization(test.db);
  const user = await buildUser(test.db, {
    memberOf: [
      { organization: other, role: 'User' },
      { organization, role: 'User' },
    ],
  });
  await sql`update organization_member set date_joined = now() + interval '1 hour'
    where organization_id = ${organization} and user_id = ${user.id}`.execute(test.db);
  await moved(user);
  expect(await alertsOf(boss)).toEqual([]);
  expect(await alertsOf(root.inOrganization(other))).toHaveLength(1);
});

it('exports alerts as a file', async () => {
  const user = await member();
  await moved(user);
  const { status, text } = await boss.get(`${PATH}?format=csv`);
  expect(status).toBe(200);
  expect(text).toContain('203.0.113.0/24');
  expect(text).toContain(user.username);
});

it('asks for a proof of identity to change the settings of alerts, and rejects bad thresholds', async () => {
  const { status, body } = await root.patch<Json>('settings/setting/', {
    ALERT_UNUSUAL_HOUR_SHARE: 0,
  });
  expect([status, Object.keys(body)]).toEqual([400, ['alerts']]);
  expect((await boss.patch('settings/setting/', { ALERT_NEW_NETWORK: false })).status).toBe(403);
});
