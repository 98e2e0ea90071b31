/** Lines without echo are reported at the next one that was shown, at the end, or when there are so many. */
const MOST_HIDDEN = 100;

/** Counts lines that were typed and that the screen did not show, and reports them together: how many, and nothing else. */
export class HiddenLines {
  private lines = 0;
  private since = 0;
  private readonly onReport: (label: string, since: number) => void;

  /** `onReport` gets a label and when the first of the lines was typed. */
  constructor(onReport: (label: string, since: number) => void) {
    this.onReport = onReport;
  }

  /** Whether there are lines that were not reported yet. */
  get areWaiting(): boolean {
    return this.lines > 0;
  }

  /** Counts a line that was typed at a moment. */
  add(at: number): void {
    if (this.lines === 0) this.since = Math.round(at);
    this.lines++;
    if (this.lines >= MOST_HIDDEN) this.report();
  }

  /** Reports the lines so far, if there are any. */
  report(): void {
    const { lines } = this;
    if (lines === 0) return;
    this.lines = 0;
    this.onReport(`# ${lines} ${lines === 1 ? 'line' : 'lines'} typed without echo`, this.since);
  }
}
