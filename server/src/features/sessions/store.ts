import type { CommandRecord } from '../../platform/command-record.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { defineCounter } from '../../platform/metrics/open-metrics.ts';
import type { RecordingDigest } from '../../platform/storage/recordings.ts';
import { DEAD_AFTER_SECONDS, processOf } from '../servers/index.ts';
import { writeCommands } from './command-rows.ts';
import {
  type BegunSession,
  createOpeningRows,
  type OpeningRows,
  writeOpened,
} from './opening-rows.ts';
import { DISCARDED, writeSessionDigest } from './session-digest.ts';
import { type EndedSession, writeBegun, writeEnds } from './session-ends.ts';
import { notifySessionsChanged } from './session-news.ts';

/** A period in which no client was connected to a session. */
export interface InterruptedSession {
  readonly from: Date;
  readonly to: Date;
  readonly remoteAddr: string | null;
}

/** A session whose row is open. */
export interface UnfinishedSession {
  readonly id: string;
  readonly dateStart: Date;
  /** Date of its last command or of its last entry in the file-transfer log, or else its start. */
  readonly lastActive: Date;
}

/** Stores sessions and their commands while the sessions run. */
export interface SessionRows extends OpeningRows {
  create(session: BegunSession): Promise<void>;
  /** Marks the recording as started. */
  begun(id: string, takesGuests: boolean): Promise<void>;
  addCommands(id: string, commands: readonly CommandRecord[]): Promise<void>;
  /** Adds an interruption to the row. The number of listed interruptions is limited. */
  addGap(id: string, gap: InterruptedSession): Promise<void>;
  finish(id: string, end: EndedSession): Promise<void>;
  /**
   * Rows that a crash of this process left open. Includes rows that another server ended for it. At
   * the start, includes the rows that this process takes over.
   */
  unfinished(isStart?: boolean): Promise<readonly UnfinishedSession[]>;
  /**
   * Returns the sessions among `ids`, whose recordings are in this folder, that this process
   * finishes at its start.
   */
  takenOver(ids: readonly string[]): Promise<readonly string[]>;
  /** The server that carries an unfinished session. */
  holderOf(id: string): Promise<string | null>;
  /** Returns true if a session of the user ended because its server died. */
  isInterrupted(id: string, userId: string): Promise<boolean>;
  /** Counts the sessions of a user that are open on other servers. */
  openElsewhere(userId: string): Promise<number>;
  /**
   * Ends sessions of servers without a heartbeat for `seconds`, as interrupted. `only` limits this
   * to one session. Returns the number of ended sessions. Their recordings stay on those servers.
   */
  interruptOrphans(seconds?: number, only?: string): Promise<number>;
  /** Returns the ids whose rows are finished. */
  ended(ids: readonly string[]): Promise<readonly string[]>;
}

const started = defineCounter(
  'sallyport_sessions_started_total',
  'Sessions that began on this server.',
);

const MAX_GAPS = 100;
/** Small batches keep other transactions from waiting for locks. */
export const BATCH = 500;

/** Ends the rows of sessions whose server is dead. Returns their number. */
async function interruptOrphans(
  tx: Tx,
  holder: string,
  { seconds, only }: { seconds: number; only: string | undefined },
): Promise<number> {
  // The holder may return with more commands and with the recording. It proves the session then.
  const { rows } = await sql<{ id: string }>`
    update session s set is_finished = true, end_reason = 'interrupted', awaits_holder = true,
      is_success = replay_state <> 'none', has_replay = false,
      date_end = greatest(coalesce((select date_seen from server where id = s.holder), now()),
        s.date_start)
    where not s.is_finished
      and s.holder <> ${holder} and s.id = coalesce(${only ?? null}::uuid, s.id)
      and not exists (
      select from server where id = s.holder
        and date_seen > now() - make_interval(secs => ${seconds}))
    returning id`.execute(tx);
  const ids = rows.map(({ id }) => id);
  for (let from = 0; from < ids.length; from += BATCH)
    await notifySessionsChanged(tx, ids.slice(from, from + BATCH));
  return rows.length;
}

/** The rows that a process recovers after a crash besides its own. */
export interface RecoveredRows {
  /** True to recover the rows of all holders. */
  readonly isAlone?: boolean;
  /** True if no other server can use the database, so that the start recovers all rows. */
  readonly ownsDatabase?: boolean;
  /** The processes whose rows it takes over at its start. */
  readonly inherited?: readonly string[];
  /** True if other processes may be recording into the same folder. */
  readonly sharesFolder?: boolean;
}

/** Stores the sessions of the process `holder` in the database. */
export function createSessionRows(
  db: Db,
  holder: string,
  {
    isAlone = false,
    ownsDatabase = false,
    inherited = [holder],
    sharesFolder = false,
  }: RecoveredRows = {},
): SessionRows {
  return {
    ...createOpeningRows(db),
    async create(session) {
      await writeOpened(db, session, holder);
      if (session.isCanary !== true) started.add({ protocol: session.protocol });
    },
    async begun(id, takesGuests) {
      await writeBegun([id], takesGuests, db);
    },
    async addCommands(id, commands) {
      const all = commands.map((command) => ({ session: id, command }));
      if (all.length > 0) await writeCommands(all, holder, db);
    },
    addGap: (id, gap) => writeGap(db, id, gap),
    async finish(id, end) {
      await writeEnds([{ session: id, end }], db);
    },
    async unfinished(isStart = false) {
      const holders = isStart ? inherited : [holder];
      const isOwner = isStart && ownsDatabase;
      const { rows } = await sql<UnfinishedSession>`
        select id, date_start as "dateStart",
          greatest(date_start, (select max(date) from command c where c.session = s.id),
          (select max(f.date_start) from ftp_log f where f.session = s.id)) as "lastActive"
        from session s where not is_finished
          and (${isAlone || isOwner} or holder = any (${holders}::text[])
            or ${holder === processOf(holder).server} and holder is null)
          or is_finished and (awaits_holder or replay_state = 'recording')
            and (${isOwner} or holder = any (${holders}::text[]))`.execute(db);
      return rows;
    },
    async takenOver(ids) {
      // A copied folder has recordings of sessions that another server holds, or has completed.
      const { rows } = await sql<{ id: string }>`
        with taken as materialized (
          select known.id from unnest(${ids}::uuid[]) known (id)
            left join session s on s.id = known.id
          where (s.holder = any (${inherited}::text[])
              or not ${sharesFolder} and (s.holder is null or ${ownsDatabase}))
            and (not s.is_finished or s.awaits_holder
              or s.replay_state in ('recording', 'failed', 'none')) is not false),
        moved as (
          update session s set holder = ${holder} from taken
          where s.id = taken.id and s.holder <> all (${inherited}::text[]))
        select id from taken`.execute(db);
      return rows.map(({ id }) => id);
    },
    async holderOf(id) {
      const { rows } = await sql<{
        holder: string | null;
      }>`select holder from session where id = ${id} and not is_finished`.execute(db);
      return rows[0]?.holder ?? null;
    },
    async isInterrupted(id, userId) {
      const { rows } = await sql<{ id: string }>`
        select id from session where id = ${id} and user_id = ${userId}
          and is_finished and end_reason = 'interrupted'`.execute(db);
      return rows.length > 0;
    },
    async openElsewhere(userId) {
      if (isAlone) return 0;
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from session where not is_finished
          and user_id = ${userId} and holder <> ${holder}`.execute(db);
      return rows[0]?.count ?? 0;
    },
    interruptOrphans: (seconds = DEAD_AFTER_SECONDS, only) =>
      db.transaction((tx) => interruptOrphans(tx, holder, { seconds, only })),
    async ended(ids) {
      const { rows } = await sql<{
        id: string;
      }>`select id from session where id = any(${ids}::uuid[]) and is_finished`.execute(db);
      return rows.map(({ id }) => id);
    },
  };
}

/** Adds an interruption to the row of a session. The number of listed interruptions is limited. */
export async function writeGap(
  db: Db | Tx,
  id: string,
  { from, to, remoteAddr }: InterruptedSession,
): Promise<void> {
  const gap = JSON.stringify([{ date_start: from, date_end: to, remote_addr: remoteAddr }]);
  await sql`update session set gaps = gaps || ${gap}::jsonb
    where id = ${id} and jsonb_array_length(gaps) < ${MAX_GAPS}`.execute(db);
}

/** Stores that the recording of a session was moved to a storage. */
export async function recordingMoved(db: Db, sessionId: string, storageId: string): Promise<void> {
  await sql`update session set replay_storage = ${storageId} where id = ${sessionId}`.execute(db);
}

/** Purpose of the signature of a restored recording. */
export const SIGNED_RESTORED = 'recording_copy.restored';

/** The signed text of a recording that was restored from its parts. */
export const restoredText = (session: string, { size, sha256 }: RecordingDigest): string =>
  JSON.stringify([session, size, sha256]);

/**
 * Stores that the recording of a dead server was restored in a storage. Its server still proves the
 * session when it returns. Returns false if it has returned.
 */
export async function recordingRestored(
  tx: Tx,
  sessionId: string,
  storageId: string,
): Promise<boolean> {
  const { rowCount } = await sql`update session set replay_state = 'recovered', has_replay = true,
      is_success = true, replay_storage = ${storageId}
    where id = ${sessionId} and is_finished and awaits_holder`.execute(tx);
  if (rowCount === 0) return false;
  await notifySessionsChanged(tx, [sessionId]);
  return true;
}

/**
 * Marks the recording of a session as discarded, in the row and in the chain. Verification then
 * does not miss it.
 */
export async function recordingDiscarded(db: Db, sessionId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await sql`update session set replay_state = 'none', has_replay = false
      where id = ${sessionId}`.execute(tx);
    await writeSessionDigest(tx, sessionId, { size: 0, sha256: DISCARDED });
  });
}
