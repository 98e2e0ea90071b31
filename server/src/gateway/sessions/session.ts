import type { ErrorCode, ErrorParams, Problem, SessionKind } from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import type { RecordingDigest } from '../../platform/storage/recordings.ts';
import type { Grant } from '../ports/grant.ts';
import type { FileRecord, NewSession, ReplayState } from '../ports/records.ts';
import type { GatewayPorts, LimitValues } from '../ports.ts';
import { Refusal, wordProblem } from '../refusal.ts';
import type { Capture } from './capture.ts';
import { checkAgain, checkFrom, endCodeOf, noticeOf } from './check-again.ts';
import { diskProblemOf } from './disk-problem.ts';
import { InputStops } from './input-stops.ts';
import type { SecondPerson } from './second-person.ts';
import type { Screen, SessionClient, Watcher } from './session-client.ts';
import { type Deadlines, Grace, SessionTimers } from './session-timers.ts';
import { writeEnd } from './write-end.ts';

/** Interval between retries of a failed permission check. */
const RECHECK_PAUSE_MS = 2000;

/** A session warns its user this long before its permission ends. */
const WARNING_MS = 60_000;

/** Shortest pause between checks at deadlines: the clock of the database may be behind ours. */
const DEADLINE_PAUSE_MS = 1000;

export interface SessionParts {
  readonly row: NewSession;
  readonly ports: GatewayPorts;
  readonly limits: LimitValues;
  readonly client: SessionClient;
  readonly capture: Capture;
}

/**
 * Base of all session kinds: row, limits, permission, watchers and the end. A subclass carries the
 * data between client and target.
 */
export abstract class Session {
  abstract readonly kind: SessionKind;
  readonly row: NewSession;
  private readonly settled = Promise.withResolvers<void>();
  /** Settles when the session has ended and all of its data is written. */
  readonly ended = this.settled.promise;
  /** The screen for watchers; `undefined` for kinds that cannot be watched. */
  abstract readonly screen: Screen | undefined;
  /** True for terminals: the user may invite guests, and input can wait for a second person. */
  readonly takesGuests: boolean = false;
  abstract readonly recordedBytes: number;
  /** True if the target ever opened. */
  protected abstract readonly wasOpen: boolean;
  readonly ports: GatewayPorts;
  protected readonly watchers = new Set<Watcher>();
  private readonly client: SessionClient;
  private readonly timers: SessionTimers;
  private readonly grace: Grace;
  private again: NodeJS.Timeout | undefined;
  private deadlines: Deadlines | undefined;
  private terms: Pick<Grant, 'validUntil' | 'changesAt' | 'instantUntil'>;
  private isWarned = false;
  private readonly stops: InputStops;
  private over = false;

  constructor({ row, ports, limits, client }: SessionParts) {
    this.row = row;
    this.ports = ports;
    this.client = client;
    this.timers = new SessionTimers(limits, { end: (code, params) => this.end(code, params) });
    this.terms = row.grant;
    this.stops = new InputStops(row, ports, {
      changed: (problem, isOver) => {
        this.lockChanged();
        this.tell(problem, isOver);
      },
      failed: (error) => this.notLogged(error),
    });
    this.grace = new Grace(limits.outageSeconds, {
      notify: (problem, isOver) => this.notify(problem, isOver),
      mark: (label) => this.mark(label),
      end: (code) => this.end(code),
    });
  }

  /**
   * Checks the permission when it or its instant access ends, and when a condition may change
   * it. Warns the user before the end.
   */
  follow(deadlines: Deadlines): void {
    this.deadlines = deadlines;
    this.schedule(0);
    if (!this.over) this.second.begin();
  }

  private schedule(pause: number): void {
    if (this.over) return;
    const end = this.terms.validUntil?.getTime() ?? Number.POSITIVE_INFINITY;
    const { changesAt, instantUntil } = this.terms;
    const changes = [changesAt, instantUntil].map((date) => date?.getTime() ?? end);
    const change = Math.min(...changes);
    const warning = this.isWarned ? end : end - WARNING_MS;
    const next = Math.max(Math.min(warning, change), databaseClock.now() + pause);
    this.deadlines?.set(this, next, () => {
      const now = databaseClock.now();
      if (Math.min(end, change) <= now) void this.recheck();
      else {
        this.isWarned = true;
        const seconds = Math.ceil((end - now) / 1000);
        this.notify({ code: 'notice_permission_ends', params: { seconds } }, false);
        this.schedule(0);
      }
    });
  }

  private confirmed(still: Grant): void {
    const notice = noticeOf(this.terms, still);
    this.terms = still;
    if (notice) this.tell(notice);
    const end = still.validUntil?.getTime() ?? Number.POSITIVE_INFINITY;
    if (this.isWarned && end > databaseClock.now() + WARNING_MS) {
      this.isWarned = false;
      this.notify({ code: 'notice_permission_extended' }, true);
    }
    this.schedule(DEADLINE_PAUSE_MS);
    this.grace.confirm();
    this.stops.granted(still);
    this.granted(still);
  }

  /** Stops both directions and closes the target. Called once, when the session ends. */
  protected abstract stop(reason: Refusal): void;

  /** Called after each successful check: the grant may allow other actions now. */
  protected granted(_grant: Grant): void {}

  /** Writes all pending data. Returns the state of the recording. */
  protected abstract finish(): Promise<ReplayState>;

  /** Digest of the finished recording; undefined if there is none. */
  protected get kept(): RecordingDigest | undefined {
    return undefined;
  }

  /** Logs a file transfer; ends the session if that fails. @throws Refusal */
  protected async logFile(record: FileRecord): Promise<void> {
    try {
      await this.ports.fileLog.write(this.row, record);
    } catch (error) {
      this.notLogged(error);
      throw new Refusal(diskProblemOf(error));
    }
  }

  /** Ends the session: it must not continue with an event that is not logged. */
  protected notLogged(error: unknown): void {
    this.ports.log.error(
      { session: this.row.id, err: error },
      'an event of a session could not be logged; the session ends',
    );
    this.end(diskProblemOf(error));
  }

  /** Resets the idle timer. */
  protected active(): void {
    this.timers.active();
  }

  /** Applies changed settings. */
  setLimits(limits: LimitValues): void {
    this.timers.limits(limits);
    this.grace.limit(limits.outageSeconds);
  }

  /** True if a stopping server need not wait for this session. */
  get isIdle(): boolean {
    return false;
  }

  /** True once the session ends, even while its recording is still being written. */
  get isOver(): boolean {
    return this.over;
  }

  get watcherCount(): number {
    return this.watchers.size;
  }

  /**
   * Adds a watcher and sends it the current screen. Returns functions to stop and to catch up.
   * @throws Refusal
   */
  watch(watcher: Watcher): { readonly stop: () => void; readonly snapshot: () => Buffer } {
    const { screen } = this;
    if (!screen) throw new Refusal('session_not_watchable');
    watcher.resize(screen.size.cols, screen.size.rows);
    watcher.output(screen.snapshot());
    this.watchers.add(watcher);
    return { stop: () => this.watchers.delete(watcher), snapshot: () => screen.snapshot() };
  }

  /**
   * Checks the permission again and ends the session if it no longer holds. If the check itself
   * fails, for example because the database is unreachable, retries during the grace period.
   */
  async recheck(): Promise<void> {
    if (this.over) return;
    clearTimeout(this.again);
    const checked = await checkAgain(this.ports.access, this.row, this.takesGuests);
    if ('still' in checked) {
      if (!this.over) this.confirmed(checked.still);
    } else if ('unchecked' in checked) {
      this.unconfirmed(undefined, checked.unchecked);
      if (checked.unchecked !== 'session_database_away')
        this.ports.log.error({ session: this.row.id, err: checked.error }, 'a check failed');
    } else this.end(endCodeOf(checked.problem.code, this.terms), checked.problem.params);
  }

  /**
   * Judges conditions by the address of a new socket or request from now on. Call it before the
   * user receives any data. @throws Refusal
   */
  async moveTo(remoteAddr: string | null): Promise<void> {
    const { person } = this.row;
    if (person.remoteAddr === remoteAddr) return;
    const still = await checkFrom(this.ports.access, this.row, this.takesGuests, remoteAddr);
    person.remoteAddr = remoteAddr;
    if (!this.over) this.confirmed(still);
  }

  /** Starts the grace period: no check is possible. It never outlasts the known permission. */
  unconfirmed(since = databaseClock.date(), code: ErrorCode = 'session_database_away'): void {
    if (this.over) return;
    const { validUntil } = this.terms;
    if (validUntil && validUntil <= databaseClock.date()) this.end(code);
    else this.grace.begin(since, code);
    clearTimeout(this.again);
    if (!this.over) this.again = setTimeout(() => void this.recheck(), RECHECK_PAUSE_MS);
  }

  /** Stops the input of the user for the reason `problem`, or passes it again. */
  setLock(problem: Problem, isLocked: boolean): void {
    this.stops.setLock(problem, isLocked);
  }

  /** The watchers who let input pass if the permission asks for a second person. */
  get second(): SecondPerson {
    return this.stops.second;
  }

  /** The reason for which input does not pass; undefined if it passes. */
  protected get lock(): Problem | undefined {
    return this.stops.current;
  }

  /** Shows a text of an administrator to the user, and marks it in the recording. */
  tell(problem: Problem, isOver = true): void {
    if (this.over) return;
    this.mark(wordProblem(problem, 'en'));
    this.announce(problem, isOver);
  }

  /** Called when input stops or passes again. */
  protected lockChanged(): void {}

  protected announce(problem: Problem, isOver: boolean): void {
    this.notify(problem, isOver);
  }

  notify(problem: Problem, isOver: boolean): void {
    if (this.over) return;
    this.client.notice?.(problem, isOver);
  }

  /** Adds a marker to the recording, if the kind has one. */
  mark(_label: string): void {}

  /** Ends the session. Only the first call has an effect. */
  end(code: ErrorCode, params?: ErrorParams): void {
    if (this.over) return;
    this.over = true;
    this.stops.end();
    this.timers.stop();
    this.deadlines?.delete(this);
    this.grace.stop();
    clearTimeout(this.again);
    const reason = new Refusal(code, params);
    this.stop(reason);
    this.client.closed(reason.problem);
    for (const watcher of this.watchers) watcher.closed({ code: 'session_finished' });
    this.watchers.clear();
    const ending = {
      reason: code,
      wasOpen: this.wasOpen,
      finish: () => this.finish(),
      kept: () => this.kept,
    };
    void writeEnd(this.ports, this.row.id, ending).finally(this.settled.resolve);
  }
}
