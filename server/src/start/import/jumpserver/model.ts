import type { SourceDatabase } from './database.ts';
import type { SourceUser } from './people.ts';
import type { SourceTree } from './tree.ts';
import { dateOf, idOf, isTrue, organizationOf, type Pairs, pairsOf, textOf } from './values.ts';

/** Bits of actions that both products know: 1 connect, 2 upload, 4 download, 8 copy, 16 paste. */
export const KNOWN_ACTIONS = 31;
/** All actions of the first versions, which did not know the clipboard. */
export const ALL_ACTIONS = 255;

/** An asset of the source, for the expansion of permissions. */
export interface SourceAsset {
  readonly name: string;
  readonly organization: string;
  readonly isActive: boolean;
  readonly protocols: ReadonlySet<string>;
}

/** A permission of the source. */
export interface SourcePermission {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly actions: number;
  readonly isActive: boolean;
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly comment: string;
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly assets: readonly string[];
  readonly nodes: readonly string[];
  /** System users of versions 2.x. */
  readonly systemUsers: readonly string[];
  /** Usernames and aliases of versions 3.x and 4.x. */
  readonly accounts: unknown;
  /** Names of protocols in versions 4.x. */
  readonly protocols: unknown;
}

/** Reads permissions with their links. */
export async function readPermissions(database: SourceDatabase): Promise<SourcePermission[]> {
  const table = 'perms_assetpermission';
  const links = (name: string, column: string) =>
    pairsOf(database.rows(`${table}_${name}`), ['assetpermission_id', column]);
  const users = await links('users', 'user_id');
  const groups = await links('user_groups', 'usergroup_id');
  const assets = await links('assets', 'asset_id');
  const nodes = await links('nodes', 'node_id');
  const systemUsers = await links('system_users', 'systemuser_id');
  const permissions: SourcePermission[] = [];
  for await (const row of database.rows(table)) {
    const id = idOf(row.id);
    permissions.push({
      id,
      organization: organizationOf(row),
      name: textOf(row.name),
      actions: Number(row.actions ?? ALL_ACTIONS),
      isActive: isTrue(row.is_active),
      start: dateOf(row.date_start),
      end: dateOf(row.date_expired),
      comment: textOf(row.comment),
      users: users.get(id) ?? [],
      groups: groups.get(id) ?? [],
      assets: assets.get(id) ?? [],
      nodes: nodes.get(id) ?? [],
      systemUsers: systemUsers.get(id) ?? [],
      accounts: row.accounts,
      protocols: row.protocols,
    });
  }
  return permissions;
}

/** Names of the actions in a mask of the source. */
export function actionsOf(mask: number, hasClipboard: boolean): string[] {
  const clipboard = hasClipboard
    ? [
        ...((mask & 8) !== 0 ? ['clipboard_copy'] : []),
        ...((mask & 16) !== 0 ? ['clipboard_paste'] : []),
      ]
    : [];
  if ((mask & ALL_ACTIONS) === ALL_ACTIONS) return ['all', ...clipboard];
  return [
    ...((mask & 1) !== 0 ? ['connect'] : []),
    ...((mask & 2) !== 0 ? ['upload_file'] : []),
    ...((mask & 4) !== 0 ? ['download_file'] : []),
    ...clipboard,
  ];
}

/** The rows of the source that decide access. */
export interface SourceAccess {
  readonly users: ReadonlyMap<string, SourceUser>;
  readonly groups: Pairs;
  readonly assets: ReadonlyMap<string, SourceAsset>;
  readonly tree: SourceTree;
  readonly permissions: readonly SourcePermission[];
  /** False for versions without actions for the clipboard. */
  readonly hasClipboard: boolean;
  /** Names of the accounts that a permission grants on an asset. */
  accountsOn(permission: SourcePermission, assetId: string): readonly string[];
}

/** Ids of the assets that a permission reaches. */
export function assetsReached(
  { assets, nodes }: Pick<SourcePermission, 'assets' | 'nodes'>,
  tree: SourceTree,
): Set<string> {
  const reached = new Set(assets);
  for (const node of nodes) for (const asset of tree.assetsBelow(node)) reached.add(asset);
  return reached;
}
