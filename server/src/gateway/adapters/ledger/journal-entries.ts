import { type FtpEntry, writeFtpLog } from '../../../features/audits/index.ts';
import {
  type EndedSession,
  type GuestEvent,
  type InterruptedSession,
  type SessionCommand,
  writeCommands,
  writeEnd,
  writeGap,
} from '../../../features/sessions/index.ts';
import { sqlState, type Tx } from '../../../platform/db/database.ts';
import { writePrepared } from '../../../platform/db/prepared.ts';
import type { SideDatabase } from '../../../platform/db/side-database.ts';
import { sql } from '../../../platform/db/sql.ts';
import {
  type Destination,
  type Journal,
  type JournalOptions,
  openJournal,
} from '../../../platform/journal/journal.ts';

/** Timeout of the database for one batch of the journal. */
const TAKE_MS = 15_000;
/**
 * PostgreSQL error classes that a retry cannot fix: data exceptions (22) and constraint violations
 * (23).
 */
const FINAL = /^2[23]/;

interface SessionJournalOptions
  extends Pick<JournalOptions<SessionEntry>, 'folder' | 'log' | 'create'> {
  /** Separate connection: the pool may still wait for connections that died. */
  readonly side: SideDatabase;
  /** Id of this server. */
  readonly holder: string;
  readonly writeGuestEvent: (tx: Tx, event: GuestEvent) => Promise<void>;
  /** Called with sessions whose ends have reached the database. */
  readonly onEnded: (sessions: readonly string[]) => void;
}

/** Opens the journal of session events. It buffers writes on disk and feeds the database. */
export function openSessionJournal({
  side,
  holder,
  writeGuestEvent,
  onEnded,
  ...options
}: SessionJournalOptions): Promise<Journal<SessionEntry>> {
  // The position after the last batch, while its answer is known.
  let reached: { readonly segment: string; readonly position: number } | undefined;
  const destination: Destination<SessionEntry> = {
    async take(segment, placed) {
      const last = reached?.segment === segment ? reached.position : undefined;
      reached = undefined;
      const end = await side.within(TAKE_MS, (db) =>
        db.transaction(async (tx) => {
          const position = last ?? (await storedPosition(segment, tx));
          const entries = placed.filter(({ end }) => end > position).map(({ entry }) => entry);
          await writeEntries(entries, { tx, holder, writeGuestEvent });
          const end = Math.max(position, placed.at(-1)?.end ?? 0);
          const query = sql`
            insert into session_journal as stored (segment, holder, position)
              values (${segment}, ${holder}, ${end})
            on conflict (segment) do update set position = excluded.position
              where stored.position = ${position}`;
          if ((await writePrepared(query, tx)) === 0)
            throw new Error('the journal has another position in the database');
          return end;
        }),
      );
      reached = { segment, position: end };
      onEnded(placed.flatMap(({ entry }) => (entry.kind === 'end' ? [entry.session] : [])));
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

/** Returns how much of a segment the database has, and locks its row. */
async function storedPosition(segment: string, tx: Tx): Promise<number> {
  const { rows } = await sql<{
    position: number;
  }>`select position from session_journal where segment = ${segment} for update`.execute(tx);
  return rows[0]?.position ?? 0;
}

/**
 * An entry of the session journal. Later versions must read entries of this one; dates are in
 * milliseconds.
 */
export type SessionEntry =
  | ({ readonly kind: 'command' } & SessionCommand)
  | { readonly kind: 'end'; readonly session: string; readonly end: Dated<EndedSession, 'dateEnd'> }
  | {
      readonly kind: 'gap';
      readonly session: string;
      readonly gap: Dated<InterruptedSession, 'from' | 'to'>;
    }
  | { readonly kind: 'file'; readonly entry: Dated<FtpEntry & { readonly date: Date }, 'date'> }
  | { readonly kind: 'guest'; readonly event: DatedEvent };

type Dated<Value, Dates extends keyof Value> = Omit<Value, Dates> & {
  readonly [Name in Dates]: number;
};
type DatedEvent = GuestEvent extends infer Event
  ? Event extends GuestEvent
    ? Omit<Event, 'date'> & { readonly date: number }
    : never
  : never;

export interface EntryContext {
  readonly tx: Tx;
  /** Id of this server. */
  readonly holder: string;
  readonly writeGuestEvent: (tx: Tx, event: GuestEvent) => Promise<void>;
}

/** Writes entries in order; adjacent commands share one statement. */
async function writeEntries(
  entries: readonly SessionEntry[],
  context: EntryContext,
): Promise<void> {
  let commands: SessionCommand[] = [];
  const flush = async () => {
    await writeCommands(context.tx, context.holder, commands);
    commands = [];
  };
  for (const entry of entries) {
    if (entry.kind === 'command') commands.push(entry);
    else {
      await flush();
      await writeOne(entry, context);
    }
  }
  await flush();
}

async function writeOne(
  entry: Exclude<SessionEntry, { readonly kind: 'command' }>,
  { tx, writeGuestEvent }: EntryContext,
): Promise<void> {
  switch (entry.kind) {
    case 'end':
      return writeEnd(tx, entry.session, { ...entry.end, dateEnd: new Date(entry.end.dateEnd) });
    case 'gap':
      return writeGap(tx, entry.session, {
        ...entry.gap,
        from: new Date(entry.gap.from),
        to: new Date(entry.gap.to),
      });
    case 'file':
      return writeFtpLog(tx, { ...entry.entry, date: new Date(entry.entry.date) });
    case 'guest':
      return writeGuestEvent(tx, {
        ...entry.event,
        date: new Date(entry.event.date),
      } as GuestEvent);
  }
}
