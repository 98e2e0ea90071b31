import { sql } from 'kysely';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { passwordDigest } from '../sign-in/pending.ts';

const MINUTES = 60;
/** Links per account and hour: more would only fill a mailbox. */
const MAX_PER_HOUR = 5;

/** Who may choose a new password. */
export interface ResetAccount {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly password: string | null;
}

/** Makes a link's token of 256 random bits, bound to the account and to the password it has now; undefined when it had enough of them. */
export async function makeResetToken(userId: string, db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ password: string | null; recent: number }>`
    select password, (select count(*)::integer from password_reset where user_id = a.id and date_created > now() - interval '1 hour') as recent
    from account a where id = ${userId} and is_active and source = 'local'`.execute(db);
  const [account] = rows;
  if (!account || account.recent >= MAX_PER_HOUR) return undefined;
  const token = randomToken();
  await sql`
    insert into password_reset (token_digest, user_id, password_digest, date_expired)
    values (${tokenDigest(token)}, ${userId}, ${passwordDigest(account.password)}, now() + make_interval(mins => ${MINUTES}))`.execute(
    db,
  );
  return token;
}

/** The account of a token, locked with it until the transaction ends; undefined when the token is none, was used, or is void. */
export async function accountOfToken(token: string, tx: Tx): Promise<ResetAccount | undefined> {
  if (token.length < 20 || token.length > 100) return undefined;
  const { rows } = await sql<ResetAccount & { password_digest: Buffer }>`
    select a.id, a.username, a.name, a.password, r.password_digest from password_reset r join account a on a.id = r.user_id
    where r.token_digest = ${tokenDigest(token)} and r.date_expired > now() and a.is_active and a.source = 'local' and coalesce(a.date_expired > now(), true)
    for update`.execute(tx);
  const [row] = rows;
  if (!row?.password_digest.equals(passwordDigest(row.password))) return undefined;
  const { password_digest: _, ...account } = row;
  return account;
}

/** Makes every link of an account void. */
export async function dropResetTokens(userId: string, tx: Tx): Promise<void> {
  await sql`delete from password_reset where user_id = ${userId}`.execute(tx);
}
