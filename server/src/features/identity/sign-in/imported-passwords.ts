import { isImportedHash } from '../../../platform/crypto/imported-hash.ts';
import { hashPassword, pretendToVerifyImported } from '../../../platform/crypto/password.ts';
import type { Db } from '../../../platform/db/database.ts';
import { executePrepared, sql } from '../../../platform/db/sql.ts';
import type { SignInAccount } from './pending.ts';

/** Interval between reads of the imported hashes' cost. */
const FRESH_MILLISECONDS = 60_000;

/** Passwords whose hashes came from another product, until their owners sign in. */
export interface ImportedPasswords {
  /** Replaces an imported hash by our own, once the password was right. */
  renew(account: SignInAccount, password: string): Promise<SignInAccount>;
  /**
   * After a wrong password, takes the time of an imported hash if the account has none: timing must
   * not reveal which accounts were imported.
   */
  pretend(account: SignInAccount | undefined): Promise<void>;
}

export function createImportedPasswords(db: Db): ImportedPasswords {
  let known = { iterations: 0, until: 0 };
  /** The highest number of iterations of all imported hashes; 0 if none is left. */
  const iterations = async () => {
    if (known.until > performance.now()) return known.iterations;
    const [row] = await executePrepared(
      sql<{ iterations: number }>`
        select coalesce(max(split_part(password, '$', 2)::integer), 0) as iterations from account
        where password like 'pbkdf2\\_sha256$%'`,
      db,
    );
    known = {
      iterations: row?.iterations ?? 0,
      until: performance.now() + FRESH_MILLISECONDS,
    };
    return known.iterations;
  };
  return {
    async renew(account, password) {
      if (!isImportedHash(account.password)) return account;
      const hashed = await hashPassword(password);
      const { rows } = await sql`
        update account set password = ${hashed}
        where id = ${account.id} and password = ${account.password} returning id`.execute(db);
      if (rows.length === 0) return account;
      // The trigger remembers replaced hashes, and this one is of the present password.
      await sql`
        delete from former_password
        where user_id = ${account.id} and password = ${account.password}`.execute(db);
      return { ...account, password: hashed };
    },
    async pretend(account) {
      if (isImportedHash(account?.password)) return;
      const cost = await iterations();
      if (cost > 0) await pretendToVerifyImported(cost);
    },
  };
}
