/** Tracks database outages. Probes one at a time; the first failure is the start. */
export class Outage {
  private readonly answers: () => Promise<boolean>;
  private looking: Promise<void> | undefined;
  private began: Date | undefined;

  /** `answers` must settle within a few seconds in any case. */
  constructor(answers: () => Promise<boolean>) {
    this.answers = answers;
  }

  /** Time of the first failed probe; undefined while the database answers. */
  get since(): Date | undefined {
    return this.began;
  }

  /** Probes the database. Calls during a probe share its result. */
  look(): Promise<void> {
    this.looking ??= this.probe().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async probe(): Promise<void> {
    const at = new Date();
    if (await this.answers()) this.began = undefined;
    else this.began ??= at;
  }
}
