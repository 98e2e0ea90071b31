import type { Db } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Logger } from '../log.ts';

/** A later time was written while the clock was ahead. */
const AHEAD = sql`now() + interval '1 minute'`;
/** No pause that the queue takes by itself is longer. */
const LONGEST_PAUSE = sql`now() + interval '2 hours'`;
/** Minutes without a look at the schedules after which they count as stopped. */
const STOPPED_MINUTES = 5;

/**
 * Pulls back the times of the queue that lie in the future. The queue compares them with the
 * present, so after a clock was ahead it would run no schedule until their time comes. Returns the
 * number of changed rows.
 */
export async function pullBackTimes({
  db,
  log,
}: {
  readonly db: Db;
  readonly log: Pick<Logger, 'warn'>;
}): Promise<number | undefined> {
  try {
    const rows = await pullBack(db);
    if (rows > 0)
      log.warn({ rows }, 'a clock was ahead: times of the job queue in the future are now');
    return rows;
  } catch (error) {
    log.warn({ error: String(error) }, 'the times of the job queue could not be looked at');
    return undefined;
  }
}

async function pullBack(db: Db): Promise<number> {
  return db.transaction(async (tx) => {
    // The first start creates the tables of the queue later.
    const queue = await sql<{ has_queue: boolean }>`
      select to_regclass('jobs.version') is not null as has_queue`.execute(tx);
    if (!queue.rows[0]?.has_queue) return 0;
    const passes = await sql`
      update jobs.version set cron_on = least(cron_on, now()), flow_on = least(flow_on, now()),
        bam_on = least(bam_on, now()), reindex_on = least(reindex_on, now()),
        monitor_backoff_on = case when monitor_backoff_on <= ${LONGEST_PAUSE}
          then monitor_backoff_on end
      where greatest(cron_on, flow_on, bam_on, reindex_on) > ${AHEAD}
        or monitor_backoff_on > ${LONGEST_PAUSE}`.execute(tx);
    const queues = await sql`
      update jobs.queue set monitor_claim_on = least(monitor_claim_on, now()),
        monitor_on = least(monitor_on, now()), maintain_on = least(maintain_on, now())
      where greatest(monitor_claim_on, monitor_on, maintain_on) > ${AHEAD}`.execute(tx);
    // A job with a chosen time keeps it. The slot of a schedule is free again for its true time.
    const waiting = await sql`
      update jobs.job set created_on = least(created_on, now()),
        started_on = least(started_on, now()), heartbeat_on = least(heartbeat_on, now()),
        singleton_on = case when created_on > ${AHEAD} then null else singleton_on end,
        start_after = case when state = 'retry' or start_after <= created_on + interval '1 minute'
          then least(start_after, now()) else start_after end
      where greatest(created_on, started_on, heartbeat_on) > ${AHEAD}`.execute(tx);
    const schedules = await sql`
      update jobs.schedule set created_on = least(created_on, now()), updated_on = now()
      where greatest(created_on, updated_on) > ${AHEAD}`.execute(tx);
    const attached = await sql`
      update job set date_alive = now()
      where attached and state = 'running' and date_alive > ${AHEAD}`.execute(tx);
    return [passes, queues, waiting, schedules, attached].reduce(
      (sum, { rowCount }) => sum + rowCount,
      0,
    );
  });
}

/** Returns the last look at the schedules if they have stopped. Undefined while they run. */
export async function schedulesStopped(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ last: Date | null }>`
    select cron_on as last from jobs.version
    where cron_on < now() - make_interval(mins => ${STOPPED_MINUTES})
      or cron_on > ${AHEAD}`.execute(db);
  return rows[0]?.last ?? undefined;
}
