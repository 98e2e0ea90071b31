import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Names of a sign-in at a provider, by which the provider ends it. Stored with the session. */
export interface Origin {
  readonly source: string;
  readonly issuer: string;
  /** User at the provider; blank if it names sessions only. */
  readonly subject: string;
  /** Session at the provider; blank if it names none. */
  readonly session: string;
}

/**
 * Ends complete and pending sign-ins that started at a provider and match these parts. `sessions`
 * limits them to sessions at the provider.
 *
 * @returns the number of ended sign-ins
 */
export async function endSignInsFrom(
  parts: Partial<Origin>,
  sessions: readonly string[] | undefined,
  db: Db,
): Promise<number> {
  const isMatch = sql`origin @> ${JSON.stringify(parts)}::jsonb
    and (${sessions === undefined} or origin ->> 'session' = any (${[...(sessions ?? [])]}))`;
  const { rows } = await sql`
    with ended as (delete from web_session where ${isMatch} returning id),
      pending as (delete from pending_sign_in where ${isMatch} returning 1),
      announced as (select pg_notify('signed_out', id::text) from ended)
    select 1 from announced union all select 1 from pending`.execute(db);
  return rows.length;
}
