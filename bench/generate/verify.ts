import type { Loader } from './loader.ts';
import { SIZES } from './sizes.ts';

/** The assets of each admin user, domain and label. */
const ASSETS_OF_REFERENCES = `
  select reference_id, count(*) as assets from asset,
    lateral (values (admin_user_id), (domain_id)) referenced (reference_id)
    where reference_id is not null group by 1
  union all select label_id, count(*) from label_assets group by 1`;

/**
 * Counts everything again, the slow and simple way. @throws Error naming what is not as it must be
 */
export async function verify({ run }: Loader): Promise<void> {
  // It was loaded without the triggers that count assets.
  await run('select asset_tally_recount()');
  await run('delete from asset_reference_tally');
  await run(`insert into asset_reference_tally (reference_id, assets) ${ASSETS_OF_REFERENCES}`);
  const amounts: Readonly<Record<string, number>> = {
    node: SIZES.nodes,
    asset: SIZES.assets,
    user_group: SIZES.groups,
    system_account: SIZES.systemUsers + SIZES.databaseAccounts,
    database_app: SIZES.databases,
    database_app_permission: SIZES.databaseRules,
    session: SIZES.sessions,
  };
  for (const [table, amount] of Object.entries(amounts)) {
    const { rows } = await run(`select count(*) as count from ${table}`);
    if (Number(rows[0].count) !== amount)
      throw new Error(`${table} has ${rows[0].count} rows instead of ${amount}`);
  }
  // Each must find nothing.
  const mistakes: Readonly<Record<string, string>> = {
    'a node whose count is not the number of assets below it': `
      select n.key from node n left join (
        select above.id, count(distinct held.asset_id) as amount from node_assets held
          join node place on place.id = held.node_id
          cross join lateral unnest(place.ancestors) above (id) group by 1
      ) counted on counted.id = n.id where n.assets_amount <> coalesce(counted.amount, 0)`,
    'a pair of ancestor and asset with a wrong number of ways': `
      select 1 from asset_ancestor present full join (
        select above.id as node_id, held.asset_id, count(*) as times from node_assets held
          join node place on place.id = held.node_id
          cross join lateral unnest(place.ancestors) above (id) group by 1, 2
      ) counted using (node_id, asset_id) where present.times is distinct from counted.times`,
    'an admin user, a domain or a label with a wrong number of assets': `
      select 1 from (${ASSETS_OF_REFERENCES}) counted full join (
        select reference_id, sum(assets) as assets from asset_reference_tally group by 1
      ) kept using (reference_id) where counted.assets is distinct from kept.assets`,
    'an asset that hangs nowhere': `select 1 from asset a
      where not exists (select 1 from node_assets held where held.asset_id = a.id)`,
    'a node whose key does not continue its parent': `select 1 from node child join node parent
      on parent.id = child.parent_id where child.key not like parent.key || ':%'`,
    'a node deeper than six levels': `select 1 from node
      where cardinality(string_to_array(key, ':')) > 6`,
    'a rule that names nobody': `select 1 from asset_permission p
      where not exists (select 1 from asset_permission_users l where l.asset_permission_id = p.id)
      and not exists (select 1 from asset_permission_user_groups l
        where l.asset_permission_id = p.id)`,
    'a rule without an account': `select 1 from asset_permission p
      where not exists (
        select 1 from asset_permission_system_users l where l.asset_permission_id = p.id)`,
  };
  for (const [mistake, query] of Object.entries(mistakes)) {
    const { rowCount } = await run(`${query} limit 1`);
    if (rowCount !== 0) throw new Error(`the generated data has ${mistake}`);
  }
}
