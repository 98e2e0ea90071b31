import { sql } from 'kysely';
import { hashPassword, randomPassword } from '../../platform/crypto/password.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { serviceAuthor, writeOperateLog } from '../audits/operate-log.ts';
import { accountEntry } from './managed-account.ts';
import { removeAllFactors } from './mfa/second-factors.ts';
import { endOtherSignIns } from './sign-ins.ts';

interface Lost {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly source: string;
  readonly is_active: boolean;
  readonly is_expired: boolean;
}

/** Works on an account whose owner lost the way in: its sign-ins end and its failures are forgotten. False when there is none of this name that fits. */
async function recover(db: Db, username: string, fits: (account: Lost) => boolean, work: (account: Lost, tx: Tx) => Promise<void>): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<Lost>`
      select id, name, username, source, is_active, coalesce(date_expired <= now(), false) as is_expired from account where username = ${username} for update`.execute(
      tx,
    );
    const [account] = rows;
    if (!account || !fits(account)) return false;
    await work(account, tx);
    await endOtherSignIns(tx, account.id);
    await sql`delete from login_attempt where username = lower(${username})`.execute(tx);
    return true;
  });
}

/** Gives a local account a new random password and makes it usable again. For the operator of the machine, who could change the rows anyway. */
export async function recoverPassword(db: Db, username: string): Promise<string | undefined> {
  const password = randomPassword();
  const hashed = await hashPassword(password);
  const isLocal = ({ source }: Lost) => source === 'local';
  const isDone = await recover(db, username, isLocal, async (account, tx) => {
    await sql`
      update account set password = ${hashed}, date_password_last_updated = now(), is_active = true,
        date_expired = case when ${account.is_expired} then null else date_expired end where id = ${account.id}`.execute(tx);
    await sql`
      insert into password_change_log ("user", user_id, change_by, remote_addr)
      values (${`${account.name}(${username})`}, ${account.id}, 'System', '127.0.0.1')`.execute(tx);
    const changes = { ...(!account.is_active && { is_active: [false, true] as const }), ...(account.is_expired && { is_expired: [true, false] as const }) };
    if (Object.keys(changes).length > 0) await writeOperateLog(tx, serviceAuthor('System', '127.0.0.1'), accountEntry(account, changes));
  });
  return isDone ? password : undefined;
}

/** Takes all second factors of an account away, for whoever lost them and knows nobody who could reset them in the console. */
export function recoverSecondFactor(db: Db, username: string): Promise<boolean> {
  return recover(
    db,
    username,
    () => true,
    async (account, tx) => {
      const before = await removeAllFactors(account.id, tx);
      await writeOperateLog(tx, serviceAuthor('System', '127.0.0.1'), accountEntry(account, { totp: [before.totp, false], passkeys: [before.passkeys, 0] }));
    },
  );
}
