import {
  type AdhocModule,
  type LocalText,
  MOST_KEPT_HOSTS,
  MOST_VERSION_HOSTS,
} from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { RunningJob } from '../../../platform/jobs/definition.ts';
import { taskName } from './words.ts';

/** Identifies the task of a run by kind and key. */
export interface RunSubject {
  /** The kind of job that repeats it. */
  readonly job: string;
  readonly key: string;
  readonly name: string;
  readonly input: unknown;
  readonly modules: readonly string[];
  readonly runAs: { readonly isAdmin: boolean; readonly name: string };
  /** Query for the ids of the hosts. */
  readonly hosts: Sql;
  /** The run whose failed hosts are retried. This run belongs to the same version. */
  readonly again?: string | undefined;
}

/** Result of one host, or of one account on it. */
export interface HostOutcome {
  readonly assetId: string;
  readonly name: string;
  readonly username: string;
  readonly milliseconds: number;
  readonly state: 'done' | 'failed' | 'skipped';
  readonly reason?: LocalText | undefined;
  readonly detail?: string | undefined;
}

type HostCounts = Readonly<Record<HostOutcome['state'], number>>;

export interface RecordedRun {
  add(outcome: HostOutcome): Promise<void>;
  /**
   * Ends the record. `counts` replaces the sum of added outcomes. A run interrupted by a server
   * stop stays open, because it restarts.
   */
  end(signal: AbortSignal, counts?: HostCounts): Promise<void>;
}

const MOST_DETAIL = 1_000;

const moduleOf = (name: string): AdhocModule => ({ name, action: { module: name, args: '' } });

/**
 * Returns the version of a run: the version of the retried run, the newest if its content is equal,
 * or a new one.
 */
async function versionOf(
  task: string,
  { modules, runAs, hosts, again }: RunSubject,
  { name, organization }: { name: string; organization: string },
  tx: Tx,
) {
  const { rows: known } = await sql<{ adhoc_id: string | null }>`
    select adhoc_id from adhoc_execution where id = ${again ?? null} and task_id = ${task}`.execute(
    tx,
  );
  if (known[0]?.adhoc_id) return known[0].adhoc_id;
  const tasks = JSON.stringify(modules.map(moduleOf));
  const { rows } = await sql<{ id: string }>`
    with host as (select distinct found.id from (${hosts}) as found (id)),
      content as (select md5(coalesce(string_agg(id::text, ',' order by id), '')) as digest,
        count(*)::int as amount from host),
      newest as (select a.* from adhoc a where a.task_id = ${task} order by a.date_created desc
        limit 1),
      same as (select newest.id from newest, content
        where newest.hosts_digest = content.digest and newest.tasks = ${tasks}::jsonb
        and newest.run_as_admin = ${runAs.isAdmin} and newest.run_as = ${runAs.name}),
      made as (
        insert into adhoc (org_id, task_id, tasks, hosts_digest, hosts, hosts_amount, run_as_admin,
          run_as, created_by)
        select ${organization}, ${task}, ${tasks}::jsonb, content.digest,
          array(select id from host order by id limit ${MOST_VERSION_HOSTS}), content.amount,
          ${runAs.isAdmin}, ${runAs.name}, ${name}
        from content where not exists (select 1 from same) returning id)
    select id from same union all select id from made`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Starts the record of a run, which has the id of its job. A restarted job restarts its record. */
export async function recordRun(
  { id, caller }: Pick<RunningJob<unknown>, 'id' | 'caller'>,
  subject: RunSubject,
  { db, total }: { readonly db: Db; readonly total: number },
): Promise<RecordedRun> {
  const { organization, language, name } = caller;
  const { job, key } = subject;
  const names = {
    name: taskName(job, subject.name, language),
    words:
      `${taskName(job, subject.name, 'en')}\n${taskName(job, subject.name, 'zh')}`.toLowerCase(),
  };
  await db.transaction(async (tx) => {
    const { rows } = await sql<{ id: string }>`
      insert into ops_task as t (org_id, name, words, job, key, subject, input, created_by,
        date_last_run)
      values (${organization}, ${names.name}, ${names.words}, ${job}, ${key}, ${subject.name},
        ${JSON.stringify(subject.input)}::jsonb, ${name}, now())
      on conflict (org_id, job, key) do update set name = case
        when t.subject = excluded.subject then t.name else excluded.name end,
        words = excluded.words, subject = excluded.subject, input = excluded.input,
          date_last_run = now(), date_updated = now()
      returning id`.execute(tx);
    const task = rows[0]?.id ?? '';
    const version = await versionOf(task, subject, { name, organization }, tx);
    await sql`
      insert into adhoc_execution (id, org_id, task_id, adhoc_id, hosts_amount)
      values (${id}, ${organization}, ${task}, ${version}, ${total})
      on conflict (id) do update set hosts_amount = excluded.hosts_amount,
        adhoc_id = excluded.adhoc_id, success_amount = 0, failed_amount = 0,
        skipped_amount = 0, is_finished = false, is_success = false, date_start = now(),
          date_finished = null`.execute(tx);
    await sql`delete from adhoc_execution_host where execution_id = ${id}`.execute(tx);
  });
  const counts = { done: 0, failed: 0, skipped: 0 };
  return {
    async add({ assetId, name: hostname, username, milliseconds, state, reason, detail = '' }) {
      counts[state] += 1;
      // Failed hosts have a separate limit, so that successful ones do not displace them.
      const kept = state === 'failed' ? counts.failed : counts.done + counts.skipped;
      // The asset or the task may have been deleted in the meantime.
      if (kept <= MOST_KEPT_HOSTS)
        await sql`
          insert into adhoc_execution_host (org_id, execution_id, asset_id, hostname, username,
            state, reason, detail, milliseconds)
          select e.org_id, e.id, (select a.id from asset a where a.id = ${assetId} for key share),
            ${hostname}, ${username}, ${state},
            ${reason ? JSON.stringify(reason) : null}::jsonb, ${detail.slice(0, MOST_DETAIL)},
              ${Math.round(milliseconds)}
          from adhoc_execution e where e.id = ${id} for key share of e`.execute(db);
    },
    async end(signal, { done, failed, skipped } = counts) {
      if (signal.aborted && signal.reason === 'stopping') return;
      await sql`
        update adhoc_execution set success_amount = ${done}, failed_amount = ${failed},
          skipped_amount = ${skipped},
          is_finished = true, is_success =
            ${!signal.aborted && failed === 0 && (done > 0 || skipped === 0)}, date_finished = now()
          where id = ${id}`.execute(db);
    },
  };
}
