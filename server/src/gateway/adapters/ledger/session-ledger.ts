import {
  type BegunSession,
  createSessionRows,
  type RecoveredRows,
  type SessionRows,
  writePresence,
} from '../../../features/sessions/index.ts';
import { databaseClock, SessionTimes } from '../../../platform/clock.ts';
import { type Db, transact } from '../../../platform/db/database.ts';
import type { Journal } from '../../../platform/journal/journal-types.ts';
import { targetOf } from '../../ports/grant.ts';
import type { KeptUploads } from '../../ports/kept-uploads.ts';
import type { Invitations } from '../../ports/people.ts';
import type { FileLog, NewSession, SessionEnd, SessionStore } from '../../ports/records.ts';
import type { GatewayLog, GatewayPorts } from '../../ports.ts';
import { ftpEntryOf } from '../files/file-log.ts';
import { createPartNotes } from '../files/part-entries.ts';
import type { SessionEntry } from './entry-kinds.ts';

type Rows = ReturnType<typeof createSessionStore>;

interface LedgerOptions {
  readonly rows: Rows;
  readonly journal: Journal<SessionEntry>;
  readonly open: Set<string>;
  readonly find: Invitations['find'];
  readonly log: GatewayLog;
}

/**
 * Records sessions: the start goes to the database, all later events to the journal. Sessions
 * survive a database outage.
 */
export interface Ledger extends Pick<GatewayPorts, 'fileLog'> {
  readonly sessions: SessionStore;
  readonly fileLog: FileLog;
  readonly invitations: Invitations;
  readonly partNotes: Pick<KeptUploads, 'began' | 'ended'>;
  /** Settles when the database has the entries so far, or cannot take them now. */
  settled(): Promise<unknown>;
  /** Returns true if the journal covers a failover for as long as the setting says. */
  keepsAll(): boolean;
  /** Retries the session ends that could not be written to disk. */
  writeLeftEnds(): Promise<void>;
}

/**
 * `open` holds sessions of this process whose ends are not in the database yet; the journal removes
 * them.
 */
export function createLedger({ rows, journal, open, find, log }: LedgerOptions): Ledger {
  const left = new Map<string, SessionEnd>();
  // The database has the fact. If the journal cannot take it, its next entry reports that.
  const keep = (entry: SessionEntry) => void journal.append(entry).catch(() => undefined);
  const times = new SessionTimes();
  const guest = (event: Extract<SessionEntry, { kind: 'guest' }>['event']) =>
    journal.append({ kind: 'guest', event });
  const writeLeft = async (id: string, end: SessionEnd) => {
    // The digest of a session covers its commands: write them first.
    if (!(await journal.settled())) throw new Error('the database does not answer');
    await rows.finish(id, end);
    left.delete(id);
    times.end(id);
    open.delete(id);
  };
  return {
    settled: () => journal.settled(),
    keepsAll: () => journal.keepsAll(),
    sessions: {
      ...rows,
      async create(session) {
        open.add(session.id);
        times.begin(session.id, session.dateStart);
        try {
          await rows.create(session);
          const { dateStart, ...facts } = rows.factsOf(session);
          keep({ kind: 'opened', session: { ...facts, dateStart: dateStart.getTime() } });
        } catch (error) {
          // The row may exist if only the answer was lost; the next search for dead rows closes it.
          open.delete(session.id);
          times.end(session.id);
          throw error;
        }
      },
      // Guests may come at once, and are invited by the row.
      async begun(session, takesGuests) {
        if (!takesGuests) return journal.append({ kind: 'begun', session });
        await rows.begun(session, true);
        keep({ kind: 'begun_with_guests', session });
      },
      async setOldAlgorithms(session, names) {
        await rows.setOldAlgorithms(session, names);
        keep({ kind: 'old_algorithms', session, names });
      },
      async setCertificate(session, certificate) {
        await rows.setCertificate(session, certificate);
        const { validBefore, ...facts } = certificate;
        keep({
          kind: 'certificate',
          session,
          certificate: { ...facts, validBefore: validBefore.getTime() },
        });
      },
      addCommands(session, commands) {
        const written = commands.map((command) =>
          journal.append({ kind: 'command', session, command }),
        );
        const [only] = written;
        return written.length === 1 && only ? only : Promise.all(written).then(() => undefined);
      },
      addGap(session, gap) {
        const to = times.of(session, gap.to);
        const from = Math.min(gap.from.getTime(), to);
        return journal.append({ kind: 'gap', session, gap: { ...gap, from, to } });
      },
      addPresence: (session, event) =>
        journal.append({
          kind: 'presence',
          session,
          event: { ...event, date: times.of(session, event.date) },
        }),
      async finish(id, ended) {
        const end = { ...ended, dateEnd: new Date(times.of(id, ended.dateEnd)) };
        try {
          await journal.append({
            kind: 'end',
            session: id,
            end: { ...end, dateEnd: end.dateEnd.getTime() },
          });
          left.delete(id);
          times.end(id);
          // The ends of brief sessions share a delivery.
          await journal.settled(true);
        } catch (error) {
          log.error(
            { session: id, err: error },
            'the end of a session could not be written into the journal',
          );
          left.set(id, end);
          await writeLeft(id, end);
        }
      },
      async unfinished(isStart) {
        // A database that went back has open rows of sessions whose ends come again.
        if (!(await journal.recheck())) throw new Error('the database does not answer');
        // Sessions may begin or end during the query.
        const before = new Set(open);
        return (await rows.unfinished(isStart)).filter(
          ({ id }) => !before.has(id) && !open.has(id),
        );
      },
    },
    fileLog: {
      write: (session, record) => {
        const { date, ...entry } = ftpEntryOf(session, record);
        return journal.append({
          kind: 'file',
          entry: { ...entry, date: times.of(session.id, date) },
        });
      },
    },
    invitations: {
      find,
      joined: (invitation, remoteAddr) =>
        guest({ what: 'joined', invitation, remoteAddr, date: databaseClock.now() }),
      left: (invitation) => guest({ what: 'left', invitation, date: databaseClock.now() }),
      end: (invitation, reason) =>
        guest({ what: 'ended', invitation, reason, date: databaseClock.now() }),
      sessionEnded: (session) => guest({ what: 'over', session, date: databaseClock.now() }),
    },
    partNotes: createPartNotes(keep),
    async writeLeftEnds() {
      for (const [id, end] of [...left]) await writeLeft(id, end);
    },
  };
}

/** The process whose sessions a ledger records. */
export interface Holder extends RecoveredRows {
  readonly id: string;
}

/**
 * Creates the store of session rows for the process `id`. With `isCanary`, rows are marked as
 * self-tests.
 */
export function createSessionStore(
  db: Db,
  { id, ...recovered }: Holder,
  isCanary = false,
): SessionStore &
  Pick<SessionRows, 'holderOf' | 'interruptOrphans'> & {
    factsOf(session: NewSession): BegunSession;
  } {
  const rows = createSessionRows(db, id, recovered);
  const factsOf = ({
    id,
    kind,
    person,
    grant,
    account,
    secondFactor = 'none',
    dateStart,
  }: NewSession): BegunSession => {
    const target = targetOf(grant);
    return {
      id,
      organizationId: grant.asset.orgId,
      user: person.display,
      asset: target.name,
      // VNC desktops with a password only have no account name.
      systemUser: account ? `${grant.systemUser.name}(${account})` : grant.systemUser.name,
      userId: person.userId,
      assetId: target.id,
      ...(kind && { kind }),
      targetKind: target.kind,
      systemUserId: grant.systemUser.id,
      loginFrom: person.loginFrom,
      remoteAddress: person.remoteAddr,
      protocol: grant.systemUser.protocol,
      secondFactor,
      dateStart,
      isCanary,
    };
  };
  return {
    ...rows,
    addPresence: (session, event) => transact(db, (tx) => writePresence(tx, session, event)),
    create: (session) => rows.create(factsOf(session)),
    factsOf,
  };
}
