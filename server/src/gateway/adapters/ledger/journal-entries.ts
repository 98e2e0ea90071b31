import { type FtpEntry, writeFtpLog } from '../../../features/audits/index.ts';
import {
  begunSessions,
  isCounted,
  type SessionCommand,
  type SessionEnding,
  writeBegun,
  writeCommands,
  writeEnds,
} from '../../../features/sessions/index.ts';
import { type Db, sqlState, type Tx } from '../../../platform/db/database.ts';
import type { SideDatabase } from '../../../platform/db/side-database.ts';
import { type Sql, sql, writePrepared } from '../../../platform/db/sql.ts';
import { openJournal } from '../../../platform/journal/journal.ts';
import type {
  Destination,
  Journal,
  JournalOptions,
  Stored,
} from '../../../platform/journal/journal-types.ts';
import { lastOfEach, type PartEntry, writeParts } from '../files/part-entries.ts';
import {
  type EntryWriter,
  isDirect,
  type Other,
  type SessionEntry,
  writeOther,
} from './entry-kinds.ts';

/** Timeout of the database for one batch of the journal. */
const TAKE_MS = 15_000;
/**
 * PostgreSQL error classes that a retry cannot fix: data exceptions (22) and constraint violations
 * (23).
 */
const FINAL = /^2[23]/;

interface SessionJournalOptions
  extends EntryWriter,
    Pick<
      JournalOptions<SessionEntry>,
      'folder' | 'log' | 'create' | 'keep' | 'mostKept' | 'sealer'
    > {
  /** Separate connection: the pool may still wait for connections that died. */
  readonly side: SideDatabase;
  /** Returns the setting that keeps interrupted uploads. */
  readonly keepHours: () => number;
  /** Called with sessions whose ends have reached the database. */
  readonly onEnded: (sessions: readonly string[]) => void;
}

/** Opens the journal of session events. It buffers writes on disk and feeds the database. */
export function openSessionJournal({
  side,
  holder,
  writeGuestEvent,
  recordIfLost,
  keepHours,
  onEnded,
  ...options
}: SessionJournalOptions): Promise<Journal<SessionEntry>> {
  // The position after the last batch, while its answer is known.
  let reached: { readonly segment: string; readonly position: number } | undefined;
  const destination: Destination<SessionEntry> = {
    async take({ segment, from: start, to: after, entries: placed, isAgain }) {
      const last = reached?.segment === segment ? reached.position : undefined;
      reached = undefined;
      const end = await side.within(TAKE_MS, async (db) => {
        const all = sortEntries(
          placed.map(({ entry }) => entry),
          isAgain,
        );
        if (last === start && isOneStatement(all)) {
          await writeBatch(all, { segment, holder, from: start, to: after }, db);
          return after;
        }
        return db.transaction(async (tx) => {
          const from = last ?? (await storedPosition(segment, tx));
          if (from < start) throw new Error('the database is older than the journal');
          const left = placed.filter(({ end }) => end > from).map(({ entry }) => entry);
          const batch = sortEntries(left, isAgain);
          const to = Math.max(from, after);
          for (const entry of batch.others)
            await writeOther(entry, tx, { holder, writeGuestEvent, recordIfLost });
          if (batch.files.length > 0) await writeFtpLog(tx, batch.files);
          if (batch.parts.length > 0) await writeParts(tx, batch.parts, keepHours());
          await writeBatch(batch, { segment, holder, from, to }, tx);
          return to;
        });
      });
      reached = { segment, position: end };
      onEnded(placed.flatMap(({ entry }) => (entry.kind === 'end' ? [entry.session] : [])));
    },
    async stored(segments) {
      reached = undefined;
      return side.within(TAKE_MS, (db) => readStored(segments, db));
    },
    async adopt(positions) {
      reached = undefined;
      const rows = [...positions].map(([segment, position]) => ({ segment, position }));
      await side.within(TAKE_MS, (db) =>
        sql`insert into session_journal (segment, holder, position)
          select segment, ${holder}, position
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
            as r (segment text, position bigint)
          on conflict (segment) do update set position = excluded.position`.execute(db),
      );
    },
    forget: async (existing) => {
      await side.within(TAKE_MS, (db) =>
        sql`delete from session_journal where holder = ${holder} and segment <> all (${existing}::text[])`.execute(
          db,
        ),
      );
    },
    isFinal: (error) => error instanceof TypeError || FINAL.test(sqlState(error)?.code ?? ''),
  };
  return openJournal({ ...options, destination });
}

/** Reads how much of these segments the database has. @throws if it is a standby */
async function readStored(segments: readonly string[], db: Db): Promise<Stored> {
  const { rows } = await sql<{
    epoch: string;
    isStandby: boolean;
    positions: Readonly<Record<string, number>>;
  }>`
    select (select id from database_epoch)::text as epoch, pg_is_in_recovery() as "isStandby",
      coalesce((select jsonb_object_agg(segment, position) from session_journal
        where segment = any (${segments}::text[])), '{}') as positions`.execute(db);
  const [row] = rows;
  // A standby may be older than its primary, and takes nothing.
  if (!row || row.isStandby) throw new Error('the database is a standby');
  return { epoch: row.epoch, positions: new Map(Object.entries(row.positions)) };
}

/** Returns how much of a segment the database has, and locks its row. */
async function storedPosition(segment: string, tx: Tx): Promise<number> {
  const { rows } = await sql<{
    position: number;
  }>`select position from session_journal where segment = ${segment} for update`.execute(tx);
  return rows[0]?.position ?? 0;
}

/** A step of the stored position in a segment. */
interface Move {
  readonly segment: string;
  readonly holder: string;
  readonly from: number;
  readonly to: number;
}

/** Entries of a batch, by the statements that write them. */
interface Batch {
  /** Sessions that do not end in the batch. */
  readonly begun: readonly string[];
  readonly others: readonly Other[];
  readonly files: readonly FtpEntry[];
  readonly parts: readonly PartEntry[];
  readonly commands: readonly SessionCommand[];
  readonly ends: readonly SessionEnding[];
}

/**
 * Sorts the entries of a batch. All entries of one kind share a statement. The ends come last,
 * because the digest of a session covers its commands. Direct writes count only with `isAgain`.
 */
function sortEntries(entries: readonly SessionEntry[], isAgain: boolean): Batch {
  const begun = new Set<string>();
  const others: Other[] = [];
  const files: FtpEntry[] = [];
  const parts: PartEntry[] = [];
  const commands: SessionCommand[] = [];
  const ends = new Map<string, SessionEnding>();
  for (const entry of entries) {
    if (isDirect(entry)) {
      if (isAgain) others.push(entry);
    } else if (entry.kind === 'command') commands.push(entry);
    else if (entry.kind === 'part') parts.push(entry);
    else if (entry.kind === 'begun') begun.add(entry.session);
    else if (entry.kind === 'file')
      files.push({ ...entry.entry, date: new Date(entry.entry.date) });
    else if (entry.kind !== 'end') others.push(entry);
    else {
      const { session, end } = entry;
      ends.set(session, { session, end: { ...end, dateEnd: new Date(end.dateEnd) } });
    }
  }
  return {
    begun: [...begun].filter((session) => !ends.has(session)),
    others,
    files,
    parts: lastOfEach(parts),
    commands,
    ends: [...ends.values()],
  };
}

/** A session whose recording starts and which has commands takes two statements. */
function isOneStatement({ others, files, parts, ...batch }: Batch): boolean {
  if (others.length + files.length + parts.length > 0) return false;
  const begun = new Set(batch.begun);
  return !batch.commands.some(({ session }) => begun.has(session));
}

/**
 * Writes a batch except for its files and its other entries. The last statement moves the position.
 */
async function writeBatch(batch: Batch, move: Move, db: Db): Promise<void> {
  const { begun, commands, ends } = batch;
  const { holder } = move;
  const movedBy = sql`moved as (${moving(move)} returning 1)`;
  const counted = sql`moved`;
  const isSeparate = begun.length > 0 && !isOneStatement(batch);
  if (isSeparate) await writeBegun(begun, false, db);
  const rest = { others: sql`${movedBy},`, counted };
  const all =
    isSeparate || begun.length === 0
      ? rest
      : {
          others: sql`${movedBy}, ${begunSessions(begun, false, isCounted({ counted }))},`,
          counted,
        };
  const moved =
    ends.length > 0
      ? await writeEnds(ends, db, all, commands.length > 0 ? { commands, holder } : undefined)
      : commands.length > 0
        ? await writeCommands(commands, holder, db, all)
        : begun.length > 0 && !isSeparate
          ? await writeBegun(begun, false, db, rest)
          : await writePrepared(moving(move), db);
  if (moved === 0) throw new Error('the journal has another position in the database');
}

/** Moves the stored position, if it is the expected one. An older database may lack the segment. */
const moving = ({ segment, holder, from, to }: Move): Sql => sql`
  insert into session_journal as stored (segment, holder, position)
    select ${segment}, ${holder}, ${to}
    where ${from}::bigint = 0 or exists (select from session_journal where segment = ${segment})
  on conflict (segment) do update set position = excluded.position
    where stored.position = ${from}`;
