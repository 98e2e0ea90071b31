import type { Database } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { type Figure, latency, percentile, writeNumber } from './figure.ts';

/** Requests for each run of the fixed query. */
const REQUESTS_PER_REFERENCE = 5;

/**
 * A query that depends only on the number of assets and the speed of the machine. It runs between
 * the measured queries: their time as a multiple of it is the same on a slower or busy machine.
 */
export class FixedQuery {
  readonly #db: Database['db'];
  readonly #all: number[] = [];
  #recent: number[] = [];
  #turns = 0;

  constructor({ db }: Database) {
    this.#db = db;
  }

  /** Asks it, once for several calls. */
  async ask(): Promise<void> {
    if (this.#turns++ % REQUESTS_PER_REFERENCE !== 0) return;
    const began = performance.now();
    await sql`select count(*) from (select id from asset order by id) ordered`.execute(this.#db);
    this.#recent.push(performance.now() - began);
  }

  /** The same figures, each with its ratio to the median of the fixed query in the meantime. */
  compare(figures: readonly Figure[]): Figure[] {
    const median = percentile(this.#recent, 0.5);
    this.#all.push(...this.#recent);
    this.#recent = [];
    return figures.map((figure) => ({
      ...figure,
      note: [figure.note, `${writeNumber(figure.value / median)} × fixed query`]
        .filter(Boolean)
        .join('; '),
    }));
  }

  figures(): Figure[] {
    return latency(
      'Fixed query',
      this.#all,
      undefined,
      'all assets counted in the order of their ids; the measure of the machine',
    );
  }
}
