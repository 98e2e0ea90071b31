import { DASHBOARD_PARTS, type DashboardIndex } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Page } from '../../testing/client.ts';
import { awayFromMidnight } from '../../testing/midnight.ts';
import { buildCast, type Cast } from '../../testing/roles.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let cast: Cast;
let organization: string;
let admin: Client;
const people: { id: string; display: string }[] = [];
const hosts: { id: string; hostname: string }[] = [];

const index = async (query: string, client = admin) =>
  (await client.get<DashboardIndex>(`index/?${query}`)).body;
const countOf = async (path: string, query: Readonly<Record<string, string | number>>) => {
  const parameters = new URLSearchParams(
    Object.entries({ ...query, limit: 1 }).map(
      ([name, value]) => [name, String(value)] as [string, string],
    ),
  );
  return (await admin.get<Page>(`${path}/?${parameters}`)).body.count;
};
const listed = {
  users: (query: Readonly<Record<string, string | number>>) => countOf('users/users', query),
  assets: (query: Readonly<Record<string, string | number>>) => countOf('assets/assets', query),
  sessions: (query: Readonly<Record<string, string | number>>) =>
    countOf('terminal/sessions', query),
};

interface Worked {
  readonly days?: number;
  readonly isOpen?: boolean;
  readonly org?: string;
}
/** A session that started at this time of day, a number of days ago. */
const worked = (
  person: number,
  host: number,
  { days = 0, isOpen = false, org = organization }: Worked = {},
) =>
  sql`insert into session (org_id, user_id, "user", asset_id, asset, "system_user", is_finished,
    date_start)
    values (${org}, ${people[person]?.id}, ${people[person]?.display}, ${hosts[host]?.id},
      ${hosts[host]?.hostname}, 'root', ${!isOpen},
      now() - make_interval(days => ${days}))`.execute(test.db);

beforeAll(async () => {
  await awayFromMidnight();
  test = await startTestProgram();
  cast = await buildCast(test);
  organization = cast.organization;
  admin = cast.clients.orgAdmin;
  for (let number = 0; number < 5; number++) {
    const { id, username } = await buildUser(test.db, {
      memberOf: [{ organization, role: 'User' }],
      isActive: number !== 3,
    });
    people.push({ id, display: `Name of ${username}(${username})` });
    const hostname = unique('host');
    hosts.push({
      id: await buildAsset(test.db, { organization, hostname, isActive: number !== 2 }),
      hostname,
    });
  }
  // User 0 works most, on host 0. User 3 and host 2 are disabled but were used. User 4 and host 4
  // were never used.
  await worked(0, 0, { isOpen: true });
  await worked(0, 0, { days: 1 });
  await worked(0, 1, { days: 6 });
  await worked(1, 0, { days: 1 });
  await worked(1, 0, { isOpen: true });
  await worked(2, 1, { days: 7 });
  await worked(3, 2, { days: 20 });
  await worked(2, 3, { days: 30 });
  await worked(4, 4, { org: cast.otherOrganization });
});
afterAll(() => test.stop());

it('allows auditors and administrators of the organization only', async () => {
  for (const role of ['auditor', 'orgAdmin', 'orgAuditor', 'superAdmin'] as const)
    expect((await cast.clients[role].get('index/?all=1')).status, role).toBe(200);
  for (const role of ['user', 'otherOrgAdmin', 'expired'] as const)
    expect((await cast.clients[role].get('index/?all=1')).status, role).toBe(403);
  for (const role of ['nobody', 'disabled'] as const)
    expect((await cast.clients[role].get('index/?all=1')).status, role).toBe(401);
});

it('answers the requested parts only', async () => {
  expect(await index('')).toEqual({});
  expect(await index('monthly=1&unknown=1')).toEqual({});
  expect(Object.keys(await index('total_count_assets=yes'))).toEqual(['total_count_assets']);
  expect(Object.keys(await index('total_count=1')).sort()).toEqual([
    'total_count_assets',
    'total_count_online_sessions',
    'total_count_online_users',
    'total_count_users',
  ]);
  expect(Object.keys(await index('dates_login_times_top5_users=x')).sort()).toEqual([
    'dates_login_times_top5_users',
    'dates_range',
  ]);
  const all = await index('all=1');
  const each = await Promise.all(DASHBOARD_PARTS.map((part) => index(`${part}=1`)));
  expect(new Set(each.flatMap((answer) => Object.keys(answer)))).toEqual(new Set(Object.keys(all)));
});

it('counts current users, assets and sessions as their lists do', async () => {
  const counts = await index('total_count=1');
  expect(counts).toMatchObject({
    total_count_assets: 5,
    total_count_online_users: 2,
    total_count_online_sessions: 2,
  });
  expect(counts.total_count_users).toBe(await listed.users({}));
  expect(counts.total_count_assets).toBe(await listed.assets({}));
  expect(counts.total_count_online_users).toBe(await listed.users({ is_online: 1 }));
  expect(counts.total_count_online_sessions).toBe(await listed.sessions({ is_finished: 0 }));
});

it.each([
  ['a week', '', 7, [5, 4, 2, 2]],
  ['a month', 'monthly=1&', 30, [7, 6, 4, 4]],
] as const)(
  'counts the same as the lists to which the numbers of %s link',
  async (_name, monthly, days, [sessions]) => {
    const answer = await index(`${monthly}all=1`);
    expect(answer.dates_metrics_date).toHaveLength(days);
    expect(answer.dates_login_times_top10_users?.[0]).toMatchObject({
      user: people[0]?.display,
      user_id: people[0]?.id,
      total: 3,
    });
    expect(answer.dates_login_times_top5_users?.[0]).toEqual({
      user: people[0]?.display,
      total: 3,
    });
    expect(answer.dates_login_times_top10_assets?.[0]).toMatchObject({
      asset: hosts[0]?.hostname,
      asset_id: hosts[0]?.id,
      total: 4,
    });

    const range = {
      date_from: answer.dates_range?.from ?? '',
      date_to: answer.dates_range?.to ?? '',
    };
    expect(answer.dates_total_count_login_times).toBe(sessions);
    expect(await listed.sessions(range)).toBe(sessions);
    for (const { user_id, total } of answer.dates_login_times_top10_users ?? [])
      expect(await listed.sessions({ ...range, user_id })).toBe(total);
    for (const { asset_id, total } of answer.dates_login_times_top10_assets ?? [])
      expect(await listed.sessions({ ...range, asset_id })).toBe(total);

    for (const [kind, of] of [
      ['users', listed.users],
      ['assets', listed.assets],
    ] as const) {
      const [active, inactive, disabled, both] = (
        ['active', 'inactive', 'disabled', 'disabled_active'] as const
      ).map((name) => answer[`dates_total_count_${name}_${kind}`] ?? Number.NaN) as [
        number,
        number,
        number,
        number,
      ];
      expect(active + inactive).toBe(await of({}));
      expect(active).toBe(await of({ used_days: days }));
      expect(inactive).toBe(await of({ unused_days: days }));
      expect(disabled).toBe(await of({ is_active: 'false' }));
      expect(active - both).toBe(await of({ used_days: days, is_active: 'true' }));
      expect(inactive - (disabled - both)).toBe(await of({ unused_days: days, is_active: 'true' }));
      expect(both).toBe(days === 30 ? 1 : 0);
    }

    const logins = answer.dates_metrics_total_count_login ?? [];
    expect(logins.reduce((sum, count) => sum + count, 0)).toBe(sessions);
    expect(logins.at(-1)).toBe(2);
    for (const [place, { date, from, to }] of (answer.dates_metrics_range ?? []).entries()) {
      if (logins[place] === 0) continue;
      expect(date.slice(5)).toBe(answer.dates_metrics_date?.[place]);
      expect(await listed.sessions({ date_from: from, date_to: to })).toBe(logins[place]);
      expect(await listed.users({ used_on: date })).toBe(
        answer.dates_metrics_total_count_active_users?.[place],
      );
      expect(await listed.assets({ used_on: date })).toBe(
        answer.dates_metrics_total_count_active_assets?.[place],
      );
    }
  },
);

it('describes the age of the latest sessions in the language of the caller', async () => {
  const { dates_login_record_top10_sessions: rows = [] } = await index(
    'dates_login_record_top10_sessions=1',
  );
  expect(rows).toHaveLength(8);
  expect(rows.at(-1)).toMatchObject({
    asset: hosts[3]?.hostname,
    is_finished: true,
    timesince: '1 month ago',
  });
  expect(rows[2]).toMatchObject({ timesince: '1 day ago' });
  const chinese = await index(
    'dates_login_record_top10_sessions=1',
    admin.with({ 'accept-language': 'zh' }),
  );
  expect(chinese.dates_login_record_top10_sessions?.[2]?.timesince).toBe('1天前');
});

it('rejects invalid filters of the lists on their field', async () => {
  for (const query of [
    'used_days=0',
    'used_days=61',
    'unused_days=x',
    'used_on=2026-13-01',
    'used_on=yesterday',
  ])
    for (const path of ['users/users/', 'assets/assets/']) {
      const answer = await admin.get<Record<string, unknown>>(`${path}?${query}`);
      expect(answer.status, `${path}?${query}`).toBe(400);
      expect(Object.keys(answer.body)).toEqual([query.split('=')[0]]);
    }
});

it('keeps counting sessions that retention deleted, and removes deleted users and assets from lists', async () => {
  const before = await index('all=1&monthly=1');
  await sql`delete from session
    where org_id = ${organization} and date_start < now() - interval '10 days'`.execute(test.db);
  expect((await index('dates_metrics=1&monthly=1')).dates_metrics_total_count_login).toEqual(
    before.dates_metrics_total_count_login,
  );
  await sql`delete from account where id = ${people[3]?.id}`.execute(test.db);
  const after = await index('all=1&monthly=1');
  expect(after.dates_total_count_active_users).toBe(
    (before.dates_total_count_active_users ?? 0) - 1,
  );
  expect(after.dates_total_count_login_users).toBe(before.dates_total_count_login_users);
});
