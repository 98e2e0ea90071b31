import { isIP } from 'node:net';
import {
  type GrantedAsset,
  isUuid,
  parseAssetProtocol,
  protocolOf,
  type SessionKind,
  timeFailuresOf,
} from '@sallyport/contract';
import type { NamedAssets } from '../../../features/connections/index.ts';
import {
  allGrantedNodes,
  connects,
  findGrantedAssets,
  type GrantedAccount,
  type GrantService,
  type GrantView,
  isGrouped,
  isUngrouped,
  listGrantedAssets,
  notNow,
  onNode,
  UNGROUPED_ID,
} from '../../../features/perms/index.ts';
import { databaseClock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { allOf } from '../../../resources/read/scope.ts';
import type {
  GrantedTarget,
  GrantedAccount as OfferedAccount,
  SshTargets,
} from '../../listeners/ssh/ports.ts';
import { CONNECTORS } from '../../protocols/index.ts';

/** Maximum number of listed servers with the same name. */
const MAX_NAMED = 50;
const MAX_NAME = 256;

/** Finds the assets that a user may connect to, by name. Reads the grants on each call. */
export function createSshTargets(
  db: Db,
  grants: GrantService,
  assets: NamedAssets,
  sortBy: () => string,
): SshTargets {
  return {
    async named(userId, text) {
      const name = text.trim();
      if (name === '' || name.length > MAX_NAME || name.includes('\u0000')) return [];
      const view = await grants.view({ userId, organizationId: undefined });
      if (isIP(name) !== 0) {
        const either = sql`(a.ip = ${name} or a.hostname = ${name})`;
        return preferNamed(await findGrantedAssets(db, view, either, MAX_NAMED), name).map(
          targetOf,
        );
      }
      const conditions = [
        ...(isUuid(name) ? [sql`a.id = ${name}::uuid`] : []),
        sql`a.hostname = ${name}`,
        sql`a.ip = ${name}`,
        sql`lower(a.hostname) = lower(${name})`,
      ];
      for (const condition of conditions) {
        const assets = await findGrantedAssets(db, view, condition, MAX_NAMED);
        if (assets.length > 0) return assets.map(targetOf);
      }
      return [];
    },
    async only(person, text) {
      const name = text.trim();
      if (name.includes('\u0000') || isUuid(name) || isIP(name) !== 0) return undefined;
      const asset = await assets.read(person, name);
      const accounts = (asset?.accounts ?? []).filter(isConnectable).map(offerOf);
      return asset && accounts.length > 0
        ? { id: asset.id, hostname: name, accounts: byPriority(accounts), open: asset.open }
        : undefined;
    },
    async sshPorts(assetId) {
      const { rows } = await sql<{
        protocols: string[];
      }>`select protocols from asset where id = ${assetId}`.execute(db);
      return (rows[0]?.protocols ?? []).flatMap((text) => {
        const offered = parseAssetProtocol(text);
        return offered?.name === 'ssh' ? [offered.port] : [];
      });
    },
    async search(userId, { words, node, isDirect = false, limit, offset }) {
      const view = await grants.view({ userId, organizationId: undefined });
      const query = new URLSearchParams({
        search: words,
        limit: String(limit),
        offset: String(offset),
      });
      const assets = await listGrantedAssets(db, view, query, {
        sortBy: sortBy(),
        narrowing: node === undefined ? undefined : placeOf(view, node, isDirect),
      });
      return Array.isArray(assets)
        ? { count: assets.length, results: assets.map(targetOf) }
        : { count: assets.count, results: assets.results.map(targetOf) };
    },
    async nodes(userId, language) {
      const nodes = await allGrantedNodes(
        db,
        await grants.view({ userId, organizationId: undefined }),
        language,
      );
      return nodes.map(({ id, key, value, assets_amount }) => ({
        id,
        key,
        name: value,
        count: assets_amount,
      }));
    },
    async accounts(userId, assetId) {
      const granted = await grants.accounts({ userId, organizationId: undefined }, assetId);
      return byPriority(granted.filter(isConnectable).map(offerOf));
    },
  };
}

/**
 * Returns the assets whose host name is an address, before others with this address. An
 * organization names its assets as it likes, so this holds within one organization only.
 */
function preferNamed(assets: readonly GrantedAsset[], address: string): readonly GrantedAsset[] {
  const namesakes = assets.filter(({ hostname }) => hostname === address);
  const isOfOne = assets.every(({ org_id }) => org_id === assets[0]?.org_id);
  return namesakes.length > 0 && isOfOne ? namesakes : assets;
}

const isConnectable = (account: Pick<GrantedAccount, 'protocol' | 'mask'>): boolean =>
  connects(account) && opens(account.protocol, 'terminal');

const offerOf = (account: GrantedAccount): OfferedAccount => {
  const { id, name, username, priority, protocol } = account;
  const hasFiles = opens(protocol, 'transfer');
  return { id, name, username, priority, hasFiles, notNow: closedNow(account) };
};

/** The hours or period that refuse an account now; null if they include now. */
const closedNow = (account: GrantedAccount) =>
  notNow(account, (terms) => timeFailuresOf(terms, databaseClock.now()));

const byPriority = (accounts: readonly OfferedAccount[]): OfferedAccount[] =>
  accounts.toSorted((one, other) => other.priority - one.priority);

/** Restricts the assets to a node, or to those without a node. */
function placeOf(view: GrantView, node: string, isDirect: boolean) {
  if (node === UNGROUPED_ID) return { condition: view.ungroups ? isUngrouped(view) : sql`false` };
  const narrowing = onNode(node, !isDirect);
  const grouped = isGrouped(view);
  return grouped ? { condition: allOf([narrowing.condition, grouped]) } : narrowing;
}

function opens(protocol: string, kind: SessionKind): boolean {
  return CONNECTORS.some(
    (connector) =>
      connector.protocol === protocolOf(protocol)?.name && connector.sessionKinds.includes(kind),
  );
}

function targetOf({ id, hostname, ip, org_name, comment, protocols }: GrantedAsset): GrantedTarget {
  const hasFiles = protocols.some((offered) =>
    opens(parseAssetProtocol(offered)?.name ?? '', 'transfer'),
  );
  return { id, hostname, ip, organization: org_name, comment, hasFiles };
}
