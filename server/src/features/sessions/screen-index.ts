import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** A session whose recording waits to be indexed. */
export interface UnindexedSession {
  readonly id: string;
  readonly startedAt: Date;
  readonly holder: string | null;
}

/** Sessions that began earlier are not indexed: switching the search on must not read them all. */
export const INDEXED_DAYS = 7;
const AWAY_HOURS = 1;
const FORGOTTEN_AT_ONCE = 200;

/**
 * Returns sessions with a finished recording of a terminal that were never read, or whose server
 * was away an hour ago; with `sealed`, also encrypted ones that were left out. The newest first.
 */
export async function unindexedSessions(
  db: Db,
  { sealed, limit }: { readonly sealed: boolean; readonly limit: number },
): Promise<readonly UnindexedSession[]> {
  const { rows } = await sql<UnindexedSession>`
    select s.id, s.date_start as "startedAt", s.holder from session s
    where s.date_start > now() - make_interval(days => ${INDEXED_DAYS})
      and s.is_finished and not s.is_canary and s.replay_state in ('finished', 'recovered')
      and s.protocol not in ('rdp', 'vnc')
      and not exists (select from screen_index i where i.session = s.id and not (
        i.problem = 'away' and i.date_indexed < now() - make_interval(hours => ${AWAY_HOURS})
        or i.problem = 'sealed' and ${sealed}))
    order by s.date_start desc limit ${limit}`.execute(db);
  return rows;
}

/** A line with the millisecond of the recording at which it was first visible. */
export interface IndexedLine {
  readonly at: number;
  readonly text: string;
}

/** Characters of a row: large enough for the compression of PostgreSQL, small enough to compare. */
const BLOCK = 8_000;
const ASCII = /[^\u{80}-\u{10ffff}]+/u;

interface Block {
  readonly lines: string[];
  readonly moments: number[];
}

function* blocksOf(lines: readonly IndexedLine[]): Generator<Block, void> {
  let block: Block = { lines: [], moments: [] };
  let chars = 0;
  for (const { at, text } of lines) {
    block.lines.push(text);
    block.moments.push(at);
    chars += text.length + 1;
    if (chars < BLOCK) continue;
    yield block;
    [block, chars] = [{ lines: [], moments: [] }, 0];
  }
  if (chars > 0) yield block;
}

/** Returns the runs of characters outside of ASCII, in lower case. */
export const wideRuns = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(ASCII)
    .filter((run) => [...run].length > 1);

export interface IndexedText {
  /** True if the recording is encrypted. */
  readonly isSealed: boolean;
  readonly lines: readonly IndexedLine[];
  readonly isWhole: boolean;
}

/** Stores the text of a session. Does nothing if retention has deleted the session. */
export async function indexScreens(
  db: Db,
  { id }: UnindexedSession,
  { lines, isWhole, isSealed }: IndexedText,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { rows } = await sql<{ start: Date }>`
      select date_start as start from session where id = ${id} for key share`.execute(tx);
    const [session] = rows;
    if (!session) return;
    await sql`delete from screen_text where session = ${id}`.execute(tx);
    let number = 0;
    for (const block of blocksOf(lines)) {
      const text = block.lines.join('\n');
      const wide = [...new Set(wideRuns(text))].join(' ');
      await sql`insert into screen_text (session, number, date_start, text, moments, wide)
        values (${id}, ${number}, ${session.start}, ${text}, ${block.moments}::integer[],
          ${wide})`.execute(tx);
      number += 1;
    }
    await sql`insert into screen_index (session, lines, is_whole, is_sealed)
      values (${id}, ${lines.length}, ${isWhole}, ${isSealed})
      on conflict (session) do update set date_indexed = now(), lines = excluded.lines,
        is_whole = excluded.is_whole, is_sealed = excluded.is_sealed, problem = ''`.execute(tx);
  });
}

/** Records that the recording of a session was not read. */
export async function leaveScreens(
  db: Db,
  { id }: UnindexedSession,
  problem: 'away' | 'sealed' | 'missing' | 'unreadable',
): Promise<void> {
  await sql`insert into screen_index (session, is_whole, problem)
    select id, false, ${problem} from session where id = ${id}
    on conflict (session) do update set date_indexed = now(),
      problem = excluded.problem`.execute(db);
}

/** Deletes the text of encrypted recordings, or of all; a batch of sessions at a time. */
export async function forgetScreens(db: Db, which: 'sealed' | 'all'): Promise<void> {
  for (;;) {
    const { rowCount } = await sql`
      with gone as (
        delete from screen_index where session in (select session from screen_index
          where is_sealed or ${which === 'all'} limit ${FORGOTTEN_AT_ONCE}) returning session)
      , texts as (delete from screen_text where session in (select session from gone))
      select from gone`.execute(db);
    if (rowCount < FORGOTTEN_AT_ONCE) return;
  }
}
