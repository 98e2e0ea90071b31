import type { Vault } from '../server/src/platform/crypto/vault.ts';
import type { Tx } from '../server/src/platform/db/database.ts';
import { sql } from '../server/src/platform/db/sql.ts';

/**
 * Stores the password that this start made. It writes as a rotation of keys does, so that the demo
 * also starts while its organization controls changes.
 */
export async function setPassword(
  tx: Tx,
  vault: Vault,
  systemUserId: string,
  password: string,
): Promise<void> {
  await sql`select set_config('sallyport.resealing', 'on', true)`.execute(tx);
  await sql`
    update system_account set password =
    ${vault.seal(password, `system_account.password.${systemUserId}`)}
    where id = ${systemUserId}`.execute(tx);
  await sql`select set_config('sallyport.resealing', 'off', true)`.execute(tx);
}
