import { StartError } from '../../../config.ts';
import { FIRST_ADMINISTRATOR, systemCaller } from '../../../platform/actor.ts';
import { randomPassword } from '../../../platform/crypto/password.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Writer } from '../../../resources/write/writer.ts';
import { lockGrants } from '../../perms/index.ts';
import { isCommonPassword } from '../password/common.ts';
import { updateAccount } from './store.ts';

/**
 * Creates the first administrator of an installation without accounts, by the rules of all
 * accounts.
 *
 * @returns a generated password, which the caller shows once.
 * @throws StartError for a common password
 */
export async function ensureFirstAdministrator(
  db: Db,
  writer: Writer,
  given: string | undefined,
): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    const { rows } = await sql`select 1 from account limit 1`.execute(tx);
    if (rows.length > 0) return undefined;
    // Serializes servers that start together: both would find no account.
    await lockGrants(tx);
    if ((await sql`select 1 from account limit 1`.execute(tx)).rows.length > 0) return undefined;
    if (given !== undefined && (await isCommonPassword(given, [FIRST_ADMINISTRATOR])))
      throw new StartError(
        'SALLYPORT_ADMIN_PASSWORD is a common password. Choose another one, or none for a generated one.',
      );
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
    // The operator has answered the questions of a first sign-in already.
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
