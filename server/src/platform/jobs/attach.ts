import type pg from 'pg';
import type { Bus } from '../bus/bus.ts';
import { type Db, sqlState } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { currentWork, partOf, Work } from '../db/work.ts';
import { Conflict } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { JobCaller, JobDefinition, RunningJob } from './definition.ts';
import { createReporter, problemOf, type Reporter } from './run.ts';
import { commitOnce } from './workers.ts';

/** Lease of an attached job: without a heartbeat for this long it counts as lost. */
export const ATTACHED_LEASE_SECONDS = 60;

/** A kind of job that runs inside a request. */
export interface AttachedJob {
  readonly name: string;
  readonly title: JobDefinition['title'];
  readonly access: number;
  readonly subject?: string;
  /** `none`: the job is deleted when it ends. */
  readonly history: 'all' | 'none';
}

/** An attached job while its request runs. Its input stays in the request. */
export type AttachedRun = Omit<RunningJob<undefined>, 'input'>;

interface AttachOptions {
  readonly db: Db;
  readonly bus: Bus;
  readonly log: Logger;
  readonly reporters: Map<string, Reporter>;
}

/**
 * Runs work of a request as a job. Writes about the job are not part of the request's work, so the
 * end of the request does not stop them.
 */
export async function attach<T>(
  { name, subject = '', history }: AttachedJob,
  { id, caller }: { readonly id: string; readonly caller: JobCaller },
  run: (job: AttachedRun) => Promise<T>,
  { db, bus, log, reporters }: AttachOptions,
): Promise<T> {
  const own = <R>(action: () => Promise<R>): Promise<R> => partOf(new Work(), action);
  const request = currentWork();
  await own(() => insert(db, { id, name, subject, caller }));
  await own(() => bus.publish('job', id));
  const reporter = createReporter({ db, id, attempt: 1, log });
  reporters.set(id, reporter);
  const over = async (state: 'succeeded' | 'failed', problem: unknown) => {
    reporters.delete(id);
    await reporter.finish();
    if (history === 'none') await sql`delete from job where id = ${id}`.execute(db);
    else
      await sql`
        update job set state = ${state}, date_finished = now(),
          problem = ${problem === null ? null : JSON.stringify(problem)}::jsonb
        where id = ${id} and state = 'running'`.execute(db);
    await bus.publish('job', id);
  };
  try {
    const result = await run({
      id,
      attempt: 1,
      caller,
      signal: reporter.signal,
      progress: reporter.progress,
      once: (tx) => commitOnce(tx, id),
      log: reporter.log,
    });
    await own(() => over('succeeded', null));
    return result;
  } catch (error) {
    await own(() =>
      over('failed', request?.stopped ? { code: 'job_abandoned' } : problemOf(error)),
    );
    throw error;
  }
}

/** @throws Conflict if another job has the id */
async function insert(
  db: Db,
  { id, name, subject, caller }: { id: string; name: string; subject: string; caller: JobCaller },
): Promise<void> {
  try {
    await sql`
      insert into job (id, name, subject, org_id, user_id, started_by,
        state, attempt, attached, date_alive, date_started)
      values (${id}, ${name}, ${subject}, ${caller.organization}, ${caller.userId ?? null},
        ${caller.name}, 'running', 1, true, now(), now())`.execute(db);
  } catch (error) {
    if (sqlState(error)?.code === '23505') throw new Conflict('job_exists');
    throw error;
  }
}

/**
 * Cancels an attached job unless it has committed its work.
 * @returns true if it was canceled
 */
export async function cancelAttached(
  id: string,
  { db, bus }: Pick<AttachOptions, 'db' | 'bus'>,
): Promise<boolean> {
  const { rowCount } = await sql`
    update job set state = 'canceled', date_finished = now()
    where id = ${id} and attached and state = 'running' and not committed`.execute(db);
  if (rowCount === 0) return false;
  await bus.publish('job', id);
  return true;
}

/**
 * Fails attached jobs whose server was lost: they have no row in the queue whose lease could
 * expire.
 */
export async function endLostAttached({
  db,
  log,
}: Pick<AttachOptions, 'db' | 'log'>): Promise<void> {
  const ended = sql`
    update job set state = 'failed', date_finished = now(), problem = '{"code": "job_interrupted"}'
    where attached and state = 'running'
      and date_alive < now() - make_interval(secs => ${ATTACHED_LEASE_SECONDS})`.execute(db);
  await ended.catch((error: unknown) =>
    log.warn({ error: String(error) }, 'attached jobs could not be looked at'),
  );
}

/**
 * Ends jobs that were queued or running at a backup and are not in `job_request` as interrupted.
 * Runs in the transaction that restores the tables.
 */
export async function endLostJobs(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(`
    update job
    set state = 'failed', problem = '{"code":"job_interrupted"}', date_finished = now()
    where state in ('queued', 'running') and id not in (select id from job_request)`);
}
