import type { Vault } from '../../server/src/platform/crypto/vault.ts';
import type { Db } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { setPassword } from '../set-password.ts';

/** Setting with the last port of the sandboxed SSH server. */
const PORT = 'DEMO_TARGET_PORT';

/** Returns the port of the last start; undefined on the first. */
export async function lastPort(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{
    value: unknown;
  }>`select value from setting where name = ${PORT}`.execute(db);
  const port = rows[0]?.value;
  return typeof port === 'number' ? port : undefined;
}

export interface TargetPlace {
  readonly before: number | undefined;
  readonly port: number;
  /** The system users of the sandbox with their new passwords. */
  readonly passwords: ReadonlyMap<string, string>;
}

/**
 * Returns the id of the sample system user with a username: the oldest one, whatever the language
 * of its name. Undefined if a user deleted it.
 */
export async function sampleSystemUser(db: Db, username: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from system_account
    where username = ${username} and protocol = 'ssh' and org_id = ''
    order by date_created limit 1`.execute(db);
  return rows[0]?.id;
}

/** Updates the demo's assets and their accounts to the current port and password. */
export async function leadToTarget(
  db: Db,
  vault: Vault,
  { before, port, passwords }: TargetPlace,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (before !== undefined && before !== port) {
      const [old, now] = [`ssh/${before}`, `ssh/${port}`];
      await sql`update asset set protocols = array_replace(protocols, ${old}, ${now}) where ip = '127.0.0.1' and ${old} = any (protocols)`.execute(
        tx,
      );
    }
    await sql`
      insert into setting (name, value) values (${PORT}, ${JSON.stringify(port)}::jsonb)
      on conflict (name) do update set value = excluded.value`.execute(tx);
    for (const [systemUserId, password] of passwords)
      await setPassword(tx, vault, systemUserId, password);
  });
}
