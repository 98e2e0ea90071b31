import { hostname } from 'node:os';
import type { Config } from '../../config.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { PeerAddress } from '../../platform/peers/channel.ts';

/** The unique id of this server in its rows. Stable across restarts. */
export function holderOf({ dataDirectory }: Pick<Config, 'dataDirectory'>): string {
  return `${hostname()}:${dataDirectory}`;
}

/** A server without a heartbeat for this many seconds is dead: its sessions are interrupted. */
export const DEAD_AFTER_SECONDS = 40;

/**
 * Sends a heartbeat, and registers the server at first. Returns the seconds since the previous
 * heartbeat, or 0 for the first.
 */
export async function sendHeartbeat(
  db: Db,
  id: string,
  { host, port }: PeerAddress,
): Promise<number> {
  const { rows } = await sql<{ silent: number }>`
    with last as (select date_seen from server where id = ${id})
    insert into server (id, host, port) values (${id}, ${host}, ${port})
    on conflict (id) do update set host = excluded.host, port = excluded.port, date_seen = now()
    returning coalesce((select extract(epoch from now() - date_seen)::float8 from last), 0)
      as silent`.execute(db);
  return rows[0]?.silent ?? 0;
}

/** Marks a server as stopping: it accepts no new sessions. */
export async function markStopping(db: Db, id: string): Promise<void> {
  await sql`update server set is_stopping = true where id = ${id}`.execute(db);
}

/** Removes a server that has stopped properly. */
export async function removeServer(db: Db, id: string): Promise<void> {
  await sql`delete from server where id = ${id}`.execute(db);
}

/** The address of a server with a recent heartbeat. */
export async function addressOf(db: Db, id: string): Promise<PeerAddress | undefined> {
  const { rows } = await sql<PeerAddress>`
    select host, port from server
      where id = ${id} and date_seen > now() -
      make_interval(secs => ${DEAD_AFTER_SECONDS})`.execute(db);
  return rows[0];
}

/** Removes servers without a heartbeat for a day. */
export async function removeLost(db: Db): Promise<void> {
  await sql`delete from server where date_seen < now() - interval '1 day'`.execute(db);
}
