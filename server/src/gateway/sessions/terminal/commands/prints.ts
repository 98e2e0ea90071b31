/** When output was last put on the screen, for those who wait for more of it. */
export class Prints {
  /** Of the last one, in milliseconds since the session began. */
  at = 0;
  count = 0;
  private onNext: (() => void) | undefined;

  /** Output was put on the screen. */
  note(at: number): void {
    this.at = at;
    this.count++;
    this.onNext?.();
  }

  /** Waits until more output is on the screen, but no longer than some milliseconds. */
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
