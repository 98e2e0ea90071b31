import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { alert, notification, Page, Row } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type BuiltUser, buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { buildCountryFile } from '../../testing/country-file.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const GERMANY = '198.51.100.1';
const OTHER_GERMANY = '192.0.2.1';
const JAPAN = '203.0.113.7';
const JAPAN_IPV6 = '2001:db8:5::1';

let folder: string;
let test: TestProgram;
let root: Client;
let organization: string;
let boss: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-countries-'));
  const countryDatabase = join(folder, 'countries.mmdb');
  const countries = {
    '198.51.100.0/24': 'DE',
    '192.0.2.0/24': 'DE',
    '203.0.113.0/24': 'JP',
    '2001:db8:5::/48': 'JP',
    '10.0.0.0/8': 'US',
    '100.64.0.0/10': 'US',
  };
  await writeFile(countryDatabase, buildCountryFile(countries));
  test = await startTestProgram({ trustedProxies: ['127.0.0.1'], countryDatabase });
  await withoutSchedule(test, 'raise-alerts');
  root = await bearer(test);
});
afterAll(async () => {
  await test.stop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  organization = await buildOrganization(test.db);
  boss = (await bearer(test, await member('Admin'))).inOrganization(organization);
});

const member = (role: 'Admin' | 'User' = 'User') =>
  buildUser(test.db, { memberOf: [{ organization, role }] });
const signInFrom = async (address: string, user: BuiltUser) => {
  const visitor = test.visitor.with({ 'x-forwarded-for': address });
  const { status, text } = await tryToSignIn({ ...test, visitor }, user);
  expect(status, text).toBe(201);
};
const raise = () => runHousekeeping(test, 'raise-alerts');
/** Signs a user in from addresses one after another, with a run of the job after each. */
const signInsFrom = async (user: BuiltUser, ...addresses: string[]) => {
  for (const address of addresses) {
    await signInFrom(address, user);
    await raise();
  }
};
const alertsOf = async () =>
  (await boss.get<Page<Row<typeof alert>>>('audits/alerts/?limit=100&kind=new_country')).body
    .results;

it('raises an alert for a sign-in from a country that is new for the user, but not for the first one', async () => {
  const user = await member();
  await signInsFrom(user, GERMANY, OTHER_GERMANY);
  expect(await alertsOf()).toEqual([]);
  await signInsFrom(user, JAPAN, JAPAN_IPV6, JAPAN);
  expect(await alertsOf()).toMatchObject([
    {
      kind_display: 'New country',
      username: user.username,
      subject: 'JP',
      remote_addr: JAPAN,
      links: { user: { resource: 'user', id: user.id } },
    },
  ]);
  const { body } = await boss.get<Page<Row<typeof notification>>>(
    'users/notifications/?limit=100&kind=alert_new_country',
  );
  expect(body.results).toMatchObject([{ subject: `JP (${JAPAN})` }]);
});

it('compares sign-ins that the job reads together, of each user alone', async () => {
  const [mover, traveller, stayer] = [await member(), await member(), await member()];
  await signInFrom(JAPAN, mover);
  await signInFrom(GERMANY, traveller);
  await signInFrom(JAPAN_IPV6, traveller);
  await signInFrom(GERMANY, stayer);
  await signInFrom(OTHER_GERMANY, stayer);
  await raise();
  expect(await alertsOf()).toMatchObject([{ username: traveller.username, subject: 'JP' }]);
});

it('knows no country of private and shared addresses, whatever the file says', async () => {
  const user = await member();
  await signInsFrom(user, '10.1.2.3', '100.64.7.7', GERMANY, '10.9.9.9', '100.64.8.8');
  await signInsFrom(user, '2001:db8:77::1', '192.168.7.7');
  expect(await alertsOf()).toEqual([]);
});

it('raises nothing while the kind is off, and learns the country', async () => {
  const user = await member();
  await signInsFrom(user, GERMANY);
  await root.patch('settings/setting/', { ALERT_NEW_COUNTRY: false });
  await signInsFrom(user, JAPAN);
  await root.patch('settings/setting/', { ALERT_NEW_COUNTRY: true });
  await signInsFrom(user, JAPAN_IPV6);
  expect(await alertsOf()).toEqual([]);
});

it('does not start with a file that is missing or has another format, and names the variable', async () => {
  const broken = join(folder, 'broken.mmdb');
  await writeFile(broken, 'ip,country\n');
  for (const [countryDatabase, why] of [
    [broken, 'is not a MaxMind DB file'],
    [join(folder, 'missing.mmdb'), 'ENOENT'],
  ] as const)
    await expect(startTestProgram({ countryDatabase })).rejects.toThrow(
      `SALLYPORT_COUNTRY_DATABASE cannot be used: ${why}`,
    );
});
