/** Since when the database has not answered. One probe at a time; the first failure is the beginning. */
export class Outage {
  private readonly answers: () => Promise<boolean>;
  private looking: Promise<void> | undefined;
  private began: Date | undefined;

  /** `answers` settles within a few seconds, whatever happens to the database. */
  constructor(answers: () => Promise<boolean>) {
    this.answers = answers;
  }

  /** When the database did not answer for the first time; undefined while it answers. */
  get since(): Date | undefined {
    return this.began;
  }

  /** Asks the database. Calls during a probe share its result. */
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
