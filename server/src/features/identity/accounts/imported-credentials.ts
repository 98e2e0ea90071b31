import { isImportedHash } from '../../../platform/crypto/imported-hash.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Proofs of a user that another product stored. */
export interface ImportedCredentials {
  /** A hash that `isImportedHash` accepts. Replaced at the first sign-in. */
  readonly passwordHash?: string | undefined;
  readonly passwordDate?: Date | undefined;
  /** Base32 secret of an authenticator app: SHA-1, six digits, 30 seconds. */
  readonly totpSecret?: string | undefined;
}

/** Stores the proofs of a user that an import has just created. */
export async function storeImportedCredentials(
  userId: string,
  { passwordHash, passwordDate, totpSecret }: ImportedCredentials,
  vault: Vault,
  tx: Tx,
): Promise<void> {
  if (isImportedHash(passwordHash))
    await sql`
      update account set password = ${passwordHash},
        date_password_last_updated = ${passwordDate ?? null}
      where id = ${userId}`.execute(tx);
  if (totpSecret)
    await sql`
      insert into totp (user_id, secret, last_step)
      values (${userId}, ${vault.seal(totpSecret, `totp.secret.${userId}`)}, 0)
      on conflict (user_id) do nothing`.execute(tx);
}
