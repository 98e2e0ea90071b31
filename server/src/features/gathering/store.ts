import type { LocalText, Period } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { RowSchedule } from '../../platform/jobs/definition.ts';
import { scheduleOf } from '../../resources/write/period.ts';

export interface GatherTask {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
}

export interface GatherInput {
  readonly task: string;
}

export interface GatheredAccount {
  readonly username: string;
  readonly lastLogin?: { readonly date: Date; readonly from: string };
}

/** Number of kept runs per task. */
const KEPT_EXECUTIONS = 50;

/** Reads a task; undefined if it was deleted. */
export async function taskOf(id: string, db: Db): Promise<GatherTask | undefined> {
  const { rows } =
    await sql<GatherTask>`select id, name, org_id as organization from gather_user_task
      where id = ${id}`.execute(db);
  return rows[0];
}

/** Tasks with a schedule. */
export async function scheduledTasks(db: Db): Promise<readonly RowSchedule<GatherInput>[]> {
  const { rows } = await sql<GatherTask & Period & { since: Date }>`
    select id, name, org_id as organization, is_periodic, crontab, interval,
      greatest(date_last_run, date_updated) as since
    from gather_user_task where is_periodic order by id`.execute(db);
  return rows.flatMap(({ id, name, organization, since, ...period }) => {
    const schedule = scheduleOf(period);
    return schedule
      ? [{ key: id, schedule, since, input: { task: id }, subject: name, organization }]
      : [];
  });
}

/** Starts a run, or restarts an interrupted one. Deletes old runs. */
export async function beginExecution(
  id: string,
  task: GatherTask,
  total: number,
  db: Db,
): Promise<void> {
  await db.transaction(async (tx) => {
    await sql`
      insert into gather_user_execution (id, org_id, task_id, total)
      values (${id}, ${task.organization}, ${task.id}, ${total})
      on conflict (id) do update set total = excluded.total, succeed = 0, failed = 0,
        is_finished = false, date_start = now(), date_finished = null`.execute(tx);
    await sql`delete from gather_user_result where execution_id = ${id}`.execute(tx);
    await sql`update gather_user_task set date_last_run = now() where id = ${task.id}`.execute(tx);
    await sql`
      delete from gather_user_execution where task_id = ${task.id} and id not in (
        select id from gather_user_execution where task_id = ${task.id} order by date_start desc
        limit ${KEPT_EXECUTIONS})`.execute(tx);
  });
}

export async function endExecution(id: string, db: Db): Promise<void> {
  await sql`update gather_user_execution set is_finished = true, date_finished = now()
    where id = ${id}`.execute(db);
}

/** Result of one server. */
export interface GatherReport {
  readonly assetId: string;
  readonly hostname: string;
  readonly milliseconds: number;
  /** Accounts on the server; undefined if the work failed. */
  readonly users?: readonly GatheredAccount[];
  readonly reason?: LocalText;
}

/** Stores the result of a server. Accounts that no longer exist there are marked as not present. */
export async function keepReport(
  execution: string,
  task: GatherTask,
  { assetId, hostname, milliseconds, users, reason }: GatherReport,
  db: Db,
): Promise<void> {
  await db.transaction(async (tx) => {
    // The asset may have been deleted in the meantime.
    const { rows } = await sql<{
      id: string;
    }>`select id from asset where id = ${assetId} for key share`.execute(tx);
    const asset = rows[0]?.id ?? null;
    if (users && asset) {
      await sql`update gathered_user set present = false, date_updated = now()
        where asset_id = ${asset} and present
        and username <> all (${users.map(({ username }) => username)}::text[])`.execute(tx);
      const dates = users.map(({ lastLogin }) => lastLogin?.date.toISOString() ?? null);
      await sql`
        insert into gathered_user as known (org_id, asset_id, username, date_last_login,
          ip_last_login)
        select ${task.organization}, ${asset}::uuid, found.username, found.date, found.address
        from unnest(${users.map(({ username }) => username)}::text[], ${dates}::timestamptz[],
          ${users.map(({ lastLogin }) => lastLogin?.from || null)}::text[])
          as found (username, date, address)
        on conflict (asset_id, username)
        do update set present = true, org_id = excluded.org_id, date_updated = now(),
          date_last_login = coalesce(excluded.date_last_login, known.date_last_login),
          ip_last_login = case when excluded.date_last_login is null then known.ip_last_login
            else excluded.ip_last_login end`.execute(tx);
    }
    await sql`
      insert into gather_user_result (org_id, execution_id, asset_id, hostname, is_success, users,
        reason, milliseconds)
      values (${task.organization}, ${execution}, ${asset}, ${hostname}, ${users !== undefined},
        ${users?.length ?? 0},
        ${reason ? JSON.stringify(reason) : null}::jsonb, ${milliseconds})`.execute(tx);
    await sql`
      update gather_user_execution
      set succeed = succeed + ${users ? 1 : 0}, failed = failed + ${users ? 0 : 1}
      where id = ${execution}`.execute(tx);
  });
}
