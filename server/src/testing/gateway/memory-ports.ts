import { randomUUID } from 'node:crypto';
import type { Grant } from '../../gateway/ports/grant.ts';
import type { Person } from '../../gateway/ports/people.ts';
import type {
  FileRecord,
  Gap,
  NewSession,
  ReplayState,
  SessionCertificate,
  SessionEnd,
} from '../../gateway/ports/records.ts';
import type { GatewayPorts, Hop, LimitValues, Login, OfferedKey } from '../../gateway/ports.ts';
import { Refusal } from '../../gateway/refusal.ts';
import type { CommandRecord } from '../../platform/command-record.ts';
import { keyLogin } from '../ssh/shell.ts';
import type { SshTarget } from '../ssh/ssh-target.ts';

/** A session row for assertions. */
export interface MemoryRow {
  readonly session: NewSession;
  readonly commands: CommandRecord[];
  readonly gaps: Gap[];
  oldAlgorithms: readonly string[];
  certificate?: SessionCertificate;
  replay: ReplayState;
  end: SessionEnd | undefined;
}

/** The gateway's ports in memory, which tests can manipulate. */
export interface MemoryPorts extends GatewayPorts {
  readonly rows: Map<string, MemoryRow>;
  readonly fileRecords: FileRecord[];
  readonly pins: Map<string, Buffer>;
  readonly logged: string[];
  /** Result of the next access checks; undefined denies access. */
  grant: Grant | undefined;
  login: Login | undefined;
  hops: readonly Hop[];
  limitValues: LimitValues;
  mayWatch: boolean;
  freeBytes: number;
  /** The row of a test with a single session. */
  row(): MemoryRow;
}

/** A listening server, and an account on it. */
export type TestTarget = Pick<SshTarget, 'host' | 'port' | 'username' | 'privateKey'>;

/** The user of most tests. */
export const PERSON: Person = {
  userId: 'u1',
  display: 'Tester(tester)',
  language: 'en',
  remoteAddr: '127.0.0.1',
  loginFrom: 'WT',
  loginId: 'login1',
};

/** Creates ports that lead to a test server with the key of its account. */
export function memoryPorts(sshd: TestTarget): MemoryPorts {
  const rows = new Map<string, MemoryRow>();
  const pins = new Map<string, Buffer>();
  const logged: string[] = [];
  const rowOf = (id: string) => {
    const row = rows.get(id);
    if (!row) throw new Error(`no session row ${id}`);
    return row;
  };
  const note = (fields: Readonly<Record<string, unknown>>, message: string) => {
    logged.push(`${message} ${fields.err instanceof Error ? fields.err.message : ''}`);
  };
  const ports: MemoryPorts = {
    rows,
    pins,
    logged,
    fileRecords: [],
    grant: grantFor(sshd),
    login: keyLogin(sshd),
    hops: [],
    limitValues: {
      idleMinutes: 30,
      maximumHours: 24,
      connectSeconds: 60,
      sessionsPerPerson: 50,
      keepSeconds: 0,
      outageSeconds: 120,
      recordingBytes: 2 ** 40,
      recordingBytesPerSecond: 2 ** 40,
      recordingBurstBytes: 2 ** 40,
      diskReserveBytes: 1,
      driveBytes: 0,
      recordsKeys: false,
      masksSecrets: true,
    },
    freeBytes: 1000,
    mayWatch: true,
    row: () => {
      const [row, ...others] = rows.values();
      if (!row || others.length > 0)
        throw new Error(`expected one session row, found ${rows.size}`);
      return row;
    },
    sessions: {
      create: async (session) => {
        rows.set(session.id, {
          session,
          commands: [],
          gaps: [],
          oldAlgorithms: [],
          replay: 'none',
          end: undefined,
        });
      },
      begun: async (id) => {
        rowOf(id).replay = 'recording';
      },
      addCommands: async (id, commands) => {
        rowOf(id).commands.push(...commands);
      },
      addGap: async (id, gap) => {
        rowOf(id).gaps.push(gap);
      },
      addPresence: async () => undefined,
      setOldAlgorithms: async (id, names) => {
        rowOf(id).oldAlgorithms = names;
      },
      setCertificate: async (id, certificate) => {
        rowOf(id).certificate = certificate;
      },
      finish: async (id, end) => {
        const row = rowOf(id);
        row.end = end;
        row.replay = end.replayState;
      },
      openElsewhere: async () => 0,
      isInterrupted: async () => false,
      ended: async () => [],
      takenOver: async (ids) => ids,
      unfinished: async () =>
        [...rows.values()]
          .filter((row) => !row.end)
          .map((row) => ({
            id: row.session.id,
            dateStart: row.session.dateStart,
            lastActive: row.session.dateStart,
          })),
    },
    fileLog: {
      write: async (_session, record) => {
        ports.fileRecords.push(record);
      },
    },
    access: {
      check: async () => {
        if (!ports.grant) throw new Refusal('connect_denied');
        return ports.grant;
      },
      isSignedIn: async () => true,
      isAdmitted: async () => true,
      mayWatch: async () => ports.mayWatch,
    },
    credentials: { open: async () => ports.login },
    route: { gateways: async () => ports.hops },
    hostKeys: {
      verify: async (offered) => verify(pins, offered),
      isPinned: async ({ kind, ownerId }) => pins.has(`${kind}:${ownerId}`),
    },
    addresses: { allows: () => true },
    disk: { freeBytes: async () => ports.freeBytes },
    limits: { read: async () => ports.limitValues },
    log: { info: note, warn: note, error: note },
  };
  return ports;
}

/** A permission to connect to a test server. */
export function grantFor(sshd: TestTarget): Grant {
  return {
    asset: {
      id: randomUUID(),
      hostname: 'box',
      ip: sshd.host,
      port: sshd.port,
      orgId: 'org',
      charset: 'utf8',
    },
    systemUser: {
      id: randomUUID(),
      name: 'ops',
      username: sshd.username,
      loginMode: 'auto',
      protocol: 'ssh',
      sftpRoot: 'home',
    },
    ruleIds: ['rule'],
    actions: 1,
    validUntil: null,
  };
}

function verify(
  pins: Map<string, Buffer>,
  offered: OfferedKey,
): 'pinned' | 'first-use' | 'changed' {
  const owner = `${offered.kind}:${offered.ownerId}`;
  const pinned = pins.get(owner);
  if (pinned) return pinned.equals(offered.key) ? 'pinned' : 'changed';
  pins.set(owner, offered.key);
  return 'first-use';
}
