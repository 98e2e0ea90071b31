import { domain, gateway, label, node } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { MAX_LIMIT } from '../../resources/read/page.ts';
import { engineSource } from './engine-source.ts';
import type { Source } from './lists.ts';
import { organizationOf } from './values.ts';

/** Zones, which version 3 calls domains. */
export function zoneSource(engines: Engines): Source {
  return engineSource(engines, domain, {
    filters: { name: 'name' },
    orders: { name: 'name' },
    async related(rows, context) {
      const ids = rows.map(({ id }) => id);
      const gateways = await engineOf(engines, gateway).reader.find(
        sql`t.domain_id = any (${ids}::uuid[])`,
        ['id', 'name', 'domain'],
        MAX_LIMIT,
        context,
      );
      return { gateways: new Map(gateways.map((row) => [String(row.id), row])) };
    },
    present: (row, { related }) => ({
      id: row.id,
      name: row.name,
      comment: row.comment,
      gateways: [...(related.gateways?.values() ?? [])].flatMap((one) =>
        one.domain === row.id ? [{ id: one.id, name: one.name }] : [],
      ),
      assets_amount: row.asset_count,
      date_created: row.date_created,
      ...organizationOf(row),
    }),
  });
}

/** Nodes of the asset tree. */
export function nodeSource(engines: Engines): Source {
  return engineSource(engines, node, {
    filters: { key: 'key', value: 'value', name: 'value' },
    orders: { key: 'key' },
    present: (row) => ({
      id: row.id,
      key: row.key,
      value: row.value,
      name: row.name,
      full_value: row.full_value,
      assets_amount: row.assets_amount,
      ...organizationOf(row),
    }),
  });
}

/** Labels of assets. */
export function labelSource(engines: Engines): Source {
  return engineSource(engines, label, {
    filters: { name: 'name', value: 'value' },
    orders: { name: 'name', value: 'value' },
    present: (row) => ({
      id: row.id,
      name: row.name,
      value: row.value,
      comment: row.comment ?? '',
      res_count: row.asset_count,
      date_created: row.date_created,
      ...organizationOf(row),
    }),
  });
}
