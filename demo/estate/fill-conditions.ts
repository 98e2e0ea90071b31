import type { Tx } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { daysBefore } from '../calendar.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import data from './conditions.json' with { type: 'json' };

/**
 * Inserts networks and conditions of permissions, given by name. Sign-in rules are inserted too,
 * but are not active: a visitor of the demo may come from any address.
 */
export async function fillConditions(
  tx: Tx,
  random: Random,
  now: Date,
  permissions: ReadonlyMap<string, string>,
): Promise<void> {
  const { networks, conditions, signInRules } = data;
  const history = { created_by: '林晓峰', date_created: daysBefore(now, 90) };
  const networkRows = networks.map((network) => ({ id: random.uuid(), ...network, ...history }));
  const networkIds = new Map(networkRows.map(({ name, id }) => [name, id]));
  await insertRows(tx, 'network', networkRows);
  for (const {
    name,
    networks: places,
    hours,
    zone,
    factorMinutes,
    permissions: names,
  } of conditions) {
    const id = random.uuid();
    await insertRows(tx, 'condition', [
      { id, name, hours, time_zone: zone, factor_minutes: factorMinutes, ...history },
    ]);
    await insertRows(
      tx,
      'condition_networks',
      places.map((place) => ({ condition_id: id, network_id: networkIds.get(place) })),
    );
    await sql`update asset_permission set condition_id = ${id}
      where id = any (${names.map((permission) => permissions.get(permission))}::uuid[])`.execute(
      tx,
    );
  }
  await insertRows(
    tx,
    'sign_in_rule',
    signInRules.map((rule) => ({ id: random.uuid(), is_active: false, ...rule, ...history })),
  );
}
