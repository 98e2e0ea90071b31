import { connections } from '../../features/connections/index.ts';
import { servers } from '../../features/servers/index.ts';
import { sessions } from '../../features/sessions/index.ts';
import { settings } from '../../features/settings/index.ts';
import { storages } from '../../features/storages/index.ts';
import { tickets } from '../../features/tickets/index.ts';
import type { ModuleContext } from '../../module.ts';
import { answers, type SideDatabase } from '../../platform/db/side-database.ts';
import { lacksDescriptors } from '../../platform/descriptors.ts';
import { patternProblem, patternTest } from '../../platform/pattern.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { RECORDING_BURST } from '../limits.ts';
import type { GatewayPorts, LimitValues } from '../ports.ts';
import { createElsewhere } from './elsewhere.ts';
import { createKeptUploads } from './files/kept-uploads.ts';
import type { OpenedLedger } from './ledger/open-ledger.ts';

const MEBIBYTE = 1024 * 1024;
/** Timeout of one step on the way to a target. */
const CONNECT_SECONDS = 15;

/** Returns the current limits of sessions. */
export const limitsOf = (settings: SettingsService): LimitValues => ({
  idleMinutes: settings.get('SECURITY_MAX_IDLE_TIME'),
  maximumHours: settings.get('SECURITY_MAX_SESSION_TIME'),
  connectSeconds: CONNECT_SECONDS,
  sessionsPerPerson: settings.get('SECURITY_MAX_SESSIONS'),
  keepSeconds: settings.get('SECURITY_SESSION_KEEP_TIME') * 60,
  outageSeconds: settings.get('SECURITY_SESSION_OUTAGE_TIME') * 60,
  recordingBytes: settings.get('TERMINAL_RECORDING_MAX_SIZE') * MEBIBYTE,
  recordingBytesPerSecond: settings.get('TERMINAL_RECORDING_MAX_RATE') * MEBIBYTE,
  recordingBurstBytes: RECORDING_BURST,
  diskReserveBytes: settings.get('TERMINAL_RECORDING_DISK_RESERVE') * MEBIBYTE,
  driveBytes: settings.get('TERMINAL_DESKTOP_DRIVE_SIZE') * MEBIBYTE,
  recordsKeys: settings.get('TERMINAL_RECORDING_KEYS'),
  masksSecrets: settings.get('SECURITY_MASK_SECRETS'),
});

/** A full disk is noticed this late, in milliseconds. */
const DISK_MS = 1000;

/** Shares an answer for a moment. An error is not shared. */
function momentary<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let last: { readonly at: number; readonly answer: Promise<Value> } | undefined;
  return () => {
    if (last && performance.now() - last.at < DISK_MS) return last.answer;
    const answer = ask();
    last = { at: performance.now(), answer };
    answer.catch(() => {
      last = undefined;
    });
    return answer;
  };
}

/** Implements the ports of the gateway by the features. `probe` tests the database. */
export function createPorts(
  { core: { db, recordings, config }, use }: ModuleContext,
  ledger: OpenedLedger,
  probe: SideDatabase,
): GatewayPorts {
  const inForce = use(settings);
  const others = use(servers);
  const { undoScripts } = use(sessions);
  return {
    ...use(connections).ports,
    sessions: ledger.sessions,
    ...(!others.isAlone && { elsewhere: createElsewhere(ledger.rows, others) }),
    isAccepting: use(storages).isActive,
    fileLog: ledger.fileLog,
    limits: { read: async () => limitsOf(inForce) },
    isSignedIn: () => {
      const pattern = inForce.get('TERMINAL_TELNET_REGEX');
      // Patterns stored before validation existed may be invalid.
      return pattern === '' || patternProblem(pattern) ? undefined : patternTest(pattern);
    },
    invitations: ledger.invitations,
    holds: use(tickets).holds,
    approvals: use(tickets).approvals,
    secondPersons: use(sessions).secondPersons,
    async pastStatements({ person, grant }, search) {
      // A statement that was answered a moment ago may still be in the journal.
      await ledger.settled();
      return use(sessions).pastStatements(
        {
          organizationId: grant.asset.orgId,
          userId: person.userId,
          databaseId: grant.asset.id,
          systemUserId: grant.systemUser.id,
        },
        search,
        person.language,
      );
    },
    undoScripts: {
      ...undoScripts,
      add: (session, script) => undoScripts.add(session.id, script),
      read: (session, id) => undoScripts.read(session.id, id),
    },
    keptUploads: {
      ...createKeptUploads(db, () => inForce.get('TERMINAL_UPLOAD_KEEP_HOURS')),
      ...ledger.partNotes,
    },
    disk: {
      freeBytes: momentary(() => recordings.freeBytes()),
      isHanging: () => recordings.isHanging(),
      folder: config.dataDirectory,
    },
    lacksDescriptors,
    databaseAnswers: () => answers(probe),
  };
}
