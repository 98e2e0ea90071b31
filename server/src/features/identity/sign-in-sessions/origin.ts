import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** By what a provider names a sign-in when it ends it; stored with the session. */
export interface Origin {
  readonly source: string;
  readonly issuer: string;
  /** The user at the provider; blank where it names sessions only. */
  readonly subject: string;
  /** The session at the provider; blank where it names none. */
  readonly session: string;
}

/**
 * Ends the sign-ins that follow from those at a provider, also those not complete yet: all that have these parts, or of them those of some sessions.
 *
 * @returns how many there were
 */
export async function endSignInsFrom(
  parts: Partial<Origin>,
  sessions: readonly string[] | undefined,
  db: Db,
): Promise<number> {
  const theirs = sql`origin @> ${JSON.stringify(parts)}::jsonb and (${sessions === undefined} or origin ->> 'session' = any (${[...(sessions ?? [])]}))`;
  const { rows } = await sql`
    with ended as (delete from web_session where ${theirs} returning id), pending as (delete from pending_sign_in where ${theirs} returning 1),
      announced as (select pg_notify('signed_out', id::text) from ended)
    select 1 from announced union all select 1 from pending`.execute(db);
  return rows.length;
}
