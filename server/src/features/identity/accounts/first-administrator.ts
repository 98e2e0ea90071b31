import { sql } from 'kysely';
import { hashPassword, randomPassword } from '../../../platform/crypto/password.ts';
import type { Db } from '../../../platform/db/database.ts';
import { FIRST_ADMINISTRATOR } from '../policy.ts';

/**
 * Makes the first administrator of an installation that has no accounts.
 *
 * @returns the password when it was generated here and has to be shown, once.
 */
export async function ensureFirstAdministrator(db: Db, given: string | undefined): Promise<string | undefined> {
  const { rows } = await sql`select 1 from account limit 1`.execute(db);
  if (rows.length > 0) return undefined;
  const password = given ?? randomPassword();
  await sql`
    insert into account (name, username, email, password, role, is_first_login, date_password_last_updated, date_expired)
    values ('Administrator', ${FIRST_ADMINISTRATOR}, 'admin@localhost', ${await hashPassword(password)}, 'Admin', false, now(), now() + interval '25550 days')
    on conflict do nothing`.execute(db);
  return given ? undefined : password;
}
