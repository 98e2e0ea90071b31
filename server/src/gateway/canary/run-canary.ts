import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { actionMask, type Problem } from '@sallyport/contract';
import type { CommandRecord } from '../../platform/command-record.ts';
import type { RecordedSession, Recordings } from '../../platform/storage/recordings.ts';
import type { Hub } from '../hub.ts';
import { openFor } from '../listeners/open-for.ts';
import type { Grant } from '../ports/grant.ts';
import type { Person } from '../ports/people.ts';
import type { SessionEnd, SessionStore } from '../ports/records.ts';
import type { GatewayPorts } from '../ports.ts';
import { problemOf, Refusal } from '../refusal.ts';
import { terminalOpener } from '../sessions/terminal/open-terminal.ts';
import { CanaryClient, outOfTime } from './canary-client.ts';
import { type CanaryTarget, PROMPT, startCanaryTarget } from './target.ts';

/** Time limit of a whole run. */
const LIMIT_MILLISECONDS = 60_000;
const SIZE = { cols: 80, rows: 24 };
const PERSON: Person = {
  userId: '',
  display: 'Canary',
  language: 'en',
  remoteAddr: null,
  loginFrom: 'WT',
};

/** The steps of a run, in order. */
export const CANARY_STEPS = ['open', 'type', 'end', 'replay', 'verify'] as const;
export type CanaryStep = (typeof CANARY_STEPS)[number];

/** The result of a run. Contains no input, output or secrets. */
export interface CanaryResult {
  readonly date: Date;
  readonly milliseconds: number;
  /** Absent if the run failed before it had a session. */
  readonly session?: string;
  /** The failed step and its problem; absent on success. */
  readonly failed?: { readonly step: CanaryStep; readonly problem?: Problem };
}

/** The data read differs from the data written; the step is the only detail. */
class Differs extends Error {}

export interface CanaryOptions {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly recordings: Pick<Recordings, 'begin' | 'open' | 'digestOf'>;
  /** Writes canary session rows, marked as such. */
  readonly sessions: SessionStore;
  readonly startTarget?: () => Promise<CanaryTarget>;
}

/**
 * Opens a session to a target in this process, types a command, ends it, reads the recording and
 * compares its digest. Uses the code of user sessions, with a time limit. Never throws.
 */
export async function runCanary(options: CanaryOptions): Promise<CanaryResult> {
  const date = new Date();
  const began = performance.now();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(outOfTime()), LIMIT_MILLISECONDS);
  const run = new CanaryRun(options, limit.signal);
  let failed: CanaryResult['failed'];
  try {
    await run.do();
  } catch (error) {
    if (error instanceof Differs) failed = { step: run.step };
    else {
      const problem = problemOf(error);
      if (problem.code === 'internal')
        options.ports.log.error({ err: error, step: run.step }, 'the canary met an error');
      failed = { step: run.step, problem };
    }
  } finally {
    clearTimeout(timer);
  }
  return {
    date,
    milliseconds: Math.round(performance.now() - began),
    ...(run.row && { session: run.row.id }),
    ...(failed && { failed }),
  };
}

class CanaryRun {
  step: CanaryStep = 'open';
  row: RecordedSession | undefined;
  private end: SessionEnd | undefined;
  private readonly commands: CommandRecord[] = [];
  private readonly options: CanaryOptions;
  private readonly signal: AbortSignal;

  constructor(options: CanaryOptions, signal: AbortSignal) {
    this.options = options;
    this.signal = signal;
  }

  async do(): Promise<void> {
    const token = randomBytes(12).toString('hex');
    const target = await (this.options.startTarget ?? startCanaryTarget)();
    try {
      await this.work(target, token);
    } finally {
      await target.stop();
    }
    if (!this.row || this.end?.replayState !== 'finished' || !this.end.recording)
      throw new Refusal('session_recording_failed');
    this.step = 'replay';
    if (!(await this.inTime(this.replay(this.row))).includes(token)) throw new Differs();
    this.step = 'verify';
    const digest = await this.inTime(this.options.recordings.digestOf(this.row));
    const isSame =
      digest?.sha256 === this.end.recording.sha256 && digest.size === this.end.recording.size;
    const wasRead = this.commands.some(
      ({ input, output }) => input === `echo ${token}` && output.includes(token),
    );
    if (!isSame || !wasRead) throw new Differs();
  }

  private async work(target: CanaryTarget, token: string): Promise<void> {
    const { hub, recordings } = this.options;
    const client = new CanaryClient(this.signal);
    const session = await openFor({
      ports: this.portsFor(target),
      hub,
      person: PERSON,
      request: { assetId: '', systemUserId: '' },
      client,
      opener: terminalOpener({ client, size: SIZE, recordings: recordings as Recordings }),
      onBegin: (controller) =>
        this.signal.addEventListener('abort', () => controller.abort(this.signal.reason)),
    });
    try {
      client.attach(session);
      await client.sees(PROMPT);
      this.step = 'type';
      session.input(Buffer.from(`echo ${token}\r`));
      await client.sees(`\r\n${token}\r\n${PROMPT}`);
      this.step = 'end';
      session.input(Buffer.from('exit\r'));
      await this.inTime(session.ended);
    } finally {
      session.end('session_finished');
      await session.ended;
    }
  }

  /** The gateway's ports with grant, account, address and host key of the canary's target. */
  private portsFor(target: CanaryTarget): GatewayPorts {
    const { ports, sessions } = this.options;
    const grant: Grant = {
      asset: {
        id: '',
        hostname: 'canary',
        ip: target.host,
        port: target.port,
        orgId: '',
        charset: 'utf8',
      },
      systemUser: {
        id: '',
        name: 'canary',
        username: target.username,
        loginMode: 'auto',
        protocol: 'ssh',
        sftpRoot: 'home',
      },
      ruleIds: [],
      actions: actionMask(['connect']),
      validUntil: null,
    };
    return {
      sessions: {
        ...sessions,
        create: async (row) => {
          await sessions.create(row);
          this.row = { id: row.id, startedAt: row.dateStart };
        },
        finish: async (id, end) => {
          this.end = end;
          await sessions.finish(id, end);
        },
        // Canary commands are compared, not stored: they are not commands of users.
        addCommands: async (_id, commands) => void this.commands.push(...commands),
      },
      fileLog: ports.fileLog,
      access: {
        check: async () => grant,
        isSignedIn: async () => true,
        isAdmitted: async () => true,
        mayWatch: (viewer) => ports.access.mayWatch(viewer),
      },
      credentials: { open: async () => ({ username: target.username, password: target.password }) },
      route: { gateways: async () => [] },
      hostKeys: {
        verify: async ({ key }) => (target.isItsKey(key) ? 'pinned' : 'changed'),
        isPinned: async () => true,
      },
      addresses: { allows: (address, port) => address === target.host && port === target.port },
      limits: ports.limits,
      disk: ports.disk,
      ...(ports.isAccepting && { isAccepting: ports.isAccepting }),
      log: ports.log,
    };
  }

  /** Returns the last output in the recording. */
  private async replay(row: RecordedSession): Promise<string> {
    const recording = await this.options.recordings.open(row);
    if (!recording) throw new Differs();
    let output = '';
    const lines = createInterface({
      input: pipeline(recording.stream, createGunzip(), () => undefined),
      signal: this.signal,
    });
    let isFirst = true;
    for await (const line of lines) {
      const entry: unknown = JSON.parse(line);
      if (
        isFirst &&
        !(typeof entry === 'object' && entry !== null && 'version' in entry && entry.version === 2)
      )
        throw new Differs();
      isFirst = false;
      if (Array.isArray(entry) && entry[1] === 'o')
        output = (output + String(entry[2])).slice(-16_384);
    }
    return output;
  }

  private inTime<T>(work: Promise<T>): Promise<T> {
    if (this.signal.aborted) return Promise.reject(this.signal.reason);
    return new Promise((done, fail) => {
      const give = () => fail(this.signal.reason);
      this.signal.addEventListener('abort', give, { once: true });
      work.then(done, fail).finally(() => this.signal.removeEventListener('abort', give));
    });
  }
}
