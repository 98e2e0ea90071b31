import type { ErrorCode, ErrorParams, Problem } from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import type { LimitValues } from '../ports.ts';

/** Effects of the grace period on its session. */
interface GraceEffects {
  /** Shows a notice, or removes it. */
  notify(problem: Problem, isOver: boolean): void;
  /** Marks the moment in the recording. */
  mark(label: string): void;
  /** The grace period has run out. */
  end(code: ErrorCode): void;
}

/** Notices and marks of a recording, for an outage of the database and for any other reason. */
const OUTAGE = {
  began: ['notice_database_away', 'database unreachable'],
  over: ['notice_database_back', 'database reachable'],
} as const;
const FAILURE = {
  began: ['notice_check_failed', 'permission not checked'],
  over: ['notice_check_works', 'permission checked'],
} as const;

/** Keeps a session open for a limited time while its permission cannot be checked. */
export class Grace {
  private since: Date | undefined;
  private code: ErrorCode = 'session_database_away';
  private timer: NodeJS.Timeout | undefined;
  private readonly effects: GraceEffects;
  private maxSeconds: number;
  private isStopped = false;

  constructor(maxSeconds: number, effects: GraceEffects) {
    this.maxSeconds = maxSeconds;
    this.effects = effects;
  }

  /** Starts the grace period for the reason `code`. Further failures do not restart it. */
  begin(since: Date, code: ErrorCode): void {
    if (this.isStopped || this.since) return;
    this.since = since;
    this.code = code;
    const left = this.secondsLeft();
    if (left > 0) {
      const [notice, mark] = this.words.began;
      this.effects.notify({ code: notice, params: { seconds: left } }, false);
      this.effects.mark(mark);
    }
    this.arm();
  }

  /** Ends the grace period: the check succeeded. */
  confirm(): void {
    if (!this.since) return;
    this.since = undefined;
    clearTimeout(this.timer);
    const [notice, mark] = this.words.over;
    this.effects.notify({ code: notice }, true);
    this.effects.mark(mark);
  }

  private get words() {
    return this.code === 'session_database_away' ? OUTAGE : FAILURE;
  }

  /** Applies a changed limit, also to a running grace period. */
  limit(maxSeconds: number): void {
    this.maxSeconds = maxSeconds;
    if (this.since && !this.isStopped) this.arm();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private arm(): void {
    clearTimeout(this.timer);
    const left = this.secondsLeft();
    if (left > 0) this.timer = setTimeout(() => this.effects.end(this.code), left * 1000);
    else this.effects.end(this.code);
  }

  private secondsLeft(): number {
    const passed = this.since ? (databaseClock.now() - this.since.getTime()) / 1000 : 0;
    return Math.max(0, Math.ceil(this.maxSeconds - passed));
  }
}

const HOUR_MS = 3_600_000;
/** Longest single timer, far below the 32-bit limit of Node's timers. Longer waits use several. */
const LONGEST_WAIT_MS = 24 * HOUR_MS;

/** Moments at which sessions act, with one timer for all of them. */
export class Deadlines {
  private readonly now: () => number;
  private readonly entries = new Map<object, { readonly at: number; readonly run: () => void }>();
  private timer: NodeJS.Timeout | undefined;
  private armedFor = Number.POSITIVE_INFINITY;

  /** `now` is the clock of the deadlines, in milliseconds. */
  constructor(now: () => number = () => databaseClock.now()) {
    this.now = now;
  }

  /** Sets the only deadline of an owner (ms). `run` is called once; infinity is never. */
  set(owner: object, at: number, run: () => void): void {
    this.delete(owner);
    if (!Number.isFinite(at)) return;
    this.entries.set(owner, { at, run });
    if (at < this.armedFor) this.arm(at);
  }

  delete(owner: object): void {
    if (!this.entries.delete(owner) || this.entries.size > 0) return;
    clearTimeout(this.timer);
    this.armedFor = Number.POSITIVE_INFINITY;
  }

  private arm(at: number): void {
    clearTimeout(this.timer);
    this.armedFor = at;
    const left = Math.max(0, Math.min(at - this.now(), LONGEST_WAIT_MS));
    this.timer = setTimeout(() => this.fire(), left);
  }

  private fire(): void {
    this.armedFor = Number.POSITIVE_INFINITY;
    const now = this.now();
    const due = [...this.entries].filter(([, { at }]) => at <= now);
    for (const [owner] of due) this.entries.delete(owner);
    for (const [, { run }] of due) run();
    let next = Number.POSITIVE_INFINITY;
    for (const { at } of this.entries.values()) next = Math.min(next, at);
    if (next < this.armedFor) this.arm(next);
  }
}

/** The time limits of all sessions. An idle session has no own timer. */
const timeLimits = new Deadlines(() => performance.now());

type TimeLimits = Pick<LimitValues, 'idleMinutes' | 'maximumHours'>;

export interface TimerEvents {
  end(code: ErrorCode, params?: ErrorParams): void;
}

/** The time limits of one session: idle and maximum length. */
export class SessionTimers {
  private activeAt = performance.now();
  private readonly beganAt = performance.now();
  private current: TimeLimits;
  private readonly events: TimerEvents;
  /**
   * Set at the end: a check that answers later must not set a deadline, which would keep the
   * session in memory.
   */
  private isStopped = false;

  constructor(limits: TimeLimits, events: TimerEvents) {
    this.events = events;
    this.current = limits;
    this.arm();
  }

  /** Applies changed limits. Time already used counts. */
  limits(limits: TimeLimits): void {
    this.current = limits;
    if (!this.isStopped) this.arm();
  }

  active(): void {
    this.activeAt = performance.now();
  }

  /** Stops the limits permanently. */
  stop(): void {
    this.isStopped = true;
    timeLimits.delete(this);
  }

  private get idleAt(): number {
    return this.activeAt + this.current.idleMinutes * 60_000;
  }

  private get tooLongAt(): number {
    return this.beganAt + this.current.maximumHours * HOUR_MS;
  }

  private arm(): void {
    timeLimits.set(this, Math.min(this.idleAt, this.tooLongAt), () => this.check());
  }

  /** Ends the session at a limit. It may have been active since the deadline was set. */
  private check(): void {
    const now = performance.now();
    const { idleMinutes: minutes, maximumHours: hours } = this.current;
    if (now >= this.tooLongAt) this.events.end('session_too_long', { hours });
    else if (now >= this.idleAt) this.events.end('session_idle', { minutes });
    else this.arm();
  }
}
