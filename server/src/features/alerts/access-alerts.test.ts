import { randomUUID } from 'node:crypto';
import type { alert, notification, Page, Row } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

type Alert = Row<typeof alert>;

let test: TestProgram;
let root: Client;
let organization: string;
let boss: Client;
let user: BuiltUser;
let asset: string;

const member = (role: 'Admin' | 'User', of = organization) =>
  buildUser(test.db, { memberOf: [{ organization: of, role }] });
beforeAll(async () => {
  test = await startTestProgram({ trustedProxies: ['127.0.0.1'] });
  await withoutSchedule(test, 'raise-alerts');
  root = await bearer(test);
  const { status, text } = await root.patch('settings/setting/', { ALERT_FIRST_USE: true });
  expect(status, text).toBe(200);
});
afterAll(() => test.stop());
beforeEach(async () => {
  organization = await buildOrganization(test.db);
  boss = (await bearer(test, await member('Admin'))).inOrganization(organization);
  user = await member('User');
  asset = randomUUID();
});

const raise = () => runHousekeeping(test, 'raise-alerts');
const alertsOf = async (client: Client, query = '') =>
  (await client.get<Page<Alert>>(`audits/alerts/?limit=100${query}`)).body.results;
/** The row that the gateway writes when it opens a session. */
async function session(account: string, changes: Json = {}): Promise<string> {
  const { days = 0, org = organization, canary = false } = changes;
  const { rows } = await sql<{ id: string }>`
    insert into session (org_id, "user", user_id, asset, asset_id, "system_user", system_user_id,
      remote_addr, is_canary, date_start)
    values (${org}, ${user.username}, ${user.id}, 'web-1', ${asset}, ${account}, ${account},
      '192.0.2.9', ${canary}, now() - make_interval(days => ${days})) returning id`.execute(
    test.db,
  );
  return rows[0]?.id ?? '';
}
const deny = (id: string, amount: number, minutes = 0) =>
  sql`insert into command (session, org_id, sequence, "user", asset, "system_user", input, is_denied,
      date)
    select ${id}, ${organization}, n + (select count(*) from command), 'li.wei', 'web-1', 'root',
      'rm', true, now() - make_interval(mins => ${minutes}) from generate_series(1, ${amount}) n`.execute(
    test.db,
  );
const fail = async (credentials: { username: string; password: string }, address: string) =>
  tryToSignIn({ ...test, visitor: test.visitor.with({ 'x-forwarded-for': address }) }, credentials);

it('raises an alert for the first use of an account on an asset that the organization used', async () => {
  await session('deploy');
  await raise();
  // A new asset has only first uses.
  expect(await alertsOf(boss)).toEqual([]);
  const id = await session('root');
  await session('root');
  await session('deploy');
  await raise();
  await session('root');
  await raise();
  expect(await alertsOf(boss)).toMatchObject([
    {
      kind: 'first_use',
      username: user.username,
      subject: 'root@web-1',
      remote_addr: '192.0.2.9',
      session: id,
      sign_in: null,
      org_id: organization,
    },
  ]);
  expect(
    (await boss.get<Page<Row<typeof notification>>>('users/notifications/?limit=9')).body.results,
  ).toMatchObject([{ kind: 'alert_first_use', subject: 'root@web-1 (192.0.2.9)' }]);
});

it('raises the alert again after 90 days, and never for self-tests or another organization', async () => {
  await session('root', { days: 91 });
  await session('deploy', { days: 1 });
  await raise();
  await session('canary', { canary: true });
  const other = await buildOrganization(test.db);
  await session('other', { org: other });
  await raise();
  expect(await alertsOf(boss)).toEqual([]);
  await session('root');
  await raise();
  expect(await alertsOf(boss)).toMatchObject([{ subject: 'root@web-1' }]);
  expect(await alertsOf(root.inOrganization(other))).toEqual([]);
});

it('raises one alert for more than 20 denied commands of a user within 10 minutes', async () => {
  const id = await session('root');
  await deny(id, 15, 30);
  await deny(id, 15, 5);
  await raise();
  expect(await alertsOf(boss, '&kind=many_denials')).toEqual([]);
  await deny(id, 6);
  await raise();
  await deny(id, 30);
  await raise();
  expect(await alertsOf(boss)).toMatchObject([
    { kind: 'many_denials', username: user.username, subject: '', session: id, amount: 21 },
  ]);
});

it('counts failed sign-ins of a user, and those of unknown names by their address for the default organization', async () => {
  for (let count = 0; count < 21; count += 1)
    await fail({ username: user.username, password: 'wrong' }, '198.51.100.7');
  for (let count = 0; count < 21; count += 1)
    await fail({ username: unique('stranger'), password: 'wrong' }, '203.0.113.66');
  await raise();
  expect(await alertsOf(boss)).toMatchObject([
    { kind: 'many_denials', username: user.username, remote_addr: '198.51.100.7', amount: 21 },
  ]);
  const ofAddresses = await alertsOf(root, '&kind=many_denials');
  expect(ofAddresses).toMatchObject([
    { user: '203.0.113.66', username: '', subject: '203.0.113.66', org_id: '', amount: 21 },
  ]);
  expect(ofAddresses[0]?.links).toEqual({});
  const { body } = await root.get<Json[]>('users/notifications/?kind=alert_many_denials');
  expect(body).toContainEqual(
    expect.objectContaining({ by_name: '203.0.113.66', subject: '203.0.113.66' }),
  );
});

it('keeps queued sessions until a failed run is repeated', async () => {
  await session('deploy');
  await raise();
  await session('root');
  await sql`alter table account_use add constraint broken check (false) not valid`.execute(test.db);
  await expect(raise()).rejects.toThrow();
  expect(await alertsOf(boss)).toEqual([]);
  await sql`alter table account_use drop constraint broken`.execute(test.db);
  await raise();
  expect(await alertsOf(boss)).toHaveLength(1);
});
