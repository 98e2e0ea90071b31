import { type Config, MAX_GENERATIONS, MAX_PROCESSES } from '../../config.ts';
import { CLOCKS_APART_MILLISECONDS } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { PeerAddress } from '../../platform/peers/channel.ts';
import { serverIdOf } from './identity.ts';

type Placed = Pick<Config, 'dataDirectory' | 'worker'>;

/** Ends the id of a server's further process; the path in front of it contains no `//`. */
const PROCESS = /\/\/(\d{1,2})$/;

/** The unique id of this process in the rows that only it may finish. Stable across restarts. */
export function holderOf({ dataDirectory, worker }: Placed): string {
  return idOfProcess(serverIdOf({ dataDirectory }), worker?.number ?? 1);
}

/** The id of one process of a server. The first has the id of the server. */
const idOfProcess = (server: string, number: number): string =>
  number === 1 ? server : `${server}//${number}`;

/** Returns the server and the number of a process with this id. */
export function processOf(id: string): { readonly server: string; readonly number: number } {
  const number = Number(PROCESS.exec(id)?.[1] ?? 1);
  return { server: id.replace(PROCESS, ''), number };
}

/** SQL of the server of a process id. */
export const serverOf = (holder: Sql): Sql => sql`regexp_replace(${holder}, '//[0-9]{1,2}$', '')`;

/**
 * The ids whose rows this process takes over at its start. The first process of a start takes those
 * of all processes of its server, which may have been more at the time.
 */
export function inheritedBy({ dataDirectory, worker }: Placed): readonly string[] {
  if (worker && !worker.isFirst) return [holderOf({ dataDirectory, worker })];
  const server = serverIdOf({ dataDirectory });
  return Array.from({ length: MAX_PROCESSES * MAX_GENERATIONS }, (_, index) =>
    idOfProcess(server, index + 1),
  );
}

/** A server without a heartbeat for this many seconds is dead: its sessions are interrupted. */
export const DEAD_AFTER_SECONDS = 40;

/**
 * Sends a heartbeat, and registers the server at first. Returns the seconds since the previous
 * heartbeat, or 0 for the first. Undefined if another instance has taken over the id.
 */
export async function sendHeartbeat(
  db: Db,
  { id, instance }: { readonly id: string; readonly instance: string },
  { host, port, clockAhead }: PeerAddress & { readonly clockAhead?: number | undefined },
): Promise<number | undefined> {
  const { rows } = await sql<{ silent: number }>`
    with last as (select date_seen from server where id = ${id})
    insert into server as s (id, host, port, instance, clock_ahead)
    values (${id}, ${host}, ${port}, ${instance}, ${clockAhead ?? null})
    on conflict (id) do update set host = excluded.host, port = excluded.port, date_seen = now(),
      clock_ahead = excluded.clock_ahead
      where s.instance = excluded.instance
    returning coalesce((select extract(epoch from now() - date_seen)::float8 from last), 0)
      as silent`.execute(db);
  return rows[0]?.silent;
}

/** Marks a server as stopping: it accepts no new sessions. */
export async function markStopping(db: Db, instance: string): Promise<void> {
  await sql`update server set is_stopping = true where instance = ${instance}`.execute(db);
}

/** Removes the row of an instance that has stopped properly. */
export async function removeServer(db: Db, instance: string): Promise<void> {
  await sql`delete from server where instance = ${instance}`.execute(db);
}

/** The address of a server with a recent heartbeat. */
export async function addressOf(db: Db, id: string): Promise<PeerAddress | undefined> {
  const { rows } = await sql<PeerAddress>`
    select host, port from server
      where id = ${id} and date_seen > now() -
      make_interval(secs => ${DEAD_AFTER_SECONDS})`.execute(db);
  return rows[0];
}

/** Returns the live servers whose clock is not the database's, one process for each. */
export async function clocksApart(
  db: Db,
): Promise<readonly { readonly name: string; readonly seconds: number }[]> {
  const { rows } = await sql<{ name: string; seconds: number }>`
    select distinct on (host) host as name, round(clock_ahead / 1000)::int as seconds from server
    where abs(clock_ahead) > ${CLOCKS_APART_MILLISECONDS}
      and date_seen > now() - make_interval(secs => ${DEAD_AFTER_SECONDS})
    order by host, abs(clock_ahead) desc`.execute(db);
  return rows;
}

/** Pulls back heartbeats that a clock wrote while it was ahead. A dead server is dead then. */
export async function pullBackHeartbeats(db: Db): Promise<number> {
  const { rowCount } = await sql`
    update server set date_seen = now() where date_seen > now() + interval '1 minute'`.execute(db);
  return rowCount;
}

/** Removes servers without a heartbeat for a day. */
export async function removeLost(db: Db): Promise<void> {
  await sql`delete from server where date_seen < now() - interval '1 day'`.execute(db);
}
