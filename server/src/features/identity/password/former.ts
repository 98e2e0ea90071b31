import { verifyPassword } from '../../../platform/crypto/password.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Returns true if an account has this password, or had it among its last `count` ones. */
export async function isFormerPassword(
  userId: string,
  password: string,
  count: number,
  on: Db | Tx,
): Promise<boolean> {
  if (count === 0) return false;
  const { rows } = await sql<{ password: string }>`
    select password from former_password where user_id = ${userId}
    order by date_replaced desc limit ${count}`.execute(on);
  for (const { password: hashed } of rows) if (await verifyPassword(hashed, password)) return true;
  return false;
}
