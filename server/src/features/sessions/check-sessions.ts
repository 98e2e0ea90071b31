import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { sealProblemOf } from '../../platform/storage/recordings.ts';
import {
  type BrokenSession,
  isUnread,
  type SessionProblem,
  type SessionsVerdict,
} from '../audits/index.ts';
import { checkRestored } from './check-restored.ts';
import { checkStoredCommands, isSameWithTexts } from './check-stored-commands.ts';
import type { SharedRecordings } from './recordings-elsewhere.ts';
import { readRepairs } from './repair.ts';
import { DISCARDED, factsSha256, NEWEST, UNRECORDED } from './session-digest.ts';
import type { StoredCommands } from './stored-commands/texts.ts';

/** Rows compared per query. */
const BATCH = 200;
/** Maximum number of broken sessions that a verdict names. All are counted. */
const MOST_NAMED = 100;

interface Digested {
  readonly sequence: number;
  readonly session: string;
  readonly start: Date | null;
  readonly holder: string | null;
  readonly size: number | null;
  readonly sha256: string | null;
  /** The version of the formula. Null in rows from before the column existed. */
  readonly version: number | null;
  readonly facts: string;
  readonly isThere: boolean;
  /** True if the rows of the session and its commands match `facts`. */
  readonly isSame: boolean;
}

/**
 * Verifies ended sessions, their commands and recordings against their digests, newest first.
 * Starts no further recording after `until` (milliseconds since 1970).
 */
export async function checkSessions(
  {
    db,
    recordings,
    stored,
    vault,
  }: {
    readonly db: Db;
    readonly recordings: Pick<SharedRecordings, 'digestOf'>;
    readonly stored: Pick<StoredCommands, 'texts'>;
    readonly vault: Pick<Vault, 'isSignature'>;
  },
  until = Number.POSITIVE_INFINITY,
): Promise<SessionsVerdict> {
  const rows = await sql<{ count: number }>`select count(*) from session_digest`.execute(db);
  const repairs = new Set([...(await readRepairs(db, vault)).values()].flat());
  const broken: BrokenSession[] = [];
  let [checked, wrong, unread] = [0, 0, 0];
  const report = (session: string, problem: SessionProblem) => {
    wrong += 1;
    if (isUnread(problem)) unread += 1;
    if (broken.length < MOST_NAMED) broken.push({ session, problem });
  };
  const verdict = (rows: number): SessionsVerdict => ({
    rows,
    checked,
    repaired: repairs.size,
    wrong,
    unread,
    broken,
  });
  for (const { session, problem } of await checkRestored({ db, recordings, vault })) {
    checked += 1;
    if (problem) report(session, problem);
  }
  const hasDigest = async ({ sequence }: Digested) =>
    (await sql`select 1 from session_digest where sequence = ${sequence}`.execute(db)).rows.length >
    0;
  const problemOf = async (row: Digested): Promise<SessionProblem | undefined> => {
    if (!row.isThere || !row.start) return 'session_missing';
    const commands = await checkStoredCommands(db, stored, row.session);
    if (commands.problem) return commands.problem;
    const isSame =
      row.isSame ||
      repairs.has(row.sequence) ||
      (commands.amount > 0 && (await isSameWithTexts(db, stored, row)));
    if (!isSame) return 'session_changed';
    if (row.sha256 === null) return undefined;
    const file = await recordings
      .digestOf({ id: row.session, startedAt: row.start, holder: row.holder })
      .catch((error: unknown) => sealProblemOf(error) ?? 'unreadable');
    if (file === 'damaged') return 'recording_changed';
    if (file === 'unreadable' || file === 'locked') return 'recording_unreadable';
    if (file)
      return file.sha256 === row.sha256 && file.size === row.size ? undefined : 'recording_changed';
    // Retention may have removed the recording and its digest during the check.
    return (await hasDigest(row)) ? 'recording_missing' : undefined;
  };
  for (let before: number | undefined; ; ) {
    const batch = await batchOf(db, before);
    for (const row of batch) {
      if (Date.now() >= until) return verdict(rows.rows[0]?.count ?? 0);
      const problem = await problemOf(row);
      if (problem) report(row.session, problem);
      checked += 1;
    }
    const last = batch.at(-1);
    if (!last || batch.length < BATCH) return verdict(Math.max(checked, rows.rows[0]?.count ?? 0));
    before = last.sequence;
  }
}

/**
 * Reads one batch of digests with their sessions. A session has two digests if its recording was
 * recovered later.
 */
async function batchOf(db: Db, before: number | undefined): Promise<readonly Digested[]> {
  const unrecorded = sql.join(UNRECORDED.map((version) => factsSha256(version)));
  const { rows } = await sql<Digested>`
    select d.sequence, d.session, d.version, d.facts_sha256 as facts, s.date_start as start,
      s.holder, d.recording_size as size,
      case when exists (select 1 from session_digest x where x.session = d.session
        and x.recording_sha256 = ${DISCARDED}) then null else d.recording_sha256 end as sha256,
      s.id is not null as "isThere",
      s.id is not null and case when d.version is null then d.facts_sha256 in (${unrecorded})
        when d.version = ${NEWEST} then d.facts_sha256 = ${factsSha256(NEWEST)} else false end
          as "isSame"
    from session_digest d left join session s on s.id = d.session
    where ${before === undefined ? sql`true` : sql`d.sequence < ${before}`} order by d.sequence desc
      limit ${BATCH}`.execute(db);
  return rows;
}
