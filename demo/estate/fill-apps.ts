import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore } from '../calendar.ts';
import type { FilledPeople } from '../people/fill-people.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import data from './apps.json' with { type: 'json' };
import type { FilledAccounts } from './fill-accounts.ts';
import type { SampleAsset } from './fill-assets.ts';

interface AppTargets {
  readonly people: FilledPeople;
  readonly assets: readonly SampleAsset[];
  readonly accounts: FilledAccounts;
}

/** Inserts databases and remote apps, with a permission per kind. */
export async function fillApps(
  tx: Tx,
  random: Random,
  now: Date,
  { people, assets, accounts }: AppTargets,
): Promise<void> {
  const creation = (days: number) => ({
    created_by: '林晓峰',
    date_created: daysBefore(now, days),
  });
  const databases = data.databases.map(({ domain, ...rest }, index) => ({
    id: random.uuid(),
    ...rest,
    domain_id: domain && accounts.domains.get(domain),
    tls: 'off',
    ca_certificate: '',
    ...creation(200 - index * 20),
    date_updated: daysBefore(now, 20),
  }));
  await insertRows(tx, 'database_app', databases);
  const windows = assets.find(({ kind, isActive }) => kind === 'windows' && isActive)?.id;
  const programs = data.programs.map((program, index) => ({
    id: random.uuid(),
    ...program,
    asset_id: windows,
    comment: '',
    ...creation(180 - index * 20),
  }));
  await insertRows(tx, 'remote_app', programs);

  const rule = (name: string, start: number) => ({
    id: random.uuid(),
    name,
    is_active: true,
    date_start: daysBefore(now, start),
    date_expired: daysBefore(now, -25_000),
    comment: '',
    ...creation(start),
  });
  const [reports, finance] = [rule('报表查询', 150), rule('财务系统 · 数据库管理员', 120)];
  await insertRows(tx, 'database_app_permission', [reports]);
  await insertRows(tx, 'remote_app_permission', [finance]);
  for (const [kind, { id }, apps, account] of [
    ['database_app', reports, databases, 'MySQL 只读'],
    ['remote_app', finance, programs, 'Windows administrator'],
  ] as const) {
    const linked = {
      user: [people.accounts.get('demo')?.id],
      user_group: [people.groups.get('数据库管理员')],
      [kind]: apps.slice(0, 2).map((app) => app.id),
      system_user: [accounts.systemUsers.get(account)?.id],
    };
    for (const [target, ids] of Object.entries(linked))
      await insertRows(
        tx,
        `${kind}_permission_${target}s`,
        ids.flatMap((one) =>
          one ? [{ [`${kind}_permission_id`]: id, [`${target}_id`]: one }] : [],
        ),
      );
  }
}
