import type { Hop, Routes, Tunnel } from '../../gateway/ports.ts';
import { Refusal } from '../../gateway/refusal.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { executePrepared, type Sql, sql } from '../../platform/db/sql.ts';
import { openLogin } from './credentials.ts';

export interface GatewayRow {
  readonly id: string;
  readonly name: string;
  readonly ip: string;
  readonly port: number;
  readonly username: string;
  readonly password: string | null;
  readonly private_key: string | null;
  readonly domain: string;
  /** True for a site, which connects to this bastion. */
  readonly is_site: boolean;
  readonly is_usable: boolean;
  /** 0 for the domain of the target, 1 for the one that it is reached through, and so on. */
  readonly level: number;
}

const GATEWAY_COLUMNS = sql`g.id, g.name, g.ip, g.port, g.username, g.password, g.private_key,
  d.name as domain, g.protocol = 'site' as is_site,
  g.protocol in ('ssh', 'site') and g.is_active as is_usable,
  step.level`;

/** Returns the way into the network of a site. */
export type TunnelOf = (site: { readonly id: string; readonly name: string }) => Tunnel;

interface Surroundings {
  readonly db: Db;
  readonly vault: Vault;
  readonly tunnelOf: TunnelOf;
}

/** Maximum number of gateways tried per connection. */
const MAX_TRIED = 4;
/** A gateway that failed comes last for this long. */
const AVOIDED_MILLISECONDS = 60_000;

export interface AssetRoutes extends Routes {
  /** Opens the gateways of a domain, as `gateways` does. @throws Refusal */
  inOrder(rows: readonly GatewayRow[]): readonly Hop[];
}

/**
 * Finds the gateways to an asset or database: one hop for its domain, after one for each domain
 * that it is reached through. Those of a domain come in random order for load balancing, recently
 * failed ones last.
 */
export function createRoute(db: Db, vault: Vault, tunnelOf: TunnelOf): AssetRoutes {
  const failed = new Map<string, number>();
  const isAvoided = (id: string) => {
    const since = failed.get(id);
    if (since === undefined) return false;
    if (Date.now() - since < AVOIDED_MILLISECONDS) return true;
    failed.delete(id);
    return false;
  };
  const hopInto = (all: readonly GatewayRow[]): Hop | undefined => {
    const rows = all.filter((row) => row.is_usable);
    // A domain without an active gateway refuses the connection: never fall back to a direct one.
    if (rows.length === 0) throw new Refusal('connect_unreachable', { host: all[0]?.domain ?? '' });
    const tried = [
      ...rows.filter(({ id }) => !isAvoided(id)),
      ...rows.filter(({ id }) => isAvoided(id)),
    ].slice(0, MAX_TRIED);
    const [first, ...others] = tried.map(
      (row): Hop => ({
        ...hopOf(row, vault, tunnelOf),
        onFailed: () => failed.set(row.id, Date.now()),
      }),
    );
    return first && { ...first, others };
  };
  const inOrder = (all: readonly GatewayRow[]): readonly Hop[] =>
    [...Map.groupBy(all, ({ level }) => level)]
      .toSorted(([one], [other]) => other - one)
      .flatMap(([, rows]) => hopInto(rows) ?? []);
  return {
    inOrder,
    async gateways(targetId, kind = 'asset') {
      const target = sql`(select domain_id from ${sql.table(kind)} where id = ${targetId})`;
      return inOrder(await rowsOf(sql`domain_route(${target})`, db));
    },
  };
}

/** Gateways on the way to the asset `a`, in random order: a list of rows, null without any. */
export const GATEWAYS_OF_ASSET: Sql = sql`(
  select json_agg(hop order by random()) from (${gatewaysOn(sql`domain_route(a.domain_id)`)}) hop)`;

/**
 * Returns a gateway, active or not, and the hops before it. Undefined if it was deleted.
 * @throws Refusal
 */
export async function routeToGateway(
  id: string,
  { db, vault, tunnelOf }: Surroundings,
): Promise<{ readonly gateway: Hop; readonly before: readonly Hop[] } | undefined> {
  const own = sql`(select domain_id from gateway where id = ${id})`;
  const rows = await rowsOf(sql`domain_route(${own})`, db);
  const row = rows.find((one) => one.id === id);
  if (!row) return undefined;
  const before = createRoute(db, vault, tunnelOf).inOrder(rows.filter(({ level }) => level > 0));
  return { gateway: hopOf(row, vault, tunnelOf), before };
}

/** Gateways of the domains of a route, which is a query or function of ids and levels. */
function gatewaysOn(route: Sql): Sql<GatewayRow> {
  return sql<GatewayRow>`select ${GATEWAY_COLUMNS} from ${route} step
      join gateway g on g.domain_id = step.domain_id join domain d on d.id = g.domain_id`;
}

const rowsOf = (route: Sql, db: Db): Promise<readonly GatewayRow[]> =>
  executePrepared(sql<GatewayRow>`${gatewaysOn(route)} order by random()`, db);

function hopOf(row: GatewayRow, vault: Vault, tunnelOf: TunnelOf): Hop {
  const { id, name } = row;
  return {
    id,
    name,
    ...(row.is_site && { tunnel: tunnelOf({ id, name }) }),
    host: row.ip,
    port: row.port,
    login: { username: row.username, ...openLogin(vault, 'gateway', row.id, row) },
  };
}
