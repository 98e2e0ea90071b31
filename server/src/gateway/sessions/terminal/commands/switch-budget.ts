/**
 * Limits the mode switches that take effect per time window. Beyond the limit it keeps the last
 * state of each mode and reports the end of the window.
 */
export class SwitchBudget<Name> {
  private left: number;
  private timer: NodeJS.Timeout | undefined;
  private readonly late = new Map<Name, boolean>();
  private readonly max: number;
  private readonly windowMs: number;
  private readonly onWindowOver: () => void;

  constructor(max: number, windowMs: number, onWindowOver: () => void) {
    this.max = max;
    this.left = max;
    this.windowMs = windowMs;
    this.onWindowOver = onWindowOver;
  }

  /** Returns true if this switch takes effect now; otherwise keeps its state. */
  spend(name: Name, on: boolean): boolean {
    this.timer ??= setTimeout(() => this.renew(), this.windowMs);
    if (this.left > 0 && this.late.size === 0) {
      this.left--;
      return true;
    }
    this.late.set(name, on);
    return false;
  }

  /** Resets the budget: user input makes switches relevant again. */
  refill(): void {
    this.left = this.max;
  }

  /** Returns and clears the kept switches with their last state. */
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
    this.left = this.max;
    this.onWindowOver();
  }
}
