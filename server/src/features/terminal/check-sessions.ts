import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { BrokenSession, SessionProblem, SessionsVerdict } from '../audits/sessions-verdict.ts';
import type { SharedRecordings } from './recordings-elsewhere.ts';
import { commandSha256, DISCARDED, FACTS_SHA256 } from './session-digest.ts';
import type { StoredCommands } from './stored-commands/texts.ts';

/** Rows that are compared in one query. */
const BATCH = 200;
/** Commands of a session that are read from their storage at once. */
const STORED_BATCH = 500;
/** Sessions that an answer names; all are counted. */
const MOST_NAMED = 100;

interface Digested {
  readonly sequence: number;
  readonly session: string;
  readonly start: Date | null;
  readonly holder: string | null;
  readonly size: number | null;
  readonly sha256: string | null;
  /** Whether the row of the session is there, and is as it was. */
  readonly isThere: boolean;
  readonly isSame: boolean;
}

/**
 * Compares sessions, their commands and their recordings with what was written down when they ended; the newest first. Begins no further recording after
 * `until` (milliseconds since 1970).
 */
export async function checkSessions(
  { db, recordings, stored }: { readonly db: Db; readonly recordings: Pick<SharedRecordings, 'digestOf'>; readonly stored: Pick<StoredCommands, 'texts'> },
  until = Number.POSITIVE_INFINITY,
): Promise<SessionsVerdict> {
  const rows = await sql<{ count: number }>`select count(*) from session_digest`.execute(db);
  const broken: BrokenSession[] = [];
  let [checked, wrong] = [0, 0];
  const found = (session: string, problem: SessionProblem) => {
    wrong += 1;
    if (broken.length < MOST_NAMED) broken.push({ session, problem });
  };
  const stillThere = async ({ sequence }: Digested) => (await sql`select 1 from session_digest where sequence = ${sequence}`.execute(db)).rows.length > 0;
  const problemOf = async (row: Digested): Promise<SessionProblem | undefined> => {
    if (!row.isThere || !row.start) return 'session_missing';
    if (!row.isSame) return 'session_changed';
    const commands = await storedProblem(db, stored, row.session);
    if (commands || row.sha256 === null) return commands;
    const file = await recordings.digestOf({ id: row.session, startedAt: row.start, holder: row.holder }).catch(() => 'unreadable' as const);
    if (file === 'unreadable') return 'recording_unreadable';
    if (file) return file.sha256 === row.sha256 && file.size === row.size ? undefined : 'recording_changed';
    // Retention may have removed both in the meantime.
    return (await stillThere(row)) ? 'recording_missing' : undefined;
  };
  for (let before: number | undefined; ; ) {
    const batch = await batchOf(db, before);
    for (const row of batch) {
      if (Date.now() >= until) return { rows: rows.rows[0]?.count ?? 0, checked, wrong, broken };
      const problem = await problemOf(row);
      if (problem) found(row.session, problem);
      checked += 1;
    }
    const last = batch.at(-1);
    if (!last || batch.length < BATCH) return { rows: Math.max(checked, rows.rows[0]?.count ?? 0), checked, wrong, broken };
    before = last.sequence;
  }
}

/**
 * Whether the commands of a session that are in a storage are as they were. Their digests are part of that of the session; the texts that the storage
 * gives must have the same.
 */
async function storedProblem(db: Db, stored: Pick<StoredCommands, 'texts'>, session: string): Promise<SessionProblem | undefined> {
  for (let after = -1; ; ) {
    const { rows } = await sql<{ id: string; sequence: number }>`
      select id, sequence from command where session = ${session} and stored_in is not null and sequence > ${after} order by sequence limit ${STORED_BATCH}`.execute(
      db,
    );
    const last = rows.at(-1);
    if (!last) return undefined;
    const ids = rows.map(({ id }) => id);
    const texts = await stored.texts(ids, 'en', db);
    const read = ids.map((id) => ({ id, ...(texts.get(id) ?? { input: '', output: '' }) }));
    if (read.some(({ id }) => texts.get(id)?.problem === 'away')) return 'commands_unreadable';
    const wrong = await sql`
      select from command c left join jsonb_to_recordset(${JSON.stringify(read)}::jsonb) as x (id uuid, input text, output text) on x.id = c.id
      where c.id = any(${ids}::uuid[]) and c.sha256 is distinct from ${commandSha256(sql`x.input`, sql`x.output`)} limit 1`.execute(db);
    // Retention may have removed both in the meantime; then no row is left to compare.
    if (wrong.rows.length > 0) return 'session_changed';
    after = last.sequence;
  }
}

/** One snapshot of rows with what they are about. A session may have been written down twice, when its recording was recovered later. */
async function batchOf(db: Db, before: number | undefined): Promise<readonly Digested[]> {
  const { rows } = await sql<Digested>`
    select d.sequence, d.session, s.date_start as start, s.holder, d.recording_size as size, 
      case when exists (select 1 from session_digest x where x.session = d.session and x.recording_sha256 = ${DISCARDED}) then null else d.recording_sha256 end as sha256,
      s.id is not null as "isThere", coalesce(d.facts_sha256 = ${FACTS_SHA256}, false) as "isSame"
    from session_digest d left join session s on s.id = d.session
    where ${before === undefined ? sql`true` : sql`d.sequence < ${before}`} order by d.sequence desc limit ${BATCH}`.execute(db);
  return rows;
}
