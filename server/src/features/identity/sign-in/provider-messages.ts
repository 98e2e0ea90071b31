import { createHash } from 'node:crypto';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

const ANSWER_CONTEXT = 'provider_answer.proved';
/** Maximum seconds between a provider's answer and the browser's next request. */
const ANSWER_SECONDS = 120;

/**
 * Records a message.
 * @returns false if any server has recorded it before
 */
export async function takeOnce(
  db: Db,
  message: readonly string[],
  until: number,
): Promise<boolean> {
  const digest = createHash('sha256').update(JSON.stringify(message)).digest();
  const { rows } = await sql`
    insert into seen_message (digest, date_expired) values (${digest}, ${new Date(until)})
    on conflict do nothing returning 1`.execute(db);
  return rows.length > 0;
}

/**
 * Stores the content of an answer until its browser comes.
 * @returns the handle for the browser
 */
export async function keepAnswer(proved: object, db: Db, vault: Vault): Promise<string> {
  const handle = randomToken();
  await sql`
    insert into provider_answer (handle, proved, date_expired)
    values (${tokenDigest(handle)}, ${vault.seal(JSON.stringify(proved), ANSWER_CONTEXT)},
      now() + make_interval(secs => ${ANSWER_SECONDS}))`.execute(db);
  return handle;
}

/** Returns the content of an answer, once. */
export async function takeAnswer<T>(handle: string, db: Db, vault: Vault): Promise<T | undefined> {
  const { rows } = await sql<{ proved: string }>`
    delete from provider_answer where handle = ${tokenDigest(handle)} and date_expired > now()
    returning proved`.execute(db);
  return rows[0] && (JSON.parse(vault.open(rows[0].proved, ANSWER_CONTEXT)) as T);
}

/** Deletes expired messages and answers. */
export async function clearProviderMessages(db: Db): Promise<void> {
  await sql`delete from provider_answer where date_expired < now()`.execute(db);
  await sql`delete from seen_message where date_expired < now()`.execute(db);
}
