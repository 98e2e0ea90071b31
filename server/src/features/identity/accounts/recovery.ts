import { sql } from 'kysely';
import { systemCaller } from '../../../platform/actor.ts';
import { hashPassword, randomPassword } from '../../../platform/crypto/password.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { writeOperateLog } from '../../audits/operate-log.ts';
import { writePasswordChange } from '../../audits/password-change-log.ts';
import { removeAllFactors } from '../mfa/second-factors.ts';
import { accountKey } from '../sign-in/place.ts';
import { endAllAccess } from '../sign-in-sessions/store.ts';
import { accountEntry } from './managed-account.ts';

/** How the logs name the operator of the machine. */
const OPERATOR = systemCaller('Command line', '127.0.0.1');

interface RecoverableAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly source: string;
  readonly role: string;
  readonly is_active: boolean;
  readonly is_expired: boolean;
}

/** Changes an account whose owner cannot sign in: its sign-in sessions end and its failed attempts are deleted. Returns false when no account with this username fits. */
async function recover(
  db: Db,
  username: string,
  fits: (account: RecoverableAccount) => boolean,
  work: (account: RecoverableAccount, tx: Tx) => Promise<void>,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<RecoverableAccount>`
      select id, name, username, source, role, is_active, coalesce(date_expired <= now(), false) as is_expired from account where username = ${username} for update`.execute(
      tx,
    );
    const [account] = rows;
    if (!account || !fits(account)) return false;
    await work(account, tx);
    await endAllAccess(tx, account.id);
    await sql`delete from login_attempt where username = ${accountKey(username)}`.execute(tx);
    return true;
  });
}

/** Gives a local account, or any administrator of the installation, a new random password here and makes it usable again. For the operator of the machine, who could change the rows anyway. */
export async function recoverPassword(db: Db, username: string): Promise<string | undefined> {
  const password = randomPassword();
  const hashed = await hashPassword(password);
  // Passwords of other sources are kept elsewhere; but an administrator of the installation must come in without a directory as well.
  const isRecoverable = ({ source, role }: RecoverableAccount) => source === 'local' || role === 'Admin';
  const isDone = await recover(db, username, isRecoverable, async (account, tx) => {
    await sql`
      update account set password = ${hashed}, source = 'local', date_password_last_updated = now(), is_active = true,
        date_expired = case when ${account.is_expired} then null else date_expired end where id = ${account.id}`.execute(tx);
    await writePasswordChange(tx, OPERATOR, account.id);
    const changes = {
      ...(account.source !== 'local' && { source: [account.source, 'local'] as const }),
      ...(!account.is_active && { is_active: [false, true] as const }),
      ...(account.is_expired && { is_expired: [true, false] as const }),
    };
    if (Object.keys(changes).length > 0) await writeOperateLog(tx, OPERATOR, accountEntry(account, changes));
  });
  return isDone ? password : undefined;
}

/** Removes all second factors of an account, for a user who lost them when no other administrator can reset them in the console. */
export function recoverSecondFactor(db: Db, username: string): Promise<boolean> {
  return recover(
    db,
    username,
    () => true,
    async (account, tx) => {
      const before = await removeAllFactors(account.id, tx);
      await writeOperateLog(tx, OPERATOR, accountEntry(account, { totp: [before.totp, false], passkeys: [before.passkeys, 0] }));
    },
  );
}
