import type { FtpEntry, KeptChange } from '../../../features/audits/index.ts';
import {
  type BegunSession,
  createOpeningRows,
  type EndedSession,
  type GuestEvent,
  type InterruptedSession,
  type OpeningCertificate,
  type PresenceEvent,
  type SessionCommand,
  writeBegun,
  writeGap,
  writeOpened,
  writePresence,
} from '../../../features/sessions/index.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { PartEntry } from '../files/part-entries.ts';

/**
 * An entry of the session journal. Later versions must read entries of this one; dates are in
 * milliseconds.
 */
export type SessionEntry =
  | ({ readonly kind: 'command' } & SessionCommand)
  /** The recording of a session without guests has started. */
  | { readonly kind: 'begun'; readonly session: string }
  | { readonly kind: 'end'; readonly session: string; readonly end: Dated<EndedSession, 'dateEnd'> }
  | {
      readonly kind: 'gap';
      readonly session: string;
      readonly gap: Dated<InterruptedSession, 'from' | 'to'>;
    }
  | {
      readonly kind: 'presence';
      readonly session: string;
      readonly event: Dated<PresenceEvent, 'date'>;
    }
  | { readonly kind: 'file'; readonly entry: Dated<FtpEntry & { readonly date: Date }, 'date'> }
  | { readonly kind: 'guest'; readonly event: DatedEvent }
  | PartEntry
  | Direct;

/**
 * A fact that the server has written into the database directly. Its entry is written again after a
 * failover only.
 */
type Direct =
  | { readonly kind: 'opened'; readonly session: Dated<BegunSession, 'dateStart'> }
  /** A change of a user. */
  | { readonly kind: 'change'; readonly change: KeptChange }
  | { readonly kind: 'begun_with_guests'; readonly session: string }
  | { readonly kind: 'old_algorithms'; readonly session: string; readonly names: readonly string[] }
  | {
      readonly kind: 'certificate';
      readonly session: string;
      readonly certificate: Dated<OpeningCertificate, 'validBefore'>;
    };

/** Returns true for an entry that the database received when it happened. */
export const isDirect = (entry: SessionEntry): entry is Direct =>
  ['opened', 'change', 'begun_with_guests', 'old_algorithms', 'certificate'].includes(entry.kind);

type Dated<Value, Dates extends keyof Value> = Omit<Value, Dates> & {
  readonly [Name in Dates]: number;
};
type DatedEvent = GuestEvent extends infer Event
  ? Event extends GuestEvent
    ? Omit<Event, 'date'> & { readonly date: number }
    : never
  : never;

/** An entry that shares no statement with others. */
export type Other = Extract<SessionEntry, { readonly kind: 'gap' | 'guest' | 'presence' }> | Direct;

/** The process that writes entries, and its other writers. */
export interface EntryWriter {
  /** Id of this server. */
  readonly holder: string;
  readonly writeGuestEvent: (tx: Tx, event: GuestEvent) => Promise<void>;
  /** Records a change that the database lacks. */
  readonly recordIfLost: (change: KeptChange, tx: Tx) => Promise<void>;
}

/** Writes one entry. */
export async function writeOther(
  entry: Other,
  tx: Tx,
  { holder, writeGuestEvent, recordIfLost }: EntryWriter,
): Promise<void> {
  switch (entry.kind) {
    case 'change':
      return recordIfLost(entry.change, tx);
    case 'opened':
      return writeOpened(
        tx,
        { ...entry.session, dateStart: new Date(entry.session.dateStart) },
        holder,
        true,
      );
    case 'begun_with_guests':
      await writeBegun([entry.session], true, tx);
      return;
    case 'old_algorithms':
      return createOpeningRows(tx).setOldAlgorithms(entry.session, entry.names);
    case 'certificate':
      return createOpeningRows(tx).setCertificate(entry.session, {
        ...entry.certificate,
        validBefore: new Date(entry.certificate.validBefore),
      });
    case 'gap':
      return writeGap(tx, entry.session, {
        ...entry.gap,
        from: new Date(entry.gap.from),
        to: new Date(entry.gap.to),
      });
    case 'presence':
      return writePresence(tx, entry.session, {
        ...entry.event,
        date: new Date(entry.event.date),
      });
    case 'guest':
      return writeGuestEvent(tx, {
        ...entry.event,
        date: new Date(entry.event.date),
      } as GuestEvent);
  }
}
