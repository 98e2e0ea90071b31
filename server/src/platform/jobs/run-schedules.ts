import type { PgBoss } from 'pg-boss';
import type { Db, Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Logger } from '../log.ts';
import type { Envelope } from './envelope.ts';
import { isInterval, nextOccurrence } from './occurrences.ts';
import { inTransaction } from './queue.ts';

/** A run of a crontab that is later is skipped. Upgrades and failovers take less. */
const LATE_MINUTES = 5;

/** A schedule as `Schedules` stores it. */
interface ScheduleRow {
  readonly name: string;
  readonly key: string;
  readonly cron: string;
  readonly timezone: string;
  readonly data: Envelope | null;
  /** `once` or `skip`. */
  readonly missed: string | null;
  readonly singleton_key: string | null;
  readonly date_stored: Date;
  /** True if it was stored after the last pass. */
  readonly is_new: boolean;
}

/** The next run of an expression from one moment on. */
interface Upcoming {
  readonly expression: string;
  readonly from: number;
  readonly next: number;
}

interface RunnerOptions {
  readonly boss: PgBoss;
  readonly db: Db;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Seconds between two passes of all servers together. */
  readonly everySeconds: number;
}

/**
 * Queues the runs of schedules that are due. The runs since the last pass of any server are queued
 * in the transaction that moves the pass on, so each is queued once.
 */
export class ScheduleRunner {
  readonly #options: RunnerOptions;
  /** By name and key. Most schedules are not due, which this tells without the calendar. */
  #upcoming = new Map<string, Upcoming>();
  #timer: NodeJS.Timeout | undefined;
  #passing: Promise<void> | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  start(): void {
    void this.pass();
    const pass = () => void this.pass();
    this.#timer = setInterval(pass, this.#options.everySeconds * 1_000).unref();
  }

  /** Starts no further pass and waits for the current one. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#passing;
  }

  /** Queues all runs that are due, unless another server has just done so. */
  async pass(): Promise<void> {
    this.#passing ??= this.#pass().finally(() => {
      this.#passing = undefined;
    });
    await this.#passing;
  }

  async #pass(): Promise<void> {
    const { db, log } = this.#options;
    try {
      await db.transaction((tx) => this.#runDue(tx));
    } catch (error) {
      log.warn({ error: String(error) }, 'the schedules could not be looked at');
    }
  }

  async #runDue(tx: Tx): Promise<void> {
    // Half of the pause, because timers of servers differ.
    const { rows: claims } = await sql<{ last: Date | null; now: Date }>`
      with prior as (
        select cron_on from jobs.version
        where cron_on is null
          or cron_on <= now() - make_interval(secs => ${this.#options.everySeconds / 2})
        for update skip locked)
      update jobs.version set cron_on = date_trunc('milliseconds', now()) from prior
      returning prior.cron_on as last, date_trunc('milliseconds', now()) as now`.execute(tx);
    const [claim] = claims;
    if (!claim) return;
    const { last, now } = { last: claim.last ?? new Date(0), now: claim.now };
    // A schedule that is being stored belongs to the next pass.
    const { rows } = await sql<ScheduleRow>`
      select name, key, cron, coalesce(timezone, 'UTC') as timezone, data,
        options ->> 'missed' as missed, options ->> 'singletonKey' as singleton_key,
        updated_on as date_stored,
        updated_on > ${last} as is_new
      from jobs.schedule where updated_on <= ${now} order by name, key`.execute(tx);
    const upcoming = new Map<string, Upcoming>();
    for (const row of rows) {
      const isDue = this.#isDue(row, last, now, upcoming);
      if (isDue) await this.#queue(tx, row);
    }
    this.#upcoming = upcoming;
  }

  /** Returns true if a schedule is due; logs one that cannot be read, and returns false. */
  #isDue(row: ScheduleRow, last: Date, now: Date, upcoming: Map<string, Upcoming>): boolean {
    const { log } = this.#options;
    const about = { job: row.name, key: row.key, schedule: row.cron };
    try {
      const next = this.#nextRun(row, last, upcoming);
      if (next > now.getTime()) return false;
      const isLate = now.getTime() - next > LATE_MINUTES * 60_000;
      if (isLate && row.missed !== 'once') {
        const since = now.getTime() - LATE_MINUTES * 60_000;
        const recent = nextOccurrence(row.cron, row.timezone, new Date(since));
        const isDue = recent !== undefined && recent <= now;
        if (!isDue) log.warn(about, 'the run of a crontab was missed; it is not made up for');
        return isDue;
      }
      if (isLate) log.warn({ ...about, due: new Date(next) }, 'a scheduled job starts late');
      return true;
    } catch (error) {
      log.error({ ...about, error: String(error) }, 'a schedule cannot be read');
      return false;
    }
  }

  #nextRun(row: ScheduleRow, last: Date, upcoming: Map<string, Upcoming>): number {
    const { name, key, cron, timezone, date_stored: stored, is_new: isNew } = row;
    // A crontab has no run before it was stored; an interval may have been due before.
    const first = isInterval(cron) ? new Date(0) : stored;
    const from = (isNew ? first : last).getTime();
    const [id, expression] = [`${name} ${key}`, `${timezone} ${cron}`];
    const known = this.#upcoming.get(id);
    const isKnown = known?.expression === expression && known.from <= from && known.next > from;
    const next = isKnown
      ? known.next
      : (nextOccurrence(cron, timezone, new Date(from))?.getTime() ?? Number.POSITIVE_INFINITY);
    upcoming.set(id, { expression, from, next });
    return next;
  }

  /** Queues one run. A failure costs this run and no other. */
  async #queue(
    tx: Tx,
    { name, key, data, singleton_key: singletonKey }: ScheduleRow,
  ): Promise<void> {
    const { boss, log } = this.#options;
    await sql`savepoint schedule`.execute(tx);
    try {
      await boss.send(name, data, {
        ...(singletonKey !== null && { singletonKey }),
        db: inTransaction(tx),
      });
      await sql`release savepoint schedule`.execute(tx);
    } catch (error) {
      await sql`rollback to savepoint schedule`.execute(tx);
      log.error({ job: name, key, error: String(error) }, 'a scheduled job could not be queued');
    }
  }
}
