import { Accounts } from './accounts-3.ts';
import type { Row } from './database.ts';
import { readFilters3 } from './filters-3.ts';
import { readPermissions, type SourceAccess, type SourceAsset } from './model.ts';
import { type Reading, readPeople } from './people.ts';
import { addPermission, allowsProtocol, grantedAccounts } from './permissions-3.ts';
import { domainOf, keepProtocols, nodesOf, platformName, readDomains } from './shared-assets.ts';
import { readTree } from './tree.ts';
import { idOf, isTrue, organizationOf, pairsOf, textOf } from './values.ts';

interface Platform {
  readonly name: string;
  readonly base: string;
  readonly charset: string;
  readonly isGateway: boolean;
}

const BASES: Readonly<Record<string, string>> = {
  linux: 'Linux',
  unix: 'Unix',
  windows: 'Windows',
};

async function readPlatforms({ database }: Reading): Promise<ReadonlyMap<string, Platform>> {
  const platforms = new Map<string, Platform>();
  for await (const row of database.rows('assets_platform'))
    platforms.set(textOf(row.id), {
      name: platformName(row.name),
      base: BASES[textOf(row.type)] ?? 'Other',
      charset: textOf(row.charset).toLowerCase() === 'gbk' ? 'gbk' : 'utf8',
      isGateway: textOf(row.name).startsWith('Gateway'),
    });
  return platforms;
}

type Offered = ReadonlyMap<string, readonly (readonly [string, unknown])[]>;

async function readProtocols({ database }: Reading): Promise<Offered> {
  const protocols = new Map<string, [string, unknown][]>();
  for await (const row of database.rows('assets_protocol')) {
    const asset = idOf(row.asset_id);
    protocols.set(asset, [...(protocols.get(asset) ?? []), [textOf(row.name), row.port]]);
  }
  return protocols;
}

interface AssetSource {
  readonly reading: Reading;
  readonly platforms: ReadonlyMap<string, Platform>;
  readonly offered: Offered;
  readonly accounts: Accounts;
  readonly tree: SourceAccess['tree'];
  readonly kept: Map<string, readonly string[]>;
  readonly used: Set<string>;
}

function addGateway(row: Row, { reading, offered, accounts }: AssetSource): void {
  const [id, name] = [idOf(row.id), textOf(row.name)];
  const domain = domainOf(row);
  const place = `assets_asset ${id}`;
  if (domain === null) {
    reading.into.note(place, 'is a gateway of no zone; it is not imported');
    return;
  }
  const account = accounts.firstOn(id);
  const port = offered.get(id)?.find(([protocol]) => protocol === 'ssh')?.[1];
  reading.into.add({
    kind: 'gateway',
    id,
    organization: organizationOf(row),
    name,
    place,
    fields: {
      name,
      ip: textOf(row.address),
      port: Number(port ?? 22),
      username: account?.username ?? '',
      domain,
      is_active: isTrue(row.is_active),
      comment: textOf(row.comment).slice(0, 128) || null,
    },
    initial: {
      ...(account?.password !== undefined && { password: account.password }),
      ...(account?.privateKey !== undefined && { private_key: account.privateKey }),
    },
  });
}

function addAsset(row: Row, nodes: readonly string[], source: AssetSource): void {
  const { reading, platforms, offered, kept, used } = source;
  const [id, name, organization] = [idOf(row.id), textOf(row.name), organizationOf(row)];
  const place = `assets_asset ${id}`;
  const protocols = keepProtocols(offered.get(id) ?? [], place, reading);
  if (protocols.length === 0) {
    const names = (offered.get(id) ?? []).map(([protocol]) => protocol).join(', ');
    reading.into.note(
      place,
      `${JSON.stringify(name)} offers ${names || 'no protocol'}, which assets here do not; it is not imported`,
    );
    return;
  }
  kept.set(
    id,
    protocols.map((protocol) => protocol.split('/')[0] ?? ''),
  );
  const platformId = textOf(row.platform_id);
  const platform = platforms.get(platformId);
  if (platform && !used.has(platformId)) {
    used.add(platformId);
    const { name: title, base, charset } = platform;
    reading.into.add({
      kind: 'platform',
      id: platformId,
      organization: '',
      name: title,
      place: `assets_platform ${platformId}`,
      fields: { name: title, base, charset },
    });
  }
  reading.into.add({
    kind: 'asset',
    id,
    organization,
    name,
    place,
    fields: {
      hostname: name,
      ip: textOf(row.address),
      protocols,
      platform: platform?.name ?? 'Other',
      is_active: isTrue(row.is_active),
      comment: textOf(row.comment).slice(0, 128),
      domain: domainOf(row),
      nodes,
    },
  });
}

async function readAssets(source: AssetSource): Promise<ReadonlyMap<string, SourceAsset>> {
  const { reading, platforms, offered, tree } = source;
  const { database } = reading;
  const nodes = await pairsOf(database.rows('assets_asset_nodes'), ['asset_id', 'node_id']);
  const placed = new Map<string, readonly string[]>();
  const assets = new Map<string, SourceAsset>();
  for await (const row of database.rows('assets_asset')) {
    const [id, organization] = [idOf(row.id), organizationOf(row)];
    if (platforms.get(textOf(row.platform_id))?.isGateway) {
      addGateway(row, source);
      continue;
    }
    const own = nodesOf(nodes.get(id), organization, tree);
    placed.set(id, own);
    assets.set(id, {
      name: textOf(row.name),
      organization,
      isActive: isTrue(row.is_active),
      protocols: new Set((offered.get(id) ?? []).map(([protocol]) => protocol)),
    });
    addAsset(row, own, source);
  }
  tree.place(placed);
  return assets;
}

/** Reads versions 3.x and 4.x, whose permissions grant accounts of assets. */
export async function readVersion3(reading: Reading): Promise<SourceAccess> {
  const { database } = reading;
  const users = await readPeople(reading);
  await readDomains(reading);
  const accounts = new Accounts(reading);
  for await (const row of database.rows('accounts_account')) accounts.add(row);
  const tree = await readTree(reading);
  const kept = new Map<string, readonly string[]>();
  const assets = await readAssets({
    reading,
    accounts,
    tree,
    kept,
    platforms: await readPlatforms(reading),
    offered: await readProtocols(reading),
    used: new Set(),
  });
  accounts.addSecrets(assets, kept);
  const permissions = await readPermissions(database);
  for (const permission of permissions)
    addPermission(permission, { reading, accounts, assets, kept, tree });
  await readFilters3(reading, accounts);
  return {
    users,
    assets,
    tree,
    permissions,
    hasClipboard: true,
    groups: await pairsOf(database.rows('users_user_groups'), ['user_id', 'usergroup_id']),
    accountsOn(permission, assetId) {
      const offered = [...(assets.get(assetId)?.protocols ?? [])];
      return offered.some((name) => allowsProtocol(permission, name))
        ? grantedAccounts(permission, accounts.usernamesOn(assetId))
        : [];
    },
  };
}
