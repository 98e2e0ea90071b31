import type { Row } from '../database.ts';
import { textOf } from '../values.ts';
import { type ApiTables, flatList, flatRow } from './tables.ts';

/** A stored secret of an account on an asset, or of an admin user. */
interface Secret {
  readonly password?: unknown;
  readonly private_key?: unknown;
}

/**
 * Reads the secrets of accounts on assets. Returns those of admin users by their id, which only
 * this list contains.
 */
async function readAuthInfos(tables: ApiTables): Promise<ReadonlyMap<string, Secret>> {
  const ofAdminUsers = new Map<string, Secret>();
  const newest = new Map<string, Row>();
  for (const organization of tables.organizations) {
    const items =
      (await tables.ifAllowed(tables.client.list('assets/asset-user-auth-infos/', organization))) ??
      // From version 2.13 on.
      (await tables.ifAllowed(tables.client.list('assets/account-secrets/', organization)));
    if (!items) {
      tables.note(
        'assets/asset-user-auth-infos/',
        'is not given to the owner of the access key: no secrets of assets and admin users; accounts ask for them, or store them again',
      );
      break;
    }
    for (const item of items) {
      const [id, backend] = [textOf(item.id), textOf(item.backend)];
      const secret = { password: item.password, private_key: item.private_key };
      if (backend === 'admin_user') ofAdminUsers.set(id.split('_')[0] ?? '', secret);
      if (backend !== '' && backend !== 'db') continue;
      const row = flatRow(item);
      const key = `${row.asset} ${textOf(row.username)} ${textOf(row.systemuser)}`;
      const known = newest.get(key);
      if (known && Number(known.version) >= Number(row.version)) continue;
      const [recordId] = id.split('_');
      newest.set(key, {
        ...row,
        id: recordId,
        asset_id: row.asset,
        systemuser_id: row.systemuser,
      });
    }
  }
  for (const row of newest.values()) tables.add('assets_authbook', row);
  return ofAdminUsers;
}

/** Adds system users with their secrets; asks no more after the first refusal. */
async function readSystemUsers(tables: ApiTables): Promise<void> {
  const { client } = tables;
  let isAllowed = true;
  await tables.each('assets/system-users/', async (row) => {
    const path = `assets/system-users/${textOf(row.id)}/auth-info/`;
    const isStored = isAllowed && row.login_mode !== 'manual';
    const secret = isStored
      ? await tables.ifAllowed(client.get(path, textOf(row.org_id)))
      : undefined;
    if (isStored && !secret) {
      isAllowed = false;
      tables.note(
        'assets/system-users/…/auth-info/',
        'is not given to the owner of the access key: system users have no secrets and ask for them',
      );
    }
    tables.add('assets_systemuser', {
      ...row,
      password: secret?.password,
      private_key: secret?.private_key,
    });
  });
}

async function readAssets(tables: ApiTables): Promise<void> {
  const platforms = new Map<string, unknown>();
  for (const item of await tables.client.list('assets/platforms/')) {
    platforms.set(textOf(item.name), item.id);
    tables.add('assets_platform', flatRow(item));
  }
  await tables.each('assets/assets/', (row, item) => {
    const platform = textOf(row.platform);
    tables.add('assets_asset', {
      ...row,
      protocols: flatList(item.protocols).join(' '),
      // Versions 2.x write the name of a platform.
      platform_id: platforms.get(platform) ?? platform,
      domain_id: row.domain,
      admin_user_id: row.admin_user,
    });
    for (const node of flatList(item.nodes))
      tables.add('assets_asset_nodes', { asset_id: row.id, node_id: node });
  });
}

async function readFilters(tables: ApiTables): Promise<void> {
  await tables.each('assets/cmd-filters/', async (row, item) => {
    tables.add('assets_commandfilter', row);
    for (const systemUser of flatList(item.system_users))
      tables.add('assets_commandfilter_system_users', {
        commandfilter_id: row.id,
        systemuser_id: systemUser,
      });
    await addRules(tables, row);
  });
}

async function addRules(tables: ApiTables, filter: Row): Promise<void> {
  const path = `assets/cmd-filters/${textOf(filter.id)}/rules/`;
  for (const item of (await tables.listIfPresent(path, textOf(filter.org_id))) ?? []) {
    if ('reviewers' in item) tables.mark('assets_commandfilterrule_reviewers');
    tables.add('assets_commandfilterrule', { ...flatRow(item), filter_id: filter.id });
  }
}

/** Reads what only versions 2.x have. */
export async function readApi2(tables: ApiTables): Promise<void> {
  tables.mark('assets_systemuser');
  await tables.each('assets/domains/', (row) => tables.add('assets_domain', row));
  let hasGateways = false;
  await tables.each('assets/gateways/', (row) => {
    hasGateways = true;
    tables.add('assets_gateway', { ...row, domain_id: row.domain });
  });
  if (hasGateways)
    tables.note('assets/gateways/', 'has no secrets: store those of the gateways again');
  const ofAdminUsers = await readAuthInfos(tables);
  await tables.each('assets/admin-users/', (row) =>
    tables.add('assets_adminuser', { ...row, ...ofAdminUsers.get(textOf(row.id)) }),
  );
  await readSystemUsers(tables);
  await readAssets(tables);
  await readFilters(tables);
}
