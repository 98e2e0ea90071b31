import { sql } from 'kysely';
import { systemCaller } from '../../../platform/actor.ts';
import { randomPassword } from '../../../platform/crypto/password.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { Writer } from '../../../resources/write.ts';
import { lockGrants } from '../../perms/grants/lock.ts';
import { FIRST_ADMINISTRATOR } from '../policy.ts';
import { updateAccount } from './store.ts';

/**
 * Makes the first administrator of an installation that has no accounts, by the rules of all accounts.
 *
 * @returns the password when it was generated here and has to be shown, once.
 */
export async function ensureFirstAdministrator(
  db: Db,
  writer: Writer,
  given: string | undefined,
): Promise<string | undefined> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql`select 1 from account limit 1`.execute(tx);
    if (rows.length > 0) return undefined;
    // Two servers that start together would both find nobody: one waits here for the other.
    await lockGrants(tx);
    if ((await sql`select 1 from account limit 1`.execute(tx)).rows.length > 0) return undefined;
    const password = given ?? randomPassword();
    const account = {
      name: 'Administrator',
      username: FIRST_ADMINISTRATOR,
      email: 'admin@localhost',
      role: 'Admin',
      password,
      password_strategy: 1,
    };
    const { id } = await writer.create(account, systemCaller('System'), { tx });
    // What a new person is asked for at the first sign-in, the operator has decided already.
    await updateAccount(
      String(id),
      [
        ['is_first_login', false],
        ['password_generated', given === undefined],
      ],
      tx,
    );
    return given ? undefined : password;
  });
}
