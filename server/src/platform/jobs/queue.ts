import { CompiledQuery } from 'kysely';
import type pg from 'pg';
import { type Db as BossDb, PgBoss } from 'pg-boss';
import type { Bus } from '../bus/bus.ts';
import type { Db, Tx } from '../db/database.ts';
import { createGate } from '../gate.ts';
import type { Logger } from '../log.ts';
import { mirrorQueue } from './mirror.ts';
import { SCHEMA } from './schema.ts';

/** How the queue looks for work besides being notified. The values are a compromise between an idle database and the time to notice a lost server. */
export interface Pace {
  /** Between looks for jobs whose time has come: delayed ones and further tries. */
  readonly pollSeconds: number;
  /** A run that gave no sign for this long is given to another server; at least 10. */
  readonly leaseSeconds: number;
  /** Between looks for runs whose lease ended, and between looks at the schedules. */
  readonly superviseSeconds: number;
}

export const PACE: Pace = { pollSeconds: 30, leaseSeconds: 20, superviseSeconds: 20 };

/** How many statements of the queue run at the same time. */
const QUEUE_STATEMENTS = 3;

/** A transaction of ours as pg-boss uses it. */
export function inTransaction(tx: Db | Tx): BossDb {
  return {
    async executeSql(text, values) {
      const { rows } = await tx.executeQuery(CompiledQuery.raw(text, values ? [...values] : []));
      return { rows };
    },
  };
}

/** pg-boss on our own pool, woken by our own bus: it opens no connection. */
export function createBoss(pool: pg.Pool, bus: Bus, log: Logger, pace: Pace): PgBoss {
  // Each kind of job looks into its queue by itself, all of them at the start: together they would open every connection that there may be.
  const gate = createGate(QUEUE_STATEMENTS);
  // Every queue reports its own errors: without the database there would be several lines a second.
  let isFailing = false;
  const boss = new PgBoss({
    schema: SCHEMA,
    db: {
      async executeSql(text, values) {
        const leave = await gate.enter();
        try {
          // Several statements at once are allowed only without parameters.
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
    // Jobs that depend on each other are not used.
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

/** Makes or updates the schema of the queue, without running anything. */
export async function prepareQueue(pool: pg.Pool, bus: Bus, log: Logger): Promise<void> {
  const boss = createBoss(pool, bus, log, PACE);
  await boss.start();
  await boss.stop({ graceful: false, close: false });
  await mirrorQueue(pool);
}
