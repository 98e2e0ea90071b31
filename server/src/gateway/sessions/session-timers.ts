import type { ErrorCode, ErrorParams } from '@sallyport/contract';
import type { LimitValues } from '../ports.ts';

const HOUR_MS = 3_600_000;
/** Longer waits than this overflow a timer, so they are made of several. */
const LONGEST_WAIT_MS = 24 * HOUR_MS;

/** The limits that have a clock. */
type TimeLimits = Pick<LimitValues, 'idleMinutes' | 'maximumHours'>;

/** What the clocks of a session bring about. */
export interface TimerEvents {
  end(code: ErrorCode, params?: ErrorParams): void;
  /** The last rule that allowed the session has ended; perhaps another one allows it now. */
  permissionEnded(): void;
}

/** The clocks of one session: idle, too long, permission over. */
export class SessionTimers {
  private activeAt = performance.now();
  private readonly beganAt = performance.now();
  private idle: NodeJS.Timeout | undefined;
  private longest: NodeJS.Timeout | undefined;
  private validity: NodeJS.Timeout | undefined;
  private readonly events: TimerEvents;
  /** A check that is answered after the end must not set a clock again: it would keep the whole session in memory. */
  private isStopped = false;

  constructor(limits: TimeLimits, validUntil: Date | null, events: TimerEvents) {
    this.events = events;
    this.limits(limits);
    this.validUntil(validUntil);
  }

  /** What a session may take, from now on; what it has taken already counts. */
  limits({ idleMinutes, maximumHours }: TimeLimits): void {
    if (this.isStopped) return;
    clearInterval(this.idle);
    clearTimeout(this.longest);
    const idleMs = idleMinutes * 60_000;
    this.idle = setInterval(
      () => {
        if (performance.now() - this.activeAt > idleMs)
          this.events.end('session_idle', { minutes: idleMinutes });
      },
      Math.min(Math.max(idleMs / 4, 50), 15_000),
    );
    const left = maximumHours * HOUR_MS - (performance.now() - this.beganAt);
    this.longest = setTimeout(
      () => this.events.end('session_too_long', { hours: maximumHours }),
      Math.max(0, Math.min(left, LONGEST_WAIT_MS * 24)),
    );
  }

  /** Something was typed or shown. */
  active(): void {
    this.activeAt = performance.now();
  }

  /** The permission was looked up again and ends then. */
  validUntil(date: Date | null): void {
    clearTimeout(this.validity);
    if (!date || this.isStopped) return;
    const left = date.getTime() - Date.now();
    this.validity = setTimeout(
      () => (left > LONGEST_WAIT_MS ? this.validUntil(date) : this.events.permissionEnded()),
      Math.max(0, Math.min(left, LONGEST_WAIT_MS)),
    );
  }

  /** Stops all clocks for good. */
  stop(): void {
    this.isStopped = true;
    clearInterval(this.idle);
    clearTimeout(this.longest);
    clearTimeout(this.validity);
  }
}
