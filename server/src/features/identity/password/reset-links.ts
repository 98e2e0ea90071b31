import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { isRecent } from '../../../platform/db/recent.ts';
import { sql } from '../../../platform/db/sql.ts';
import { passwordDigest } from '../sign-in/pending.ts';

const MINUTES = 60;
/** Maximum links per account and hour, so that requests cannot flood a mailbox. */
const MAX_PER_HOUR = 5;

/** The account whose password a link may replace. */
export interface ResetAccount {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly password: string | null;
}

/**
 * Creates a link's token of 256 random bits for the account and its current password. Returns
 * undefined above the limit or for an unsuitable account, such as the holder of a duty.
 */
export async function makeResetToken(
  userId: string,
  db: Db | Tx,
  minutes = MINUTES,
): Promise<string | undefined> {
  const { rows } = await sql<{ password: string | null; recent: number }>`
    select password, (
        select count(*)::integer from password_reset
        where user_id = a.id and ${isRecent(sql`date_created`, 60)}
      ) as recent
    from account a
    where id = ${userId} and is_active and source = 'local' and duty = ''`.execute(db);
  const [account] = rows;
  if (!account || account.recent >= MAX_PER_HOUR) return undefined;
  const token = randomToken();
  await sql`
    insert into password_reset (token_digest, user_id, password_digest, date_expired)
    values (${tokenDigest(token)}, ${userId}, ${passwordDigest(account.password)},
      now() + make_interval(mins => ${minutes}))`.execute(db);
  return token;
}

/**
 * Returns the account of a token and locks both rows; undefined for an unknown, used or invalid
 * token.
 */
export async function accountOfToken(token: string, tx: Tx): Promise<ResetAccount | undefined> {
  if (token.length < 20 || token.length > 100) return undefined;
  const { rows } = await sql<ResetAccount & { password_digest: Buffer }>`
    select a.id, a.username, a.name, a.password, r.password_digest
    from password_reset r join account a on a.id = r.user_id
    where r.token_digest = ${tokenDigest(token)} and r.date_expired > now()
      and a.is_active and a.source = 'local' and a.duty = ''
      and coalesce(a.date_expired > now(), true)
    for update`.execute(tx);
  const [row] = rows;
  if (!row?.password_digest.equals(passwordDigest(row.password))) return undefined;
  const { password_digest: _, ...account } = row;
  return account;
}

/** Invalidates all links of an account. */
export async function dropResetTokens(userId: string, tx: Tx): Promise<void> {
  await sql`delete from password_reset where user_id = ${userId}`.execute(tx);
}
