import type { Db } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** Lets new keys of devices last an hour: a busy machine may need more than their minute. */
export async function keepDeviceKeys(db: Db): Promise<void> {
  await sql`
    create function keep_device_key() returns trigger language plpgsql as $$
      begin new.date_expired := new.date_expired + interval '1 hour'; return new; end $$`.execute(
    db,
  );
  await sql`
    create trigger keep before insert on device_ssh_key
      for each row execute function keep_device_key()`.execute(db);
}
