import type { Row } from '../database.ts';
import type { Item } from './client.ts';
import { type ApiTables, flatList, flatRow } from './tables.ts';

/** Id of the default organization. */
export const DEFAULT_ID = '00000000-0000-0000-0000-000000000002';

/** Platform of the objects in the list of gateways. */
const GATEWAY = 'gateway';

/** Reads accounts with their secrets, or without them if the key may not read these. */
async function readAccounts(tables: ApiTables): Promise<void> {
  tables.mark('accounts_account');
  let isAllowed = true;
  for (const organization of tables.organizations) {
    const withSecrets = isAllowed
      ? await tables.ifAllowed(tables.client.list('accounts/account-secrets/', organization))
      : undefined;
    if (isAllowed && !withSecrets) {
      isAllowed = false;
      tables.note(
        'accounts/account-secrets/',
        'is not given to the owner of the access key: accounts have no secrets and ask for them',
      );
    }
    const items = withSecrets ?? (await tables.client.list('accounts/accounts/', organization));
    for (const item of items) {
      const row = flatRow(item);
      tables.add('accounts_account', { ...row, asset_id: row.asset });
    }
  }
}

async function readAssets(tables: ApiTables): Promise<void> {
  for (const item of await tables.client.list('assets/platforms/'))
    tables.add('assets_platform', flatRow(item));
  const known = new Set<unknown>();
  const add = (row: Row, item: Item) => {
    if (known.has(row.id)) return;
    known.add(row.id);
    tables.add('assets_asset', { ...row, domain_id: row.zone ?? row.domain });
    for (const node of flatList(item.nodes))
      tables.add('assets_asset_nodes', { asset_id: row.id, node_id: node });
    for (const protocol of (item.protocols ?? []) as readonly Item[])
      tables.add('assets_protocol', { ...protocol, asset_id: row.id });
  };
  tables.add('assets_platform', { id: GATEWAY, name: 'Gateway' });
  // The list of assets may contain gateways, too.
  await tables.each('assets/gateways/', (row, item) => add({ ...row, platform_id: GATEWAY }, item));
  await tables.each('assets/assets/', (row, item) =>
    add({ ...row, platform_id: row.platform }, item),
  );
}

/** Reads zones, which earlier versions call domains. */
async function readZones(tables: ApiTables): Promise<void> {
  const known = new Set<unknown>();
  for (const path of ['assets/zones/', 'assets/domains/'])
    await tables.each(path, (row) => {
      if (!known.has(row.id)) tables.add('assets_domain', row);
      known.add(row.id);
    });
}

async function readFilters(tables: ApiTables): Promise<void> {
  await tables.each('acls/command-groups/', (row) => tables.add('acls_commandgroup', row));
  await tables.each('acls/command-filter-acls/', (row, item) => {
    tables.add('acls_commandfilteracl', row);
    for (const group of flatList(item.command_groups))
      tables.add('acls_commandfilteracl_command_groups', {
        commandfilteracl_id: row.id,
        commandgroup_id: group,
      });
  });
}

/** Reads what only versions 3.x and 4.x have. */
export async function readApi3(tables: ApiTables): Promise<void> {
  await readAccounts(tables);
  await readZones(tables);
  await readAssets(tables);
  await readFilters(tables);
}
