import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore } from '../calendar.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';

/** Inserts a domain behind a site that has joined and is away. */
export async function fillSite(tx: Tx, random: Random, now: Date): Promise<void> {
  const [domain, gateway] = [random.uuid(), random.uuid()];
  const created = daysBefore(now, 45);
  await insertRows(tx, 'domain', [
    {
      ...{ id: domain, name: '杭州工厂', comment: '没有公网地址，由站点连入' },
      date_created: created,
    },
  ]);
  await insertRows(tx, 'gateway', [
    {
      ...{ id: gateway, name: 'hz-site-01', ip: '', port: 22, username: '', password: '' },
      ...{ protocol: 'site', domain_id: domain, is_active: true, comment: null },
      ...{ created_by: '林晓峰', date_created: created, date_updated: created },
    },
  ]);
  await insertRows(tx, 'site_identity', [
    {
      gateway_id: gateway,
      public_key:
        'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/0tFxgfHq6M8tTSqUXHfWQuzChxBY6vPmF9XWMY2Q4',
      date_joined: daysBefore(now, 44),
    },
  ]);
}
