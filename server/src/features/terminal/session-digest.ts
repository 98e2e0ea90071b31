import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { RecordingDigest } from '../../platform/storage/recordings.ts';
import type { Sql } from '../../resources/hooks.ts';

/** In the place of the digest of a recording: it was not kept, by the choice of an administrator. */
export const DISCARDED = 'discarded';

const moment = (column: Sql) => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`;

/** SHA-256, lower-case hex, of a command: the columns of `c`, with texts that are in its row or were read elsewhere. */
export const commandSha256 = (input: Sql, output: Sql) => sql`
  encode(sha256(convert_to((jsonb_build_array(c.sequence, c."user", c.asset, c."system_user", ${input}, ${output}, c.risk_level, c.is_denied,
    c.offset_ms, ${moment(sql`c.date`)}) || case when c.typed_by is null then '[]' else jsonb_build_array(c.typed_by) end || case when c.is_by_key_tree then '[true]' else '[]' end)::text, 'UTF8')), 'hex')`;

/**
 * SHA-256, lower-case hex, of what must not change about an ended session: who was where and when, and each command in its order. `s` is the row of the
 * session. A command whose texts are in a storage has its digest in its row. Columns are named one by one, so that a later migration does not change digests that are written already; who typed a command counts where guests did.
 */
export const FACTS_SHA256 = sql`encode(sha256(convert_to(
  jsonb_build_array(s.id, s.org_id, s."user", s.asset, s."system_user", s.user_id, s.asset_id, s.system_user_id, s.login_from, s.remote_addr, s.protocol,
    ${moment(sql`s.date_start`)}, ${moment(sql`s.date_end`)}, s.end_reason)::text
  || coalesce((
    select string_agg(coalesce(c.sha256, ${commandSha256(sql`c.input`, sql`c.output`)}), '' order by c.sequence)
    from command c where c.session = s.id), ''), 'UTF8')), 'hex')`;

/** Writes down what an ended session of a user left; in the transaction that ends it, as its last statement. */
export async function writeSessionDigest(tx: Tx | Db, sessionId: string, recording: RecordingDigest | undefined): Promise<void> {
  await sql`
    insert into session_digest (session, facts_sha256, recording_size, recording_sha256)
    select s.id, ${FACTS_SHA256}, ${recording?.size ?? null}, ${recording?.sha256 ?? null} from session s where s.id = ${sessionId} and not s.is_canary`.execute(
    tx,
  );
}
