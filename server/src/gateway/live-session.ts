import type { ErrorCode, ErrorParams, Problem } from '@sallyport/contract';
import { createTranscoder, type Transcoder } from './charset.ts';
import { CommandLog } from './command-log.ts';
import { CommandTracker } from './commands/tracker.ts';
import type { TargetShell } from './connectors/target.ts';
import type { NearEnd, Watcher } from './near-end.ts';
import { OutputFlow } from './output-flow.ts';
import type { GatewayPorts, LimitValues, NewSession } from './ports.ts';
import type { Recorder } from './recorder/recorder.ts';
import { problemOf, Refusal } from './refusal.ts';
import { ScreenTail } from './screen-tail.ts';
import { SessionTimers } from './session-timers.ts';

/** Input that a target may leave unread; more than any paste, and little enough to bear. */
const MAX_WAITING_INPUT = 16 * 1024 * 1024;
const RECHECK_TRIES = 3;
const RECHECK_PAUSE_MS = 2000;

/** What a session is made of when its row is written and its recording has begun. */
export interface SessionParts {
  readonly row: NewSession;
  readonly ports: GatewayPorts;
  readonly limits: LimitValues;
  readonly near: NearEnd;
  readonly recorder: Recorder;
  readonly cols: number;
  readonly rows: number;
}

/** One open session: the two ends, and everything that looks at what flows between them. */
export class LiveSession {
  readonly row: NewSession;
  /** Settles when the session is over and everything about it is written. */
  readonly ended: Promise<void>;
  private readonly parts: SessionParts;
  private readonly charset: Transcoder;
  private readonly flow: OutputFlow;
  private readonly tracker: CommandTracker;
  private readonly commands: CommandLog;
  private readonly tail = new ScreenTail();
  private readonly timers: SessionTimers;
  private readonly watchers = new Set<Watcher>();
  private shell: TargetShell | undefined;
  private size: { cols: number; rows: number };
  private over = false;
  private settle: () => void = () => undefined;

  constructor(parts: SessionParts) {
    this.parts = parts;
    this.row = parts.row;
    this.size = { cols: parts.cols, rows: parts.rows };
    this.ended = new Promise((done) => {
      this.settle = done;
    });
    this.charset = createTranscoder(parts.row.grant.asset.charset);
    this.flow = new OutputFlow({
      send: (chunk) => parts.near.output(chunk),
      pause: () => this.shell?.pause(),
      resume: () => this.shell?.resume(),
    });
    this.commands = new CommandLog(parts.row.id, parts.ports.sessions, parts.ports.log);
    this.tracker = new CommandTracker({ ...this.size, elapsed: () => parts.recorder.elapsed, onCommand: (command) => this.commands.add(command) });
    this.timers = new SessionTimers(parts.limits, parts.row.grant.validUntil, {
      end: (code, params) => this.end(code, params),
      permissionEnded: () => void this.recheck(),
    });
  }

  /** The settings have changed what a session may take. */
  setLimits(limits: LimitValues): void {
    if (!this.over) this.timers.limits(limits);
  }

  /** The shell is open; called once. Its first output may have come already. */
  attach(shell: TargetShell): void {
    this.shell = shell;
    if (this.flow.isPaused) shell.pause();
    if (this.size.cols !== this.parts.cols || this.size.rows !== this.parts.rows) shell.resize(this.size.cols, this.size.rows);
    if (this.over) shell.close();
  }

  /** Takes output of the target. */
  fromTarget(raw: Buffer): void {
    if (this.over) return;
    this.timers.active();
    const chunk = this.charset.fromTarget(raw);
    if (chunk.length === 0) return;
    if (!this.parts.recorder.output(chunk)) this.flow.hold(true);
    this.tracker.output(chunk);
    this.tail.push(chunk);
    this.flow.push(chunk);
    for (const watcher of this.watchers) watcher.output(chunk);
  }

  /** The disk has caught up. */
  recorderDrained(): void {
    this.flow.hold(false);
  }

  /** The target has ended, or was lost. */
  targetEnded(how: 'closed' | 'lost'): void {
    this.end(how === 'closed' ? 'connect_target_closed' : 'connect_target_lost');
  }

  /** Takes what the person typed; false when so much of it waits that the person must be cut off. */
  input(chunk: Buffer): boolean {
    if (this.over || !this.shell || chunk.length === 0) return true;
    if (this.shell.waiting + chunk.length > MAX_WAITING_INPUT) return false;
    this.timers.active();
    this.tracker.input(chunk);
    this.shell.write(this.charset.toTarget(chunk));
    return true;
  }

  /** The person's terminal has a new size. */
  resize(cols: number, rows: number): void {
    if (this.over || (cols === this.size.cols && rows === this.size.rows)) return;
    this.size = { cols, rows };
    this.parts.recorder.resize(cols, rows);
    this.tracker.resize(cols, rows);
    this.shell?.resize(cols, rows);
    for (const watcher of this.watchers) watcher.resize(cols, rows);
  }

  /** The person has seen so many bytes; false when that cannot be. */
  acknowledge(bytes: number): boolean {
    return this.over || this.flow.acknowledge(bytes);
  }

  /** Lets somebody look on: the screen as it is, then whatever comes. Returns how to stop. */
  watch(watcher: Watcher): () => void {
    watcher.resize(this.size.cols, this.size.rows);
    watcher.output(this.tail.snapshot());
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** The screen for a watcher that fell behind. */
  snapshot(): Buffer {
    return this.tail.snapshot();
  }

  /** Whether it has ended; what was recorded may still be on its way to the disk. */
  get isOver(): boolean {
    return this.over;
  }

  get watcherCount(): number {
    return this.watchers.size;
  }

  /** Asks again whether the person may be here, and ends the session when not, or when nobody can tell. */
  async recheck(): Promise<void> {
    const { person, grant } = this.row;
    for (let attempt = 1; !this.over; attempt++) {
      try {
        const still = await this.parts.ports.access.check(person.userId, grant.asset.id, grant.systemUser.id);
        this.timers.validUntil(still.validUntil);
        return;
      } catch (error) {
        if (problemOf(error).code !== 'internal' || attempt >= RECHECK_TRIES) {
          this.end('connect_expired');
          return;
        }
        await new Promise((done) => setTimeout(done, RECHECK_PAUSE_MS));
      }
    }
  }

  /** Ends the session; whoever comes first gives the reason. */
  end(code: ErrorCode, params?: ErrorParams): void {
    if (this.over) return;
    this.flow.flush();
    this.over = true;
    this.timers.stop();
    this.shell?.close();
    const { problem } = new Refusal(code, params);
    this.parts.near.closed(problem);
    for (const watcher of this.watchers) watcher.closed({ code: 'session_finished' });
    this.watchers.clear();
    void this.conclude(problem).finally(this.settle);
  }

  private async conclude(problem: Problem): Promise<void> {
    const { ports, recorder } = this.parts;
    const { id } = this.row;
    const dateEnd = new Date();
    await this.tracker.end();
    await this.commands.end();
    const replayState = await recorder.finish();
    try {
      await ports.sessions.finish(id, { dateEnd, reason: problem.code, success: this.shell !== undefined, replayState });
    } catch (error) {
      // The next start finds the row open and closes it.
      ports.log.error({ session: id, err: error }, 'the end of a session could not be written');
    }
  }
}
