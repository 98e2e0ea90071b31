/** Events of the grace period of one session. */
export interface GraceEvents {
  /** The grace period starts; `seconds` is its maximum length. */
  began(seconds: number): void;
  /** A permission check succeeded again. */
  confirmed(): void;
  /** The grace period has run out. */
  expired(): void;
}

/** Keeps a session open for a limited time while its permission cannot be checked. */
export class Grace {
  private since: Date | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly events: GraceEvents;
  private maxSeconds: number;
  private isStopped = false;

  constructor(maxSeconds: number, events: GraceEvents) {
    this.maxSeconds = maxSeconds;
    this.events = events;
  }

  /** Starts the grace period. Further failures do not restart it. */
  begin(since = new Date()): void {
    if (this.isStopped || this.since) return;
    this.since = since;
    const left = this.secondsLeft();
    if (left > 0) this.events.began(left);
    this.arm();
  }

  /** Ends the grace period: the check succeeded. */
  confirm(): void {
    if (!this.since) return;
    this.since = undefined;
    clearTimeout(this.timer);
    this.events.confirmed();
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
    if (left > 0) this.timer = setTimeout(() => this.events.expired(), left * 1000);
    else this.events.expired();
  }

  private secondsLeft(): number {
    const passed = this.since ? (Date.now() - this.since.getTime()) / 1000 : 0;
    return Math.max(0, Math.ceil(this.maxSeconds - passed));
  }
}
