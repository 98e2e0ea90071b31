import type { Language } from '@sallyport/contract';
import type pg from 'pg';
import { defineModule } from '../../module.ts';
import { audits } from '../audits/index.ts';
import { connections } from '../connections/index.ts';
import { servers } from '../servers/index.ts';
import { settings } from '../settings/index.ts';
import { tickets } from '../tickets/index.ts';
import { sessionAttention } from './attention.ts';
import { checkSessions } from './check-sessions.ts';
import { commandHooks, sessionHooks, snippetHooks } from './hooks.ts';
import { locksOf, mountInterventions } from './interventions.ts';
import { mountInvitations } from './invitations/routes.ts';
import { InvitationService } from './invitations/service.ts';
import { pastStatements, type StatementOwner } from './past-statements.ts';
import { shareRecordings } from './recordings-elsewhere.ts';
import { repairDigests } from './repair.ts';
import { mountCommandReport } from './report-routes.ts';
import { mountTerminalRoutes } from './routes.ts';
import { mountScreenSearch } from './screen-routes.ts';
import { createSecondPersons } from './second-persons.ts';
import { createCommandIndexes } from './stored-commands/storages.ts';
import { createStoredCommands } from './stored-commands/texts.ts';
import { mountTimeline } from './timeline-routes.ts';
import { createUndoScripts, mountUndoScripts } from './undo-scripts.ts';

export { checkSessions } from './check-sessions.ts';
export { type SessionCommand, writeCommands } from './command-rows.ts';
export {
  countImportedCommands,
  type ImportedCommand,
  type ImportedSession,
  type ImportedWithoutReplay,
  importedWithoutReplay,
  markImportedReplay,
  storeImportedCommands,
  storeImportedSessions,
} from './imported-sessions.ts';
export { INTERVENTIONS_CHANNEL, type LockedSession } from './interventions.ts';
export type { GuestEvent } from './invitations/requests.ts';
export { GUESTS_CHANNEL, type InvitationService } from './invitations/service.ts';
export {
  type BegunSession,
  createOpeningRows,
  type OpeningCertificate,
  writeOpened,
} from './opening-rows.ts';
export { isCounted } from './other-writes.ts';
export { RecordingAway, type SharedRecordings, shareRecordings } from './recordings-elsewhere.ts';
export { countRepairs, readRepairs } from './repair.ts';
export {
  forgetScreens,
  indexScreens,
  leaveScreens,
  type UnindexedSession,
  unindexedSessions,
} from './screen-index.ts';

import { createHook } from '../../platform/hook.ts';

export { type PresenceEvent, writePresence } from './second-persons.ts';
export { evidenceOfSession, type SessionEvidence } from './session-digest.ts';
export {
  begunSessions,
  type EndedSession,
  type SessionEnding,
  writeBegun,
  writeEnds,
} from './session-ends.ts';
export { earlierCanaries, removeCanaries, removeFinishedSessions } from './session-removal.ts';
export {
  createSessionRows,
  type InterruptedSession,
  type RecoveredRows,
  recordingDiscarded,
  recordingMoved,
  recordingRestored,
  restoredText,
  type SessionRows,
  SIGNED_RESTORED,
  writeGap,
} from './store.ts';
export { moveCommands } from './stored-commands/mover.ts';
export {
  type CommandIndexes,
  commandStorageById,
  createCommandIndexes,
  hostsIn,
  storagesToTry,
} from './stored-commands/storages.ts';
export { createStoredCommands } from './stored-commands/texts.ts';

/** Interval between checks for expired invitations. */
const OVERDUE_MILLISECONDS = 15_000;

/** Terminal sessions, their commands and recordings. */
export const sessions = defineModule({
  name: 'sessions',
  tables: [
    'session',
    'command',
    'command_removal',
    'snippet',
    'session_digest',
    'session_repair',
    'session_repair_pending',
    'session_invitation',
    'session_presence',
    'screen_index',
    'screen_text',
    'undo_script',
  ],
  async create({ core: { db, bus, recordings, vault, log, isCommand = false }, use }) {
    const stored = createStoredCommands({ db, indexes: createCommandIndexes(vault), log });
    const shared = shareRecordings(recordings, use(servers));
    use(audits).verifier.compareSessions((until) =>
      checkSessions({ db, recordings: shared, stored, vault }, until),
    );
    // Further processes of the server start later.
    if (use(servers).processes.isFirst && !isCommand)
      await repairDigests({ db, vault, audit: use(audits).write, log });
    const inForce = use(settings);
    const replayOpened = createHook(
      'the listener of opened recordings',
      async (_sessionId: string, _userId: string) => {},
    );
    const undoScripts = createUndoScripts({ db, vault });
    const invitations = new InvitationService({
      db,
      bus,
      audit: use(audits).write,
      isAllowed: () => inForce.get('TERMINAL_SESSION_INVITATIONS'),
      refusalOf: use(connections).refusalOf,
    });
    return {
      service: {
        invitations,
        /** Finds the reviewers who may watch as second persons. */
        secondPersons: createSecondPersons({
          db,
          tellUsers: use(tickets).tellUsers,
          language: () => inForce.get('SERVER_LANGUAGE'),
        }),
        /** The locks of the sessions among `ids`. */
        locks: (ids: readonly string[]) => locksOf(ids, db),
        /** Recordings of all servers. */
        recordings: shared,
        undoScripts,
        /** Sets the listener of opened recordings. */
        setReplayOpened: replayOpened.set,
        /** The statements that a user ran before with one account of one database. */
        pastStatements: (owner: StatementOwner, search: string, language: Language) =>
          pastStatements({ db, stored }, owner, search, language),
      },
      attention: sessionAttention,
      timers: [{ everyMilliseconds: OVERDUE_MILLISECONDS, run: () => invitations.endOverdue() }],
      hooks: { session: sessionHooks, command: commandHooks(stored), snippet: snippetHooks },
      routes({ http, engines, services: { audit } }) {
        mountTimeline(http, { db, engines, stored });
        mountInvitations(http, { engines, invitations });
        mountInterventions(http, { db, engines, audit });
        mountCommandReport(http, { engines });
        mountUndoScripts(http, { db, engines, audit, undoScripts });
        mountScreenSearch(http, { db, engines, settings: inForce });
        mountTerminalRoutes(http, {
          db,
          engines,
          audit,
          recordings: shared,
          replayOpened: replayOpened.call,
          terminate: (id, who, why) => bus.publish('terminate', JSON.stringify({ id, who, why })),
        });
      },
    };
  },
});

/** Assigns the sessions of one server to another, which now has its recordings. */
export async function moveSessions(
  client: Pick<pg.ClientBase, 'query'>,
  from: string,
  to: string,
): Promise<void> {
  await client.query(
    "update session set holder = $2 where regexp_replace(holder, '//[0-9]{1,2}$', '') = $1",
    [from, to],
  );
}
