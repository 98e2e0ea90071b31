import type pg from 'pg';

/** Interval between readings of the database's clock. */
export const READ_CLOCK_MILLISECONDS = 10_000;
/** A reading that took longer says too little. */
const MOST_ROUND_TRIP = 2_000;
/** A larger difference is a clock that was set, and is taken over at once. */
const STEP = 1_000;
/** Part of a smaller difference that one reading corrects. */
const SMOOTHING = 0.25;

/** Milliseconds that the clock of a server may differ from the database's before we report it. */
export const CLOCKS_APART_MILLISECONDS = 2_000;

/**
 * The clock of the database, which all servers share. Between readings it follows the monotonic
 * clock of this process, so it does not jump when the clock of this machine is set.
 */
class DatabaseClock {
  /** Adds to the monotonic clock. Undefined before the first reading: then the own clock counts. */
  #base: number | undefined;
  #ahead: number | undefined;

  /** The time of the database in milliseconds since 1970, without asking it. */
  now(): number {
    return this.#base === undefined ? Date.now() : this.#base + performance.now();
  }

  date(): Date {
    return new Date(this.now());
  }

  /**
   * Milliseconds by which the clock of this machine is ahead of the database's. Undefined before
   * the first reading.
   */
  get ahead(): number | undefined {
    return this.#ahead;
  }

  /** Reads the clock of the database. */
  async read(pool: Pick<pg.Pool, 'query'>): Promise<void> {
    const sent = performance.now();
    const { rows } = await pool.query<{ now: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
    );
    const [row] = rows;
    const roundTrip = performance.now() - sent;
    if (!row || roundTrip > MOST_ROUND_TRIP) return;
    // The database answered between the request and now.
    const base = row.now - (sent + roundTrip / 2);
    this.#ahead = Date.now() - (base + performance.now());
    const difference = base - (this.#base ?? Number.NEGATIVE_INFINITY);
    const isStep = Math.abs(difference) > Math.max(STEP, roundTrip);
    this.#base = isStep ? base : base - difference * (1 - SMOOTHING);
  }
}

/** The clock of the database. Sessions, commands and whatever the database compares carry it. */
export const databaseClock = new DatabaseClock();

/**
 * The times of one session. They follow the database's clock and never go back, also while that
 * clock is put back.
 */
export class SessionTimes {
  /** The latest time of each session, and the moment in which it was given. */
  readonly #latest = new Map<string, { readonly date: number; readonly at: number }>();

  begin(id: string, date: Date): void {
    this.#latest.set(id, { date: date.getTime(), at: performance.now() });
  }

  /** Returns the date, or the time that has passed since the latest one if that is later. */
  of(id: string, date: Date): number {
    const latest = this.#latest.get(id);
    if (!latest) return date.getTime();
    const at = performance.now();
    const next = Math.max(date.getTime(), Math.round(latest.date + at - latest.at));
    this.#latest.set(id, { date: next, at });
    return next;
  }

  end(id: string): void {
    this.#latest.delete(id);
  }
}
