import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { RecordingDigest } from '../../platform/storage/recordings.ts';

/** Replaces the digest of a recording that an administrator chose not to keep. */
export const DISCARDED = 'discarded';

/**
 * Version of the formula of `facts_sha256`. Never change a formula: existing rows could no longer
 * be verified. Add a version instead.
 */
export type DigestVersion = 1 | 2 | 3;
/** The version of new rows. */
export const NEWEST: DigestVersion = 3;
/** Candidates for rows without a stored version. They differ only for sessions with commands. */
export const UNRECORDED: readonly DigestVersion[] = [1, 2];

const moment = (column: Sql) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`;
const hexSha256 = (text: Sql) => sql`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;

/**
 * Digested text of a command `c`. The texts are parameters because they may come from a command
 * storage. Version 1 has no mark of key-tree commands: one added later matches version 2 only.
 */
function commandText(version: DigestVersion, input: Sql, output: Sql): Sql {
  // Rows from before the column have no answer, so their digests stay the same.
  const answered = sql`case when c.verdict = 'none' then '[]'::jsonb
    else jsonb_build_array(c.verdict) end`;
  const began = sql`c.sequence, c."user", c.asset, c."system_user", ${input}, ${output},
    c.risk_level, c.is_denied, c.offset_ms, ${moment(sql`c.date`)}`;
  if (version === 3)
    return sql`(jsonb_build_array(${began}, c.typed_by, c.is_by_key_tree, c.row_count, c.duration_ms,
      c.error) || ${answered})::text`;
  const typists = sql`case when c.typed_by is null then '[]'::jsonb
    else jsonb_build_array(c.typed_by) end`;
  return sql`(jsonb_build_array(${began}) || ${typists})::text
    || case when c.is_by_key_tree then '[true]' else ${version === 2 ? '[]' : ''} end`;
}

/** SHA-256, lower-case hex, of a command `c` with the given texts. */
export const commandSha256 = (version: DigestVersion, input: Sql, output: Sql) =>
  hexSha256(commandText(version, input, output));

/**
 * Digested text of a session `s`, or with `isOpen` of the same session before its end. The digests
 * of its commands follow it.
 */
export function sessionText(version: DigestVersion, isOpen = false): Sql {
  const [ended, isSuccess] = isOpen
    ? [sql`null::text, null::text`, sql`false`]
    : [sql`${moment(sql`s.date_end`)}, s.end_reason`, sql`s.is_success`];
  const facts = sql`s.id, s.org_id, s."user", s.asset, s."system_user", s.user_id, s.asset_id,
    s.system_user_id, s.login_from, s.remote_addr, s.protocol, ${moment(sql`s.date_start`)},
    ${ended}`;
  return version === 3
    ? sql`jsonb_build_array(3, ${facts}, ${isSuccess}, s.kind, s.target_kind, s.second_factor,
        s.is_emergency)::text`
    : sql`jsonb_build_array(${facts})::text`;
}

/**
 * SHA-256, lower-case hex, of an ended session `s` with its commands in order. A command whose
 * texts were moved to a storage contributes the digest in its row. `commands` has the rows.
 */
export const factsSha256 = (version: DigestVersion, commands: Sql = sql`command`) =>
  hexSha256(sql`${sessionText(version)} || coalesce((
    select string_agg(coalesce(c.sha256, ${commandSha256(version, sql`c.input`, sql`c.output`)}),
      '' order by c.sequence)
    from ${commands} c where c.session = s.id), '')`);

/**
 * Stores the digest of an ended session of a user, or adds a recording to an earlier digest.
 * Must be the last statement of the transaction that ends the session.
 */
export async function writeSessionDigest(
  tx: Tx | Db,
  sessionId: string,
  recording: RecordingDigest | undefined,
): Promise<void> {
  const rows = sql`session s where s.id = ${sessionId} and s.is_finished and not s.awaits_holder
    and not s.is_canary`;
  const { size = null, sha256 = null } = recording ?? {};
  const columns = { size: sql`${size}::bigint`, sha256: sql`${sha256}::text` };
  await sessionDigestOf(rows, columns).execute(tx);
}

/**
 * The insertion of digests for sessions `s` and their recordings, for a statement that also changes
 * their rows. A session gets one digest of its facts: a later row repeats it and adds a recording
 * that was completed or discarded later. The database refuses others. `commands` has the rows of
 * commands, by default those of the table.
 */
export const sessionDigestOf = (
  rows: Sql,
  { size, sha256 }: { readonly size: Sql; readonly sha256: Sql },
  commands?: Sql,
): Sql => sql`
  insert into session_digest (session, version, facts_sha256, recording_size, recording_sha256)
  select s.id, case when earlier.facts is null then ${sql.lit(NEWEST)} else earlier.version end,
    coalesce(earlier.facts, ${factsSha256(NEWEST, commands)}), ${size}, ${sha256}
  from (select s.* from ${rows}) s left join lateral (
    select min(d.version) as version, min(d.facts_sha256) as facts,
      bool_or(d.recording_sha256 is not null) as "hasRecording",
      coalesce(bool_or(d.recording_sha256 = ${DISCARDED}), false) as "isDiscarded"
    from session_digest d where d.session = s.id and not exists (
      select from session_repair r where r.session = s.id and d.sequence = any (r.sequences))
  ) earlier on true
  where earlier.facts is null or not earlier."isDiscarded" and ${sha256} is not null
    and (not earlier."hasRecording" or ${sha256} = ${DISCARDED})`;

/** A session and its commands as their digest covers them. */
export interface SessionEvidence {
  readonly id: string;
  readonly startedAt: Date;
  readonly holder: string | null;
  /**
   * The digested text. Null for a digest of an older version. Without its end while no row proves
   * that, because the holder has not returned.
   */
  readonly facts: string | null;
  /** Digested texts in order. The text is null where a command storage keeps it. */
  readonly commands: readonly { readonly text: string | null; readonly sha256: string }[];
}

/** Reads the digested texts of a session. Returns undefined if it was deleted. */
export async function evidenceOfSession(db: Db, id: string): Promise<SessionEvidence | undefined> {
  const { rows } = await sql<Omit<SessionEvidence, 'commands'>>`
    select s.id, s.date_start as "startedAt", s.holder,
      case when exists (select 1 from session_digest d where d.session = s.id
        and d.version = ${NEWEST}) then case when s.awaits_holder then ${sessionText(NEWEST, true)}
        else ${sessionText(NEWEST)} end end as facts
    from session s where s.id = ${id}`.execute(db);
  const [session] = rows;
  if (!session) return undefined;
  const text = commandText(NEWEST, sql`c.input`, sql`c.output`);
  const { rows: commands } = await sql<SessionEvidence['commands'][number]>`
    select case when c.sha256 is null then ${text} end as text,
      coalesce(c.sha256, ${hexSha256(text)}) as sha256
    from command c where c.session = ${id} order by c.sequence`.execute(db);
  return { ...session, commands };
}
