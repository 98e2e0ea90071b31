import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';

/** Returns account ids by mail address in lower case. Addresses are compared without case. */
export async function ownersOfEmails(
  emails: readonly string[],
  tx: Tx,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; email: string }>`
    select id, lower(email) as email from account
    where lower(email) = any (
      select lower(email) from unnest(${emails}::text[]) as asked (email))`.execute(tx);
  return new Map(rows.map(({ id, email }) => [email, id]));
}

/**
 * Checks that no other account has the address in any case: a password mail must reach one user
 * only.
 * @throws Invalid
 */
export async function assertEmailIsFree(email: string, ownId: unknown, tx: Tx): Promise<void> {
  const { rows } = await sql`
    select 1 from account
    where lower(email) = lower(${email})
      and id is distinct from ${ownId ?? null}::uuid`.execute(tx);
  if (rows.length > 0) throw invalid('email', 'not_unique');
}
