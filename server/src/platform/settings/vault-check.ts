import { StartError } from '../../config.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Db } from '../db/database.ts';
import { sql } from '../db/sql.ts';

const NAME = 'vault_check';
const CONTEXT = 'setting.value.vault_check';

/**
 * Verifies that the key of this server sealed the secrets in the database. The first start stores a
 * sealed mark, which later starts open.
 * @throws StartError before anything is sealed with a second key
 */
export async function assertSameKey(db: Db, vault: Vault): Promise<void> {
  await sql`insert into setting (name, value)
    values (${NAME}, ${JSON.stringify(vault.seal('sallyport', CONTEXT))}::jsonb)
    on conflict do nothing`.execute(db);
  const { rows } = await sql<{
    value: string;
  }>`select value from setting where name = ${NAME}`.execute(db);
  try {
    vault.open(rows[0]?.value ?? '', CONTEXT);
  } catch {
    throw new StartError(
      "The secrets in this database were sealed with another key. Give the one it was made with: SALLYPORT_SECRET_KEY_FILE='/path/to/secret.key' (the data folder of the first start holds it).",
    );
  }
}
