import type { Period } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { isRecent } from '../../../platform/db/recent.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { RowSchedule } from '../../../platform/jobs/definition.ts';
import { scheduleOf } from '../../../resources/write/period.ts';

export interface TaskRow {
  readonly id: string;
  readonly organization: string;
  readonly job: string;
  readonly subject: string;
  readonly input: unknown;
}

export interface TaskInput {
  readonly task: string;
}

/** Number of kept versions per task. */
const KEPT_VERSIONS = 5;

/** Reads a task; undefined if it was deleted. */
export async function taskOf(id: string, db: Db): Promise<TaskRow | undefined> {
  const { rows } =
    await sql<TaskRow>`select id, org_id as organization, job, subject, input from ops_task
      where id = ${id}`.execute(db);
  return rows[0];
}

/** True if a task (alias `t`) has a description. */
export const IS_DESCRIBED = sql`t.comment <> ''`;

/** Kinds of job by task id. */
export async function kindsOf(
  ids: readonly string[],
  db: Db,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{
    id: string;
    job: string;
  }>`select id, job from ops_task where id = any (${ids}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, job }) => [id, job]));
}

/** The subject of a job, as shown to its requester. */
export async function subjectOf(job: string, db: Db): Promise<string> {
  const { rows } = await sql<{
    subject: string;
  }>`select subject from job where id = ${job}`.execute(db);
  return rows[0]?.subject ?? '';
}

/** Name of a system user; its id if it was deleted. */
export async function systemUserNameOf(id: string, db: Db): Promise<string> {
  const { rows } = await sql<{
    name: string;
  }>`select name from system_account where id = ${id}`.execute(db);
  return rows[0]?.name ?? id;
}

/** Host name of an asset; its id if it was deleted. */
export async function hostnameOf(asset: string, db: Db): Promise<string> {
  const { rows } = await sql<{
    hostname: string;
  }>`select hostname from asset where id = ${asset}`.execute(db);
  return rows[0]?.hostname ?? asset;
}

/** Returns true if a run of the task is in progress. */
export async function isRunning(task: string, db: Db): Promise<boolean> {
  const { rows } = await sql`
    select 1 from adhoc_execution e join job j on j.id = e.id and j.state in ('queued', 'running')
    where e.task_id = ${task} and not e.is_finished limit 1`.execute(db);
  return rows.length > 0;
}

/** Tasks with a schedule. */
export async function scheduledTasks(db: Db): Promise<readonly RowSchedule<TaskInput>[]> {
  const { rows } = await sql<Omit<TaskRow, 'job' | 'input'> & Period & { since: Date }>`
    select id, org_id as organization, subject, is_periodic, crontab, interval,
      greatest(date_last_run, date_updated) as since
    from ops_task where is_periodic order by id`.execute(db);
  return rows.flatMap(({ id, subject, organization, since, ...period }) => {
    const schedule = scheduleOf(period);
    return schedule
      ? [{ key: id, schedule, since, input: { task: id }, subject, organization }]
      : [];
  });
}

/**
 * Ends runs whose job has ended or was deleted. Deletes old versions, old runs, and tasks without
 * recent runs or changes.
 */
export async function tidyTasks(days: number, db: Db): Promise<void> {
  await sql`
    update adhoc_execution e set is_finished = true, is_success = false, date_finished = now(),
      success_amount = found.done, failed_amount = found.failed, skipped_amount = found.skipped
    from (
      select open.id, count(h.id) filter (where h.state = 'done')::int as done,
        count(h.id) filter (where h.state = 'failed')::int as failed,
        count(h.id) filter (where h.state = 'skipped')::int as skipped
      from adhoc_execution open left join adhoc_execution_host h on h.execution_id = open.id
      where not open.is_finished and not ${isRecent(sql`open.date_start`, 1)}
        and not exists (select 1 from job j where j.id = open.id
          and j.state in ('queued', 'running'))
      group by open.id) found
    where e.id = found.id and not e.is_finished`.execute(db);
  await sql`delete from adhoc_execution where is_finished
    and date_start < now() - make_interval(days => ${days})`.execute(db);
  await sql`
    delete from adhoc where id in (
      select ranked.id from (select a.id, row_number()
        over (partition by a.task_id order by a.date_created desc) as place from adhoc a) ranked
      where ranked.place > ${KEPT_VERSIONS})`.execute(db);
  await sql`
    delete from ops_task t where not t.is_periodic and t.comment = ''
      and t.date_updated < now() - make_interval(days => ${days})
      and not exists (select 1 from adhoc_execution e where e.task_id = t.id)`.execute(db);
}
