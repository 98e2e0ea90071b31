import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { PeerAddress } from '../../platform/peers/channel.ts';

/** A server that gave no sign for so many seconds is dead: its sessions are interrupted. */
export const DEAD_AFTER_SECONDS = 40;

/**
 * Registers a server, or says that it is still there. Returns how many seconds ago its last sign
 * was; 0 for the first one.
 */
export async function giveSign(db: Db, id: string, { host, port }: PeerAddress): Promise<number> {
  const { rows } = await sql<{ silent: number }>`
    with last as (select date_seen from server where id = ${id})
    insert into server (id, host, port) values (${id}, ${host}, ${port})
    on conflict (id) do update set host = excluded.host, port = excluded.port, date_seen = now()
    returning coalesce((select extract(epoch from now() - date_seen)::float8 from last), 0)
      as silent`.execute(db);
  return rows[0]?.silent ?? 0;
}

/** A server takes no new sessions from now on. */
export async function beginToStop(db: Db, id: string): Promise<void> {
  await sql`update server set is_stopping = true where id = ${id}`.execute(db);
}

/** A server has stopped in order. */
export async function signOff(db: Db, id: string): Promise<void> {
  await sql`delete from server where id = ${id}`.execute(db);
}

/** Where a server listens that gave a sign lately. */
export async function addressOf(db: Db, id: string): Promise<PeerAddress | undefined> {
  const { rows } = await sql<PeerAddress>`
    select host, port from server
      where id = ${id} and date_seen > now() -
      make_interval(secs => ${DEAD_AFTER_SECONDS})`.execute(db);
  return rows[0];
}

/** Forgets servers that gave no sign for a day. */
export async function forgetLost(db: Db): Promise<void> {
  await sql`delete from server where date_seen < now() - interval '1 day'`.execute(db);
}
