import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Db as BossDb, PgBoss } from 'pg-boss';
import type { Bus } from '../bus/bus.ts';
import { type Db, sqlState, type Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { createGate } from '../gate.ts';
import type { Logger } from '../log.ts';

/** The watchers of jobs, by job id. */
export class JobWatchers {
  readonly #byJob = new Map<string, Set<() => void>>();

  /** Calls `changed` whenever the job may have changed. Returns a function that stops watching. */
  watch(id: string, changed: () => void): () => void {
    const listeners = this.#byJob.get(id) ?? new Set();
    this.#byJob.set(id, listeners.add(changed));
    return () => {
      listeners.delete(changed);
      if (listeners.size === 0 && this.#byJob.get(id) === listeners) this.#byJob.delete(id);
    };
  }

  /** Waits for the next change of a job, from the time of the call. */
  nextChange(id: string): Promise<void> {
    return new Promise((settle) => {
      const stop = this.watch(id, () => {
        stop();
        settle();
      });
    });
  }

  /** Calls the watchers of a job. */
  notify(id: string): void {
    for (const changed of this.#byJob.get(id) ?? []) changed();
  }

  /** Calls all watchers, after messages may have been lost. */
  notifyAll(): void {
    for (const id of this.#byJob.keys()) this.notify(id);
  }
}

/** Schema of pg-boss in our database. */
export const SCHEMA = 'jobs';

/** pg-boss table of queued, running and recent jobs. */
export const QUEUE = sql.table(`${SCHEMA}.job`);

const LOCK_NOT_AVAILABLE = '55P03';
const RETRY_MILLISECONDS = 25;
const MAXIMUM_TRIES = 400;

/**
 * Creates the triggers that copy changes of the queue to the table `job`, unless they exist. A
 * migration that changes a trigger drops it.
 * Creating a trigger locks the queue's table and then its partition. pg-boss locks them in the
 * opposite order when it records a failure, which would deadlock. Therefore both locks are taken
 * without waiting, and retried.
 */
export async function mirrorQueue(pool: pg.Pool): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await pool.query(MAKE_TRIGGERS);
      return;
    } catch (error) {
      if (sqlState(error)?.code !== LOCK_NOT_AVAILABLE || tries === MAXIMUM_TRIES) throw error;
      await sleep(RETRY_MILLISECONDS);
    }
  }
}

const MAKE_TRIGGERS = `
  do $make$ begin
    if (select count(*) from pg_trigger where tgrelid = '${SCHEMA}.job'::regclass
        and tgname in ('mirror_new', 'mirror_change')) = 2 then
      return;
    end if;
    lock table ${SCHEMA}.job in share row exclusive mode nowait;
    create or replace trigger mirror_new after insert on ${SCHEMA}.job
      for each row when (new.name not like '\\_\\_%') execute function public.mirror_job();
    create or replace trigger mirror_change after update of state on ${SCHEMA}.job
      for each row when (new.name not like '\\_\\_%'
        and (old.state is distinct from new.state or old.retry_count <> new.retry_count))
      execute function public.mirror_job();
  end $make$`;

/**
 * Intervals of the queue in addition to notifications: a compromise between an idle database and
 * the time to notice a lost server.
 */
export interface Pace {
  /** Interval between polls for due jobs: delayed ones and retries. */
  readonly pollSeconds: number;
  /** Lease of a run: without a heartbeat for this long, another server takes over. At least 10. */
  readonly leaseSeconds: number;
  /** Interval between checks for expired leases and due schedules. */
  readonly superviseSeconds: number;
}

export const PACE: Pace = { pollSeconds: 30, leaseSeconds: 20, superviseSeconds: 20 };

/** Maximum parallel statements of the queue. */
const QUEUE_STATEMENTS = 3;

/** Adapts a transaction of ours for pg-boss. */
export function inTransaction(tx: Db | Tx): BossDb {
  return {
    async executeSql(text, values) {
      const { rows } = await tx.query({ text, values: values ?? [] });
      return { rows };
    },
  };
}

/** Creates pg-boss on our pool and our bus; it opens no connections. */
export function createBoss(pool: pg.Pool, bus: Bus, log: Logger, pace: Pace): PgBoss {
  // Each kind of job polls its queue separately, all of them at start. Without the gate they would
  // use every connection of the pool.
  const gate = createGate(QUEUE_STATEMENTS);
  // Every queue reports errors: without the database there would be several log lines a second.
  let isFailing = false;
  let failures = 0;
  const boss = new PgBoss({
    schema: SCHEMA,
    db: {
      async executeSql(text, values) {
        const leave = await gate.enter();
        const before = failures;
        try {
          // PostgreSQL accepts several statements at once only without parameters.
          const result = await (values && values.length > 0
            ? pool.query(text, [...values])
            : pool.query(text));
          // An answer that was on its way when the database went says nothing.
          if (isFailing && failures === before) {
            log.info('the job queue works again');
            isFailing = false;
          }
          return result;
        } finally {
          leave();
        }
      },
      async listen(channel, hear, reconnected) {
        await bus.subscribe(channel, hear, reconnected);
        return { close: async () => undefined };
      },
    },
    useListenNotify: true,
    superviseIntervalSeconds: pace.superviseSeconds,
    monitorIntervalSeconds: pace.superviseSeconds,
    // Schedules are evaluated by `run-schedules.ts`; pg-boss only stores them.
    schedule: false,
    queueCacheIntervalSeconds: pace.superviseSeconds,
    maintenanceIntervalSeconds: 6 * 3600,
    // We do not use jobs that depend on each other.
    flowIntervalSeconds: 3600,
    bamIntervalSeconds: 3600,
    persistQueueStats: false,
    persistWarnings: false,
  });
  boss.on('error', (error) => {
    if (!isFailing)
      log.warn({ error: error.message }, 'the job queue met an error; it tries again');
    isFailing = true;
    failures += 1;
  });
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'the job queue warns'));
  return boss;
}

/** Creates or migrates the schema of the queue without running jobs. */
export async function prepareQueue(pool: pg.Pool, bus: Bus, log: Logger): Promise<void> {
  const boss = createBoss(pool, bus, log, PACE);
  await boss.start();
  await boss.stop({ graceful: false, close: false });
  await mirrorQueue(pool);
}
