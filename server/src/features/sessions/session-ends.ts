import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql, writePrepared } from '../../platform/db/sql.ts';
import { defineCounter } from '../../platform/metrics/open-metrics.ts';
import type { SecretCounts } from '../../platform/secrets/formats.ts';
import type { RecordingDigest } from '../../platform/storage/recordings.ts';
import {
  addedCommands,
  COMMAND_COUNTS,
  countedCommands,
  type SessionCommand,
} from './command-rows.ts';
import { isCounted, NO_OTHERS, type OtherWrites } from './other-writes.ts';
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

/**
 * Marks the recordings of sessions as started, in one statement with `others`. Returns the number
 * of rows of `counted`.
 */
export const writeBegun = (
  ids: readonly string[],
  takesGuests: boolean,
  db: Db | Tx,
  { others, counted }: OtherWrites = NO_OTHERS,
): Promise<number> =>
  writePrepared(
    sql`with ${others} ${begunSessions(ids, takesGuests, isCounted({ counted }))}
      select from ${counted} counted`,
    db,
  );

/**
 * The `with` query that marks the recordings of sessions as started if `condition` holds. A session
 * that another server has finished by then gets its recording when this server has looked at it.
 */
export const begunSessions = (
  ids: readonly string[],
  takesGuests: boolean,
  condition: Sql,
): Sql => sql`begun as (
  update session set replay_state = 'recording', has_replay = not is_finished,
    is_success = is_success or is_finished, takes_guests = ${takesGuests}
  where id = any (${ids}::uuid[]) and replay_state = 'none' and ${condition})`;

/** The end of a session. */
export interface SessionEnding {
  readonly session: string;
  readonly end: EndedSession;
}

/** Commands that are written with the ends of their sessions. */
export interface LastCommands {
  readonly commands: readonly SessionCommand[];
  /** The process that carries their sessions. */
  readonly holder: string;
}

/**
 * Ends the rows of different sessions in one statement with `others` and with `last` commands, also
 * of sessions that do not end. The digests cover the commands: earlier ones must be written before.
 * Returns the number of rows of `counted`.
 */
export async function writeEnds(
  endings: readonly SessionEnding[],
  db: Db | Tx,
  { others, counted }: OtherWrites = NO_OTHERS,
  last?: LastCommands,
): Promise<number> {
  const rows = JSON.stringify(endings.map(columnsOf));
  // The planner expects a hundred rows in JSON. The ids keep it from reading the whole table.
  const ids = endings.map(({ session }) => session);
  // A statement does not see the rows that it adds.
  const commands =
    last &&
    sql`(select * from command where session = s.id
    union all select * from added where session = s.id)`;
  // If another server has already finished a row, only its recording was missing. It replaces what
  // that server restored from parts.
  const query = sql`
    with ${others} ${last ? sql`${addedCommands(last.commands, last.holder, isCounted({ counted }))},` : sql``}
    given as materialized (
      select * from jsonb_to_recordset(${rows}::jsonb) as g (number integer, session uuid,
        ended_at timestamptz, reason text, success boolean, state text, kept boolean, size bigint,
        sha256 text, masked jsonb) where ${isCounted({ counted })}),
    ${last ? sql`${countedCommands(last.commands, sql`s.id <> all (${ids}::uuid[])`)},` : sql``}
    ended as (
      update session s set is_finished = true,
        date_end = case when s.is_finished then s.date_end
          else greatest(g.ended_at, s.date_start) end,
        end_reason = case when s.is_finished then s.end_reason else g.reason end,
        is_success = case when s.is_finished then s.is_success else g.success end,
        replay_state = g.state, has_replay = g.kept, awaits_holder = false,
        replay_storage = case when g.state <> 'recovered' then s.replay_storage end,
        masked_secrets = coalesce(g.masked, s.masked_secrets)
        ${last ? sql`, ${COMMAND_COUNTS}` : sql``}
      from given g ${last ? sql`left join sums c on c.session = g.session` : sql``}
      where s.id = g.session and s.id = any (${ids}::uuid[])
        returning s.*, g.number, g.size, g.sha256),
    digest as (${sessionDigestOf(
      sql`ended s where not s.is_canary order by s.number`,
      { size: sql`s.size`, sha256: sql`s.sha256` },
      commands,
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
