import { formatDatetime, type JobLine } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { OUTCOME } from './conditions.ts';

/** Rows of each list. */
const MOST = 50;
/** Servers with a heartbeat within this time are alive. */
const ALIVE_SECONDS = 40;
const LATELY = sql`now() - interval '1 day'`;
const SECONDS = sql`extract(epoch from coalesce(t.date_finished, now()) - t.date_started)::float8`;

interface QueueRow {
  readonly name: string;
  readonly waiting: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
  readonly average_seconds: number | null;
  readonly longest_seconds: number | null;
  readonly date_last: Date | null;
}

/**
 * The results of each kind of job in the last 24 hours, and its current work. Kinds that keep
 * failures only have counts of failures only.
 */
export async function queuesLately(db: Db): Promise<readonly QueueRow[]> {
  const { rows } = await sql<QueueRow>`
    select t.name, (count(*) filter (where t.state = 'queued'))::int as waiting,
      (count(*) filter (where t.state = 'running'))::int as running,
      (count(*) filter (where t.state = 'succeeded' and t.failed = 0))::int as succeeded,
      (count(*) filter (where t.state = 'failed' or t.state = 'succeeded' and t.failed > 0))::int
        as failed,
      (count(*) filter (where t.state = 'canceled'))::int as canceled,
      avg(${SECONDS}) filter (where t.date_finished is not null) as average_seconds,
        max(${SECONDS}) filter (where t.date_finished is not null) as longest_seconds,
      max(t.date_finished) as date_last
    from job t where t.state in ('queued', 'running') or t.date_created > ${LATELY} group by t.name
      order by running desc, waiting desc, t.name`.execute(db);
  return rows;
}

interface CurrentRow {
  readonly id: string;
  readonly name: string;
  readonly subject: string;
  readonly started_by: string;
  readonly state: 'queued' | 'running';
  readonly done: number;
  readonly total: number;
  readonly seconds: number | null;
  readonly date_created: Date;
}

/** Running jobs, then the next queued ones. */
export async function runningOrWaiting(db: Db): Promise<readonly CurrentRow[]> {
  const { rows } = await sql<CurrentRow>`
    select t.id, t.name, t.subject, t.started_by, t.state, t.done, t.total,
      case when t.state = 'running' then ${SECONDS} end as seconds, t.date_created
    from job t where t.state in ('running', 'queued') order by t.state desc, t.date_created
      limit ${MOST}`.execute(db);
  return rows;
}

interface FailedRow {
  readonly id: string;
  readonly name: string;
  readonly subject: string;
  readonly started_by: string;
  readonly state: 'failed' | 'succeeded';
  readonly outcome: string;
  readonly problem: unknown;
  readonly failed: number;
  readonly total: number;
  readonly seconds: number | null;
  readonly date_created: Date;
  readonly date_finished: Date;
}

/** Jobs that failed completely or partly in the last 24 hours, newest first. */
export async function failedLately(db: Db): Promise<readonly FailedRow[]> {
  const { rows } = await sql<FailedRow>`
    select t.id, t.name, t.subject, t.started_by, t.state, ${OUTCOME} as outcome, t.problem,
      t.failed, t.total, ${SECONDS} as seconds, t.date_created, t.date_finished
    from job t where (t.state = 'failed' or t.state = 'succeeded' and t.failed > 0)
      and t.date_finished > ${LATELY} order by t.date_finished desc limit ${MOST}`.execute(db);
  return rows;
}

/** A server in the monitor. */
export interface ServerRow {
  readonly id: string;
  readonly host: string;
  readonly is_alive: boolean;
  readonly is_stopping: boolean;
  readonly date_started: Date;
  readonly date_seen: Date;
}

/** The servers that process jobs. */
export async function serversSeen(db: Db): Promise<readonly ServerRow[]> {
  const { rows } = await sql<ServerRow>`
    select id, host, date_seen > now() - make_interval(secs => ${ALIVE_SECONDS}) as is_alive,
      is_stopping, date_started, date_seen
    from server order by date_started`.execute(db);
  return rows;
}

/** The lines of a job after a line number, oldest first. */
export async function linesAfter(
  db: Db,
  id: string,
  line: number,
  zone: string,
): Promise<JobLine[]> {
  const { rows } = await sql<{ line: number; date: Date; text: string }>`
    select line, date, text from job_log
      where job_id = ${id} and line > ${line} order by line`.execute(db);
  return rows.map((row) => ({ ...row, date: formatDatetime(row.date, zone) }));
}

/** Returns the user who started a job. Null for a job of the server, and for an unknown one. */
export async function ownerOf(db: Db, id: string): Promise<string | null> {
  const { rows } = await sql<{ user_id: string | null }>`
    select user_id from job where id = ${id}::uuid`.execute(db);
  return rows[0]?.user_id ?? null;
}
