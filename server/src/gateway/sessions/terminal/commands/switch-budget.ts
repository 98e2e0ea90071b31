/** Lets so many switches through in a window of time; of those beyond it remembers the last state of each switch, and says when the window is over. */
export class SwitchBudget<Name> {
  private left: number;
  private timer: NodeJS.Timeout | undefined;
  private readonly late = new Map<Name, boolean>();
  private readonly most: number;
  private readonly windowMs: number;
  private readonly onWindowOver: () => void;

  constructor(most: number, windowMs: number, onWindowOver: () => void) {
    this.most = most;
    this.left = most;
    this.windowMs = windowMs;
    this.onWindowOver = onWindowOver;
  }

  /** Whether this switch may be acted on at once; otherwise it is kept as late. */
  spend(name: Name, on: boolean): boolean {
    this.timer ??= setTimeout(() => this.renew(), this.windowMs);
    if (this.left > 0 && this.late.size === 0) {
      this.left--;
      return true;
    }
    this.late.set(name, on);
    return false;
  }

  /** Something happened that makes switches worth looking at again. */
  refill(): void {
    this.left = this.most;
  }

  /** The switches that were kept, each with its last state. */
  takeLate(): readonly (readonly [Name, boolean])[] {
    if (this.late.size === 0) return [];
    const late = [...this.late];
    this.late.clear();
    return late;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private renew(): void {
    this.timer = undefined;
    this.left = this.most;
    this.onWindowOver();
  }
}
