import { derivedId } from '../derived-id.ts';
import { type Accounts, ALL, type Login, SAME_NAME, TYPED } from './accounts-3.ts';
import { actionsOf, assetsReached, type SourceAsset, type SourcePermission } from './model.ts';
import type { Reading } from './people.ts';
import type { SourceTree } from './tree.ts';
import { jsonOf } from './values.ts';

const MOST_LETTERS = 128;

const listOf = (value: unknown): readonly string[] => {
  const list = jsonOf(value);
  return Array.isArray(list) ? list.map(String) : [];
};

/** Returns the accounts that a permission names on an asset with these accounts. */
export function grantedAccounts(permission: SourcePermission, usernames: readonly string[]) {
  const aliases = new Set(listOf(permission.accounts));
  // From version 4 on, an exclamation mark excludes a username.
  const isGranted = (username: string) =>
    (aliases.has(ALL) || aliases.has(username)) && !aliases.has(`!${username}`);
  return [
    ...usernames.filter(isGranted),
    ...[SAME_NAME, TYPED].filter((alias) => aliases.has(alias)),
  ];
}

/** True if a permission allows a protocol; before version 4 each allows all. */
export function allowsProtocol({ protocols }: Pick<SourcePermission, 'protocols'>, name: string) {
  const list = listOf(protocols);
  return list.length === 0 || list.includes('all') || list.includes(name);
}

export interface PermissionSource {
  readonly reading: Reading;
  readonly accounts: Accounts;
  readonly assets: ReadonlyMap<string, SourceAsset>;
  /** Protocols of the imported assets, by id. */
  readonly kept: ReadonlyMap<string, readonly string[]>;
  readonly tree: SourceTree;
}

const keyOf = ({ username, protocol, mode }: Login) => `${username} ${protocol} ${mode}`;

/** Finds the logins that a permission grants, with the assets that have each of them. */
function loginsOf(
  permission: SourcePermission,
  { accounts, assets, kept, tree }: PermissionSource,
) {
  const logins = new Map<string, { readonly login: Login; readonly on: string[] }>();
  /** Number of reached assets by protocol. */
  const offering = new Map<string, number>();
  for (const assetId of assetsReached(permission, tree)) {
    if (assets.get(assetId)?.organization !== permission.organization) continue;
    const usernames = grantedAccounts(permission, accounts.usernamesOn(assetId));
    for (const protocol of kept.get(assetId) ?? []) {
      if (!allowsProtocol(permission, protocol)) continue;
      offering.set(protocol, (offering.get(protocol) ?? 0) + 1);
      for (const username of usernames) {
        const mode = accounts.modeOn(assetId, { username, protocol });
        if (!mode) continue;
        const login = { username, protocol, mode };
        const known = logins.get(keyOf(login));
        if (known) known.on.push(assetId);
        else logins.set(keyOf(login), { login, on: [assetId] });
      }
    }
  }
  const isWhole = ({ login, on }: { login: Login; on: string[] }) =>
    on.length === offering.get(login.protocol);
  const sorted = [...logins.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const all = sorted.map(([, one]) => one);
  return {
    hasAssets: offering.size > 0,
    whole: all.filter(isWhole).map(({ login }) => login),
    partial: all.filter((one) => !isWhole(one)),
  };
}

/**
 * Adds a permission. Where only some of its assets have an account, a further permission grants
 * that account on exactly those assets.
 */
export function addPermission(permission: SourcePermission, source: PermissionSource): void {
  const { reading, accounts } = source;
  const { id, organization, name, comment } = permission;
  const place = `perms_assetpermission ${id}`;
  const { hasAssets, whole, partial } = loginsOf(permission, source);
  const systemUser = (login: Login) => accounts.systemUser(organization, login);
  const names = new Set(listOf(permission.accounts));
  const granted = hasAssets
    ? whole
    : accounts.loginsOf(
        organization,
        (username) =>
          grantedAccounts({ ...permission }, [username]).includes(username) || names.has(username),
      );
  const common = {
    comment,
    is_active: permission.isActive,
    actions: actionsOf(permission.actions, true),
    ...(permission.start !== undefined && { date_start: permission.start }),
    ...(permission.end !== undefined && { date_expired: permission.end }),
    users: permission.users,
    user_groups: permission.groups,
  };
  if (granted.length === 0 && partial.length === 0) {
    reading.into.note(place, 'grants no account that exists; it is not imported');
    return;
  }
  if (granted.length > 0)
    reading.into.add({
      kind: 'asset_permission',
      id,
      organization,
      name,
      place,
      fields: {
        ...common,
        name,
        assets: permission.assets,
        nodes: permission.nodes,
        system_users: granted.map(systemUser),
      },
    });
  const groups = Map.groupBy(partial, ({ on }) => on.toSorted().join(' '));
  for (const group of groups.values()) {
    const logins = group.map(({ login }) => login);
    const title = `${name} · ${[...new Set(logins.map(({ username }) => username))].join(', ')}`;
    const splitId = derivedId(`permission ${id} ${logins.map(keyOf).join(' ')}`);
    const isLong = title.length > MOST_LETTERS - 9;
    const label =
      isLong || groups.size > 1
        ? `${title.slice(0, MOST_LETTERS - 9)} ${splitId.slice(0, 8)}`
        : title;
    reading.into.add({
      kind: 'asset_permission',
      id: splitId,
      organization,
      name: label,
      place,
      fields: {
        ...common,
        name: label,
        assets: group[0]?.on ?? [],
        nodes: [],
        system_users: logins.map(systemUser),
      },
    });
  }
  if (partial.length > 0)
    reading.into.note(
      place,
      `accounts on some of its assets only: ${partial.length}; permissions added for them: ${groups.size}, which do not reach later assets of its nodes`,
    );
}
