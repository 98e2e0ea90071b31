/** What happens while the permission of a session cannot be checked. */
export interface GraceEvents {
  /** It begins, and lasts so many seconds at most. */
  began(seconds: number): void;
  /** The permission was checked again. */
  confirmed(): void;
  /** It lasted too long. */
  expired(): void;
}

/** How long one session continues while nobody can say whether it is still allowed. */
export class Grace {
  private since: Date | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly events: GraceEvents;
  private most: number;
  private isStopped = false;

  constructor(mostSeconds: number, events: GraceEvents) {
    this.most = mostSeconds;
    this.events = events;
  }

  /** The check failed; of several failures the first one counts. */
  begin(since = new Date()): void {
    if (this.isStopped || this.since) return;
    this.since = since;
    const left = this.secondsLeft();
    if (left > 0) this.events.began(left);
    this.arm();
  }

  /** The check succeeded. */
  confirm(): void {
    if (!this.since) return;
    this.since = undefined;
    clearTimeout(this.timer);
    this.events.confirmed();
  }

  /** The limit has changed, also for what has begun. */
  limit(mostSeconds: number): void {
    this.most = mostSeconds;
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
    return Math.max(0, Math.ceil(this.most - passed));
  }
}
