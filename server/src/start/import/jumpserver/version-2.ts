import type { Row } from './database.ts';
import { readFilters } from './filters-2.ts';
import {
  actionsOf,
  readPermissions,
  type SourceAccess,
  type SourceAsset,
  type SourcePermission,
} from './model.ts';
import { type Reading, readPeople } from './people.ts';
import {
  domainOf,
  keepProtocols,
  nodesOf,
  platformName,
  readDomains,
  readSecrets,
} from './shared-assets.ts';
import { readAdminUsers, readSystemUsers, type SystemUser } from './system-users-2.ts';
import { readTree } from './tree.ts';
import { idOf, isTrue, jsonOf, organizationOf, pairsOf, textOf } from './values.ts';

/** Protocols of version 2.1: a list of `name/port`, or one protocol with its port. */
function protocolsIn(row: Row): [string, string][] {
  const list = textOf(row.protocols).split(/\s+/).filter(Boolean);
  const legacy = row.protocol ? [`${row.protocol}/${row.port}`] : [];
  return (list.length > 0 ? list : legacy).map((text) => {
    const [name = '', port = ''] = text.split('/');
    return [name, port];
  });
}

const metaOf = (row: Row) => {
  const meta = jsonOf(row.meta);
  const { security, console: isConsole } = (meta ?? {}) as Record<string, unknown>;
  const isKnown = typeof security === 'string' && ['rdp', 'nla', 'tls', 'any'].includes(security);
  return isKnown || isConsole !== undefined
    ? {
        ...(isKnown && { security }),
        ...(isConsole !== undefined && { console: isConsole === true || isConsole === 'true' }),
      }
    : null;
};

async function readPlatforms({ database, into }: Reading): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for await (const row of database.rows('assets_platform')) {
    const [id, name] = [textOf(row.id), platformName(row.name)];
    names.set(id, name);
    into.add({
      kind: 'platform',
      id,
      organization: '',
      name,
      place: `assets_platform ${id}`,
      fields: {
        name,
        base: textOf(row.base) || 'Other',
        charset: textOf(row.charset) || 'utf8',
        meta: metaOf(row),
        comment: textOf(row.comment) || null,
      },
    });
  }
  return names;
}

async function readGateways(reading: Reading): Promise<void> {
  const { database, into } = reading;
  for await (const row of database.rows('assets_gateway')) {
    const [id, name] = [idOf(row.id), textOf(row.name)];
    const place = `assets_gateway ${id}`;
    into.add({
      kind: 'gateway',
      id,
      organization: organizationOf(row),
      name,
      place,
      fields: {
        name,
        ip: textOf(row.ip),
        port: Number(row.port),
        protocol: textOf(row.protocol) || 'ssh',
        username: textOf(row.username),
        domain: domainOf(row),
        is_active: isTrue(row.is_active),
        comment: textOf(row.comment).slice(0, 128) || null,
      },
      initial: readSecrets(reading, place, row),
    });
  }
}

async function readAssets(
  reading: Reading,
  platforms: ReadonlyMap<string, string>,
  tree: SourceAccess['tree'],
): Promise<ReadonlyMap<string, SourceAsset>> {
  const { database, into } = reading;
  const nodes = await pairsOf(database.rows('assets_asset_nodes'), ['asset_id', 'node_id']);
  const placed = new Map<string, readonly string[]>();
  const assets = new Map<string, SourceAsset>();
  for await (const row of database.rows('assets_asset')) {
    const [id, name] = [idOf(row.id), textOf(row.hostname)];
    const organization = organizationOf(row);
    const place = `assets_asset ${id}`;
    const protocols = protocolsIn(row);
    const isActive = isTrue(row.is_active);
    const own = nodesOf(nodes.get(id), organization, tree);
    placed.set(id, own);
    assets.set(id, {
      name,
      organization,
      isActive,
      protocols: new Set(protocols.map(([protocol]) => protocol)),
    });
    into.add({
      kind: 'asset',
      id,
      organization,
      name,
      place,
      fields: {
        hostname: name,
        ip: textOf(row.ip),
        protocols: keepProtocols(protocols, place, reading),
        platform: platforms.get(textOf(row.platform_id)) ?? 'Other',
        is_active: isActive,
        public_ip: textOf(row.public_ip) || null,
        number: textOf(row.number) || null,
        comment: textOf(row.comment),
        domain: domainOf(row),
        admin_user: row.admin_user_id ? idOf(row.admin_user_id) : null,
        nodes: own,
      },
    });
  }
  tree.place(placed);
  return assets;
}

/** Reads secrets that are stored for one asset. */
async function readAuthBook(
  reading: Reading,
  systemUsers: ReadonlyMap<string, SystemUser>,
  assets: ReadonlyMap<string, SourceAsset>,
): Promise<void> {
  for await (const row of reading.database.rows('assets_authbook')) {
    const [id, asset] = [idOf(row.id), idOf(row.asset_id)];
    if (row.is_latest !== undefined && !isTrue(row.is_latest)) continue;
    const username =
      textOf(row.username) || (systemUsers.get(idOf(row.systemuser_id))?.username ?? '');
    const place = `assets_authbook ${id}`;
    const secrets = readSecrets(reading, place, row);
    if (username === '' || Object.keys(secrets).length === 0) continue;
    reading.into.add({
      kind: 'asset_user',
      id,
      organization: assets.get(asset)?.organization ?? '',
      name: `${username}@${assets.get(asset)?.name ?? asset}`,
      place,
      fields: { asset, username },
      initial: secrets,
    });
  }
}

function addPermission(permission: SourcePermission, hasClipboard: boolean, reading: Reading) {
  const { id, organization, name, comment } = permission;
  reading.into.add({
    kind: 'asset_permission',
    id,
    organization,
    name,
    place: `perms_assetpermission ${id}`,
    fields: {
      name,
      comment,
      is_active: permission.isActive,
      actions: actionsOf(permission.actions, hasClipboard),
      ...(permission.start !== undefined && { date_start: permission.start }),
      ...(permission.end !== undefined && { date_expired: permission.end }),
      users: permission.users,
      user_groups: permission.groups,
      assets: permission.assets,
      nodes: permission.nodes,
      system_users: permission.systemUsers,
    },
  });
}

/** Reads versions 2.x, whose permissions grant system users. */
export async function readVersion2(reading: Reading): Promise<SourceAccess> {
  const { database } = reading;
  const users = await readPeople(reading);
  const platforms = await readPlatforms(reading);
  await readDomains(reading);
  await readGateways(reading);
  const tree = await readTree(reading);
  await readAdminUsers(reading);
  const systemUsers = await readSystemUsers(reading);
  const assets = await readAssets(reading, platforms, tree);
  await readAuthBook(reading, systemUsers, assets);
  // The first versions had no actions for the clipboard, and the same number for all actions.
  const hasClipboard = database.has('perms_userassetgrantedtreenoderelation');
  const permissions = await readPermissions(database);
  for (const permission of permissions) addPermission(permission, hasClipboard, reading);
  await readFilters(reading);
  return {
    users,
    assets,
    tree,
    permissions,
    hasClipboard,
    groups: await pairsOf(database.rows('users_user_groups'), ['user_id', 'usergroup_id']),
    accountsOn: ({ systemUsers: granted }, assetId) =>
      granted.flatMap((id) => {
        const systemUser = systemUsers.get(id);
        const isOffered = systemUser && assets.get(assetId)?.protocols.has(systemUser.protocol);
        return isOffered ? systemUser.name : [];
      }),
  };
}
