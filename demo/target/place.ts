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
  /** The system user for the sandbox, and its new password. */
  readonly systemUserId: string;
  readonly password: string;
}

/** Updates the demo's assets and their account to the current port and password. */
export async function leadToTarget(
  db: Db,
  vault: Vault,
  { before, port, systemUserId, password }: TargetPlace,
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
    await setPassword(tx, vault, systemUserId, password);
  });
}
