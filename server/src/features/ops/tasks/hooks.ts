import {
  adhoc,
  adhocExecution,
  adhocExecutionHost,
  DEFAULT_INTERVAL_HOURS,
  formatDatetime,
  type HostFailures,
  type Language,
  type LocalText,
  MOST_NAMED_HOSTS,
  opsTask,
  say,
} from '@sallyport/contract';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { hooksFor, type ResourceHooks, type StoredRow } from '../../../resources/hooks.ts';
import { likePattern } from '../../../resources/read/search.ts';
import { assertPeriod, periodColumn, presentPeriods } from '../../../resources/write/period.ts';
import { outcomeOfRun } from '../../jobs/index.ts';
import { taskName } from './words.ts';

const SECONDS_PER_HOST = 60;

const shortId = (id: string): Sql => sql`split_part(${sql.ref(id)}::text, '-', 5)`;
const seconds = (e: string): Sql =>
  sql`round(extract(epoch from coalesce(${sql.ref(`${e}.date_finished`)},
    now()) - ${sql.ref(`${e}.date_start`)}), 2)::float8`;

/** First hosts of a run, by name. */
const hostsOf = (e: string, state: 'done' | 'failed'): Sql => sql`(
  select coalesce(jsonb_agg(jsonb_build_array(host.name, host.reason, host.detail)
    order by host.name), '[]') from (
    select h.hostname || case when h.username = '' then ''
      else '(' || h.username || ')' end as name, h.reason, h.detail
    from adhoc_execution_host h where h.execution_id = ${sql.ref(`${e}.id`)} and h.state = ${state}
    order by h.hostname, h.id limit ${MOST_NAMED_HOSTS}) host)`;
const statOf = (
  e: string,
): Sql => sql`jsonb_build_object('total', ${sql.ref(`${e}.hosts_amount`)}, 'success',
  ${sql.ref(`${e}.success_amount`)},
  'failed', ${sql.ref(`${e}.failed_amount`)}, 'skipped', ${sql.ref(`${e}.skipped_amount`)})`;
const outcomeOf = (e: string): Sql =>
  outcomeOfRun({
    id: sql.ref(`${e}.id`),
    isFinished: sql.ref(`${e}.is_finished`),
    done: sql.ref(`${e}.success_amount`),
    failed: sql.ref(`${e}.failed_amount`),
  });
const moduleOf = (adhocId: string): Sql =>
  sql`(select coalesce(a.tasks -> 0 ->> 'name', '') from adhoc a where a.id = ${sql.ref(adhocId)})`;

/** Latest run of a task or version, with its hosts. */
const latestOf = (condition: Sql): Sql => sql`(
  select jsonb_build_object('id', e.id, 'adhoc', e.adhoc_id, 'short_id', ${shortId('e.id')},
    'adhoc_short_id', coalesce(${shortId('e.adhoc_id')}, ''),
    'hosts_amount', e.hosts_amount, 'stat', ${statOf('e')}, 'is_finished', e.is_finished,
      'is_success', e.is_success, 'outcome', ${outcomeOf('e')}, 'timedelta', ${seconds('e')},
    'date_start', e.date_start, 'date_finished', e.date_finished, 'last_run', e.date_start,
    'last_success', ${hostsOf('e', 'done')}, 'last_failure',
      jsonb_build_array(${moduleOf('e.adhoc_id')}, ${hostsOf('e', 'failed')}))
  from adhoc_execution e where ${condition} order by e.date_start desc limit 1)`;

type StoredHost = readonly [name: string, reason: LocalText | null, detail: string];

const namesOf = (hosts: unknown): readonly string[] =>
  (hosts as readonly StoredHost[]).map(([name]) => name);

function reasonOf(reason: LocalText | null, detail: string, language: Language): string {
  return [reason ? say(reason, language) : '', detail].filter((text) => text !== '').join(' — ');
}

/** Failed hosts, in the format of existing clients. */
function failuresOf(stored: unknown, language: Language): HostFailures {
  const [module, hosts] = stored as readonly [string | null, readonly StoredHost[]];
  return Object.fromEntries(
    hosts.map(([name, reason, detail]) => [
      name,
      { [module || 'task']: { msg: reasonOf(reason, detail, language) } },
    ]),
  );
}

function presentLatest(rows: readonly StoredRow[], language: Language, zone: string): void {
  const dated = (value: unknown) => (value ? formatDatetime(new Date(String(value)), zone) : null);
  for (const row of rows) {
    const latest = row.latest_execution as Record<string, unknown> | null | undefined;
    if (!latest) continue;
    for (const name of ['date_start', 'date_finished', 'last_run'])
      latest[name] = dated(latest[name]);
    latest.last_success = namesOf(latest.last_success);
    latest.last_failure = failuresOf(latest.last_failure, language);
  }
}

/** Translates task names into the caller's language. */
function presentTitle(rows: readonly StoredRow[], field: string, language: Language): void {
  for (const row of rows) {
    if (!Array.isArray(row[field])) continue;
    const [job, subject] = row[field] as [string, string];
    row[field] = taskName(job, subject, language);
  }
}

const ofTask = (column: Sql): Sql => sql`(select ${column} from ops_task o where o.id = t.task_id)`;

export function createTaskHooks(
  settings: Pick<SettingsService, 'get'>,
  jobs: Pick<Jobs, 'zone'>,
): Readonly<Record<string, ResourceHooks>> {
  return {
    ops_task: hooksFor(opsTask, {
      columns: {
        title: () => sql`jsonb_build_array(t.job, t.subject)`,
        periodic_display: periodColumn,
        is_deleted: () => sql`false`,
        latest_execution: () => latestOf(sql`e.task_id = t.id`),
        summary: () => sql`(select jsonb_build_object('total', count(*), 'success',
            count(*) filter (where e.is_finished and e.is_success),
          'failed', count(*) filter (where e.is_finished and not e.is_success))
          from adhoc_execution e where e.task_id = t.id)`,
        versions_amount: () => sql`(select count(*)::int from adhoc a where a.task_id = t.id)`,
        contents: () =>
          sql`coalesce((select a.tasks from adhoc a where a.task_id = t.id
            order by a.date_created desc limit 1), '[]')`,
      },
      present(rows, { caller: { language, zone } }) {
        presentPeriods(rows, language, jobs.zone());
        presentTitle(rows, 'title', language);
        presentLatest(rows, language, zone);
      },
      // Tasks are found by their words in both languages.
      search: (words) =>
        sql.join(
          words.map((word) => sql`t.words like ${likePattern(word)}`),
          sql` and `,
        ),
      beforeSave: (values, previous) => assertPeriod(values, previous, DEFAULT_INTERVAL_HOURS),
    }),
    adhoc: hooksFor(adhoc, {
      columns: {
        short_id: () => shortId('t.id'),
        task_name: () => ofTask(sql`jsonb_build_array(o.job, o.subject)`),
        tasks: () => sql`t.tasks`,
        pattern: () => sql`'all'::text`,
        options: () =>
          sql`jsonb_build_object('timeout', ${SECONDS_PER_HOST}::int, 'forks',
            ${settings.get('REMOTE_PARALLEL_HOSTS')}::int)::text`,
        hosts: () => sql`to_jsonb(t.hosts)`,
        become_display: () => sql`case when t.run_as_admin then 'root' else '' end`,
        run_times: () => sql`(select count(*)::int from adhoc_execution e where e.adhoc_id = t.id)`,
        latest_execution: () => latestOf(sql`e.adhoc_id = t.id`),
      },
      present(rows, { caller: { language, zone } }) {
        presentTitle(rows, 'task_name', language);
        presentLatest(rows, language, zone);
      },
    }),
    adhoc_execution: hooksFor(adhocExecution, {
      columns: {
        short_id: () => shortId('t.id'),
        task_display: () => ofTask(sql`o.name || '@' || o.org_id`),
        task_title: () => ofTask(sql`jsonb_build_array(o.job, o.subject)`),
        adhoc_short_id: () => sql`coalesce(${shortId('t.adhoc_id')}, '')`,
        stat: () => statOf('t'),
        outcome: () => outcomeOf('t'),
        timedelta: () => seconds('t'),
        result: () => sql`'{}'::jsonb`,
        summary: () =>
          sql`jsonb_build_array(${hostsOf('t', 'done')},
            jsonb_build_array(${moduleOf('t.adhoc_id')}, ${hostsOf('t', 'failed')}))`,
        last_success: () => hostsOf('t', 'done'),
        last_failure: () =>
          sql`jsonb_build_array(${moduleOf('t.adhoc_id')}, ${hostsOf('t', 'failed')})`,
      },
      present(rows, { caller: { language } }) {
        presentTitle(rows, 'task_title', language);
        for (const row of rows) {
          if (Array.isArray(row.summary)) {
            const [done, failed]: readonly unknown[] = row.summary;
            row.summary = { contacted: namesOf(done), dark: failuresOf(failed, language) };
          }
          if (Array.isArray(row.last_success)) row.last_success = namesOf(row.last_success);
          if (Array.isArray(row.last_failure))
            row.last_failure = failuresOf(row.last_failure, language);
        }
      },
    }),
    adhoc_execution_host: hooksFor(adhocExecutionHost, {
      columns: { reason: () => sql`jsonb_build_array(t.reason, t.detail)` },
      present(rows, { caller: { language } }) {
        for (const row of rows) {
          if (!Array.isArray(row.reason)) continue;
          const [reason, detail] = row.reason as [LocalText | null, string];
          row.reason = reasonOf(reason, detail, language);
        }
      },
    }),
  };
}
