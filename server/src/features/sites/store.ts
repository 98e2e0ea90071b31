import { createHash, randomBytes } from 'node:crypto';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { isSamePublicKey } from '../../platform/ssh-keys.ts';
import type { SiteTunnelRow } from '../connections/index.ts';

/** Minutes for which an install key is valid. */
export const INSTALL_MINUTES = 60;
/** Seconds after which a tunnel that was not seen has ended with its process. */
const LOST_SECONDS = 90;

const digestOf = (installKey: string) => createHash('sha256').update(installKey).digest();

/** Creates the install key of a site. Returns undefined if a machine has joined already. */
export async function createInstallKey(
  siteId: string,
  tx: Tx,
): Promise<{ readonly key: string; readonly expires: Date } | undefined> {
  const key = randomBytes(24).toString('base64url');
  const { rows } = await sql<{ expires: Date | null }>`
    insert into site_identity (gateway_id, install_key, install_key_expires)
    values (${siteId}, ${digestOf(key)}, now() + make_interval(mins => ${INSTALL_MINUTES}))
    on conflict (gateway_id) do update set install_key = excluded.install_key,
      install_key_expires = excluded.install_key_expires
    where site_identity.public_key is null
    returning install_key_expires as expires`.execute(tx);
  const expires = rows[0]?.expires;
  return expires ? { key, expires } : undefined;
}

export interface JoinedSite {
  readonly id: string;
  readonly name: string;
  readonly org_id: string;
}

/** Stores the key of the machine that holds the install key. Undefined if it is not valid. */
export async function joinSite(
  installKey: string,
  publicKey: string,
  tx: Tx,
): Promise<JoinedSite | undefined> {
  const { rows } = await sql<JoinedSite>`
    update site_identity i
    set public_key = ${publicKey}, date_joined = now(), install_key = null,
      install_key_expires = null
    from gateway g
    where i.install_key = ${digestOf(installKey)} and i.install_key_expires > now()
      and i.public_key is null and g.id = i.gateway_id and g.protocol = 'site' and g.is_active
    returning g.id, g.name, g.org_id`.execute(tx);
  return rows[0];
}

/** Returns the active site with this key, in the binary form of SSH. */
export async function siteOfKey(
  id: string,
  key: Buffer,
  db: Db,
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  const { rows } = await sql<{ id: string; name: string; public_key: string }>`
    select g.id, g.name, i.public_key from gateway g join site_identity i on i.gateway_id = g.id
    where g.id = ${id}::uuid and g.protocol = 'site' and g.is_active
      and i.public_key is not null`.execute(db);
  const [site] = rows;
  return site && isSamePublicKey(site.public_key, key) ? site : undefined;
}

/**
 * Stores the open tunnels of a process, and removes its other ones. Returns those whose site is
 * no longer one that may connect. Several processes may hold tunnels of the same sites: each locks
 * gateways in their order before other rows, and leaves out rows that another process writes.
 */
export async function keepTunnels(
  holder: string,
  tunnels: readonly SiteTunnelRow[],
  db: Db,
): Promise<readonly string[]> {
  const ids = tunnels.map(({ id }) => id);
  await sql`delete from site_tunnel where id in (
    select id from site_tunnel where (holder = ${holder} and id <> all (${ids}::uuid[]))
      or date_seen < now() - make_interval(secs => ${LOST_SECONDS})
    order by id for update skip locked)`.execute(db);
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    with given as (
      select * from unnest(${ids}::uuid[], ${tunnels.map(({ siteId }) => siteId)}::uuid[],
        ${tunnels.map(({ remoteAddr }) => remoteAddr)}::text[],
        ${tunnels.map(({ software }) => software)}::text[],
        ${tunnels.map(({ channels }) => channels)}::integer[],
        ${tunnels.map(({ roundTrip }) => roundTrip ?? null)}::integer[])
        as t (id, gateway_id, remote_addr, software, channels, round_trip_ms)
    ), site as materialized (
      select g.id from gateway g
      where g.id in (select gateway_id from given) and g.protocol = 'site' and g.is_active
        and exists (select from site_identity i
          where i.gateway_id = g.id and i.public_key is not null)
      order by g.id for key share of g
    ), allowed as materialized (
      select t.* from given t join site s on s.id = t.gateway_id order by t.id
    ), kept as (
      insert into site_tunnel
        (id, gateway_id, holder, remote_addr, software, channels, round_trip_ms)
      select id, gateway_id, ${holder}, remote_addr, software, channels, round_trip_ms
      from allowed
      on conflict (id) do update set date_seen = now(), channels = excluded.channels,
        round_trip_ms = excluded.round_trip_ms
    ), free as materialized (
      select i.gateway_id from site_identity i where i.gateway_id in (select id from site)
      order by i.gateway_id for no key update skip locked
    ), seen as (
      update site_identity set date_seen = now() where gateway_id in (select gateway_id from free)
    )
    select id from given where id not in (select id from allowed)`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns the processes that hold tunnels of a site, latest first. */
export async function holdersOf(siteId: string, db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ holder: string }>`
    select holder from site_tunnel
    where gateway_id = ${siteId} and date_seen > now() - make_interval(secs => ${LOST_SECONDS})
    group by holder order by max(date_connected) desc`.execute(db);
  return rows.map(({ holder }) => holder);
}

/** Ports of the assets and databases of a site's domain, for the example of its unit. */
export async function portsBehind(siteId: string, db: Db): Promise<readonly number[]> {
  const { rows } = await sql<{ port: number }>`
    select distinct port from (
      select split_part(p, '/', 2)::integer as port
      from gateway g join asset a on a.domain_id = g.domain_id, unnest(a.protocols) p
      where g.id = ${siteId}
      union all
      select d.port from gateway g join database_app d on d.domain_id = g.domain_id
      where g.id = ${siteId}
    ) used order by port limit 20`.execute(db);
  return rows.map(({ port }) => port);
}
