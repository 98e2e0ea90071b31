import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { sqlState } from '../db/database.ts';
import { sql } from '../db/sql.ts';

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
