import type { ErrorCode, ErrorParams } from '@sallyport/contract';
import type { LimitValues } from './ports.ts';

const HOUR_MS = 3_600_000;
/** Longer waits than this overflow a timer, so they are made of several. */
const LONGEST_WAIT_MS = 24 * HOUR_MS;

/** What the clocks of a session bring about. */
export interface TimerEvents {
  end(code: ErrorCode, params?: ErrorParams): void;
  /** The last rule that allowed the session has ended; perhaps another one allows it now. */
  permissionEnded(): void;
}

/** The clocks of one session: idle, too long, permission over. */
export class SessionTimers {
  private activeAt = performance.now();
  private readonly idle: NodeJS.Timeout;
  private readonly longest: NodeJS.Timeout;
  private validity: NodeJS.Timeout | undefined;
  private readonly events: TimerEvents;

  constructor(limits: LimitValues, validUntil: Date | null, events: TimerEvents) {
    this.events = events;
    const idleMs = limits.idleMinutes * 60_000;
    this.idle = setInterval(
      () => {
        if (performance.now() - this.activeAt > idleMs) events.end('session_idle', { minutes: limits.idleMinutes });
      },
      Math.min(Math.max(idleMs / 4, 50), 15_000),
    );
    this.longest = setTimeout(
      () => events.end('session_too_long', { hours: limits.maximumHours }),
      Math.min(limits.maximumHours * HOUR_MS, LONGEST_WAIT_MS * 24),
    );
    this.validUntil(validUntil);
  }

  /** Something was typed or shown. */
  active(): void {
    this.activeAt = performance.now();
  }

  /** The permission was looked up again and ends then. */
  validUntil(date: Date | null): void {
    clearTimeout(this.validity);
    if (!date) return;
    const left = date.getTime() - Date.now();
    this.validity = setTimeout(
      () => (left > LONGEST_WAIT_MS ? this.validUntil(date) : this.events.permissionEnded()),
      Math.max(0, Math.min(left, LONGEST_WAIT_MS)),
    );
  }

  stop(): void {
    clearInterval(this.idle);
    clearTimeout(this.longest);
    clearTimeout(this.validity);
  }
}
