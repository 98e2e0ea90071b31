import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Db } from '../../../platform/db/database.ts';

const ANSWER_CONTEXT = 'provider_answer.proved';
/** How long a browser may take from one of our addresses to the next. */
const ANSWER_SECONDS = 120;

/** Writes down that a message was taken. @returns false when it was taken before, by any server */
export async function takeOnce(
  db: Db,
  message: readonly string[],
  until: number,
): Promise<boolean> {
  const digest = createHash('sha256').update(JSON.stringify(message)).digest();
  const { rows } = await sql`
    insert into seen_message (digest, date_expired) values (${digest}, ${new Date(until)}) on conflict do nothing returning 1`.execute(
    db,
  );
  return rows.length > 0;
}

/** Keeps what an answer proves until its browser comes. @returns the handle that it comes with */
export async function keepAnswer(proved: object, db: Db, vault: Vault): Promise<string> {
  const handle = randomToken();
  await sql`
    insert into provider_answer (handle, proved, date_expired)
    values (${tokenDigest(handle)}, ${vault.seal(JSON.stringify(proved), ANSWER_CONTEXT)}, now() + make_interval(secs => ${ANSWER_SECONDS}))`.execute(
    db,
  );
  return handle;
}

/** What an answer proved; it can be taken once. */
export async function takeAnswer<T>(handle: string, db: Db, vault: Vault): Promise<T | undefined> {
  const { rows } = await sql<{ proved: string }>`
    delete from provider_answer where handle = ${tokenDigest(handle)} and date_expired > now() returning proved`.execute(
    db,
  );
  return rows[0] && (JSON.parse(vault.open(rows[0].proved, ANSWER_CONTEXT)) as T);
}

/** Forgets messages and answers that have expired. */
export async function clearProviderMessages(db: Db): Promise<void> {
  await sql`delete from provider_answer where date_expired < now()`.execute(db);
  await sql`delete from seen_message where date_expired < now()`.execute(db);
}
