/** Tracks output that reached the screen. */
export class ScreenUpdates {
  /** Time of the last update, in milliseconds since the session began. */
  at = 0;
  count = 0;
  private onNext: (() => void) | undefined;

  note(at: number): void {
    this.at = at;
    this.count++;
    this.onNext?.();
  }

  /** Waits for the next update, at most this long. */
  async next(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((done) => {
      this.onNext = done;
      timer = setTimeout(done, milliseconds);
    });
    clearTimeout(timer);
    this.onNext = undefined;
  }
}
