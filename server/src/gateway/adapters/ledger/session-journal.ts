import type { GuestEvent } from '../../../features/sessions/index.ts';
import { sqlState, type Tx } from '../../../platform/db/database.ts';
import type { SideDatabase } from '../../../platform/db/side-database.ts';
import { sql } from '../../../platform/db/sql.ts';
import {
  type Destination,
  type Journal,
  type JournalOptions,
  openJournal,
} from '../../../platform/journal/journal.ts';
import { type SessionEntry, writeEntries } from './journal-entries.ts';

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
  const destination: Destination<SessionEntry> = {
    async take(segment, placed) {
      await side.within(TAKE_MS, (db) =>
        db.transaction(async (tx) => {
          const { rows } = await sql<{
            position: number;
          }>`select position from session_journal where segment = ${segment} for update`.execute(
            tx,
          );
          const position = rows[0]?.position ?? 0;
          const entries = placed.filter(({ end }) => end > position).map(({ entry }) => entry);
          await writeEntries(entries, { tx, holder, writeGuestEvent });
          const end = Math.max(position, placed.at(-1)?.end ?? 0);
          await sql`
            insert into session_journal (segment, holder, position)
              values (${segment}, ${holder}, ${end})
            on conflict (segment) do update set position = excluded.position`.execute(tx);
        }),
      );
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
