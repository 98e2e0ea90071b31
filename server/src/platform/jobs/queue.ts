import type pg from 'pg';
import { type Db as BossDb, PgBoss } from 'pg-boss';
import type { Bus } from '../bus/bus.ts';
import type { Db, Tx } from '../db/database.ts';
import { createGate } from '../gate.ts';
import type { Logger } from '../log.ts';
import { mirrorQueue, SCHEMA } from './mirror.ts';

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
  const boss = new PgBoss({
    schema: SCHEMA,
    db: {
      async executeSql(text, values) {
        const leave = await gate.enter();
        try {
          // PostgreSQL accepts several statements at once only without parameters.
          const result = await (values && values.length > 0
            ? pool.query(text, [...values])
            : pool.query(text));
          if (isFailing) log.info('the job queue works again');
          isFailing = false;
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
    cronMonitorIntervalSeconds: pace.superviseSeconds,
    cronWorkerIntervalSeconds: pace.superviseSeconds,
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
