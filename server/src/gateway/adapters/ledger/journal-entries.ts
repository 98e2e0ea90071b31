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
import type { Tx } from '../../../platform/db/database.ts';

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
export async function writeEntries(
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
