import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql, writePrepared } from '../../platform/db/sql.ts';
import { defineCounter } from '../../platform/metrics/open-metrics.ts';
import type { SecretCounts } from '../../platform/secrets/formats.ts';
import type { RecordingDigest } from '../../platform/storage/recordings.ts';
import { sessionDigestOf } from './session-digest.ts';
import { newsOf } from './session-news.ts';

const ended = defineCounter(
  'sallyport_sessions_ended_total',
  'Sessions that ended on this server, by the code of the reason.',
);

export interface EndedSession {
  readonly dateEnd: Date;
  readonly reason: string;
  readonly success: boolean;
  readonly replayState: string;
  readonly recording?: RecordingDigest | undefined;
  readonly maskedSecrets?: SecretCounts | undefined;
}

/** Data-modifying `with` queries, each with a comma, and the one whose rows are counted. */
export interface OtherWrites {
  readonly others: Sql;
  readonly counted: Sql;
}
export const NO_OTHERS: OtherWrites = { others: sql``, counted: sql`(select 1)` };

/**
 * Marks the recordings of sessions as started, in one statement with `others`. A session that
 * another server has finished by then gets its recording when this server has looked at it. Returns
 * the number of rows of `counted`.
 */
export const writeBegun = (
  ids: readonly string[],
  takesGuests: boolean,
  db: Db | Tx,
  { others, counted }: OtherWrites = NO_OTHERS,
): Promise<number> =>
  writePrepared(
    sql`with ${others} begun as (
      update session set replay_state = 'recording', has_replay = not is_finished,
        is_success = is_success or is_finished, takes_guests = ${takesGuests}
      where id = any (${ids}::uuid[]) and replay_state = 'none')
    select from ${counted} counted`,
    db,
  );

/** The end of a session. */
export interface SessionEnding {
  readonly session: string;
  readonly end: EndedSession;
}

/**
 * Ends the rows of different sessions in one statement with `others`. Call it after the last
 * commands were written: the digests cover them. Returns the number of rows of `counted`.
 */
export async function writeEnds(
  endings: readonly SessionEnding[],
  db: Db | Tx,
  { others, counted }: OtherWrites = NO_OTHERS,
): Promise<number> {
  const rows = JSON.stringify(endings.map(columnsOf));
  // The planner expects a hundred rows in JSON. The ids keep it from reading the whole table.
  const ids = endings.map(({ session }) => session);
  // If another server has already finished a row, only its recording was missing.
  const query = sql`
    with ${others} given as materialized (
      select * from jsonb_to_recordset(${rows}::jsonb) as g (number integer, session uuid,
        ended_at timestamptz, reason text, success boolean, state text, kept boolean, size bigint,
        sha256 text, masked jsonb)),
    ended as (
      update session s set is_finished = true,
        date_end = case when s.is_finished then s.date_end
          else greatest(g.ended_at, s.date_start) end,
        end_reason = case when s.is_finished then s.end_reason else g.reason end,
        is_success = case when s.is_finished then s.is_success else g.success end,
        replay_state = g.state, has_replay = g.kept,
        masked_secrets = coalesce(g.masked, s.masked_secrets)
      from given g where s.id = g.session and s.id = any (${ids}::uuid[])
        returning s.*, g.number, g.size, g.sha256),
    digest as (${sessionDigestOf(
      sql`ended s where not s.is_canary order by s.number`,
      sql`s.size`,
      sql`s.sha256`,
    )}),
    told as (${newsOf(sql`ended where not is_canary`)})
    select (select count(*) from told) from ${counted} counted`;
  const count = await writePrepared(query, db);
  for (const { end } of endings) ended.add({ reason: end.reason });
  return count;
}

const columnsOf = (
  {
    session,
    end: { dateEnd, reason, success, replayState, recording, maskedSecrets },
  }: SessionEnding,
  number: number,
) => ({
  number,
  session,
  ended_at: dateEnd,
  reason,
  success,
  state: replayState,
  kept: ['finished', 'recovered'].includes(replayState),
  size: recording?.size ?? null,
  sha256: recording?.sha256 ?? null,
  masked: maskedSecrets ?? null,
});
