import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { sqlState } from '../db/database.ts';
import { SCHEMA } from './schema.ts';

const LOCK_NOT_AVAILABLE = '55P03';
const RETRY_MILLISECONDS = 25;
const MAXIMUM_TRIES = 400;

/**
 * Makes the triggers that keep the table `job` in step with the queue, unless they exist. To change one, a migration drops it.
 * Triggers lock the queue's table and then its partition. The statement with which pg-boss records a failure locks them in the other order, and so would
 * wait for us while we wait for it. Nothing waits here: both locks are taken at once or not at all, and then it is tried again.
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
    if (select count(*) from pg_trigger where tgrelid = '${SCHEMA}.job'::regclass and tgname in ('mirror_new', 'mirror_change')) = 2 then
      return;
    end if;
    lock table ${SCHEMA}.job in share row exclusive mode nowait;
    create or replace trigger mirror_new after insert on ${SCHEMA}.job
      for each row when (new.name not like '\\_\\_%') execute function public.mirror_job();
    create or replace trigger mirror_change after update of state on ${SCHEMA}.job
      for each row when (new.name not like '\\_\\_%' and (old.state is distinct from new.state or old.retry_count <> new.retry_count))
      execute function public.mirror_job();
  end $make$`;
