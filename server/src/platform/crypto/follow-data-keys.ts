import type { Bus } from '../bus/bus.ts';
import type { Db } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Logger } from '../log.ts';
import { type DataKeys, nameOf } from './data-keys.ts';

/** Announces changes of the table to all servers. */
export const DATA_KEYS_CHANNEL = 'data_keys';
export interface FollowOptions {
  readonly db: Db;
  readonly bus: Bus;
  readonly log: Logger;
  /** The id of this server. */
  readonly server: string;
}

/**
 * Reads the data keys again after each change, and reports which of them this server holds. Returns
 * the function that withdraws the report.
 */
export async function followDataKeys(
  keys: DataKeys,
  { db, bus, log, server }: FollowOptions,
): Promise<() => Promise<void>> {
  let wasReported = false;
  const follow = async () => {
    await keys.reload();
    const closed = keys.closed();
    if (closed.length > 0 && !wasReported)
      log.error(
        { master: closed[0]?.master_id },
        'this server does not have the newest secret key; copy the key file of the server that rotated it',
      );
    wasReported = closed.length > 0;
    const opened = keys
      .stored()
      .filter((row) => !closed.includes(row))
      .map(nameOf);
    await sql`insert into data_key_server (server, opened, sealing)
      values (${server}, ${opened}::text[], ${keys.active('secrets').id})
      on conflict (server) do update set opened = excluded.opened, sealing = excluded.sealing,
        date_reported = now()`.execute(db);
  };
  const again = () =>
    void follow().catch((error: unknown) =>
      log.error({ error: String(error) }, 'the data keys could not be read again'),
    );
  await bus.subscribe(DATA_KEYS_CHANNEL, again, again);
  await follow();
  return async () => {
    // The next start replaces the report if the database is away.
    await sql`delete from data_key_server where server = ${server}`
      .execute(db)
      .catch(() => undefined);
  };
}
