/** Report at this count at the latest. */
const MAX_HIDDEN = 100;

/** Counts typed lines that the screen did not show. Reports only their number. */
export class HiddenLines {
  private lines = 0;
  private since = 0;
  private readonly onReport: (label: string, since: number) => void;

  /** `onReport` receives a label and the time of the first line. */
  constructor(onReport: (label: string, since: number) => void) {
    this.onReport = onReport;
  }

  get areWaiting(): boolean {
    return this.lines > 0;
  }

  add(at: number): void {
    if (this.lines === 0) this.since = Math.round(at);
    this.lines++;
    if (this.lines >= MAX_HIDDEN) this.report();
  }

  /** Reports the lines so far, if any. */
  report(): void {
    const { lines } = this;
    if (lines === 0) return;
    this.lines = 0;
    this.onReport(`# ${lines} ${lines === 1 ? 'line' : 'lines'} typed without echo`, this.since);
  }
}
