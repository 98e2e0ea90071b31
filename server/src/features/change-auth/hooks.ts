import {
  changeAuthExecution,
  changeAuthPlan,
  changeAuthSubtask,
  DEFAULT_INTERVAL_HOURS,
  type LocalText,
  say,
} from '@sallyport/contract';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { Forbidden, Invalid, invalid } from '../../platform/errors.ts';
import { readPrivateKey } from '../../platform/private-keys/read.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { idFilter } from '../../resources/read/scope.ts';
import {
  assertPeriod,
  type PeriodicOptions,
  periodColumn,
  presentPeriods,
} from '../../resources/write/period.ts';
import { outcomeOfRun, presentStates } from '../jobs/index.ts';

/**
 * Account names that servers accept. Capital letters are valid on Windows only; other servers
 * reject them when the plan runs.
 */
const ACCOUNT = /^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/;

export const createPlanHooks = ({ isLicensed, zone }: PeriodicOptions) =>
  hooksFor(changeAuthPlan, {
    columns: {
      periodic_display: periodColumn,
      run_times: () =>
        sql`(select count(*)::int from change_auth_execution e where e.plan_id = t.id)`,
    },
    present: (rows, { caller: { language } }) => presentPeriods(rows, language, zone()),
    async beforeSave(values, previous, { tx }) {
      if (!previous && !isLicensed()) throw new Forbidden('license_required');
      assertPeriod(values, previous, DEFAULT_INTERVAL_HOURS);
      if (values.username !== undefined && !ACCOUNT.test(values.username))
        throw invalid('username', 'not_username');
      const strategy = values.password_strategy ?? previous?.password_strategy ?? 'custom';
      if (values.password && CONTROL.test(values.password))
        throw invalid('password', 'control_character');
      if (strategy === 'custom' && !values.password) {
        const { rows } = await sql<{
          has: boolean;
        }>`select password is not null as has from change_auth_plan
          where id = ${previous?.id ?? null}`.execute(tx);
        if (!rows[0]?.has) throw invalid('password', 'no_custom_password');
      }
      // A password is stored only for the strategy `custom`.
      if (strategy !== 'custom') delete values.password;
      const keys = values.key_strategy ?? previous?.key_strategy ?? 'keep';
      if (strategy === 'keep' && keys === 'keep')
        throw invalid('password_strategy', 'nothing_to_change');
      if (values.private_key) {
        const read = await readPrivateKey(values.private_key, undefined);
        if ('problem' in read) throw new Invalid({ private_key: [read.problem] });
        values.private_key = read.key;
      }
      if (keys === 'custom' && !values.private_key) {
        const { rows } = await sql<{
          has: boolean;
        }>`select private_key is not null as has from change_auth_plan
          where id = ${previous?.id ?? null}`.execute(tx);
        if (!rows[0]?.has) throw invalid('private_key', 'no_custom_key');
      }
      if (keys !== 'custom') delete values.private_key;
    },
  });

/** Numbers of servers of the run `t`. */
const subtasks = (condition: Sql): Sql =>
  sql`(select count(*) from change_auth_subtask s where s.plan_execution_id = t.id
    and ${condition})`;
const FAILED = subtasks(sql`s.is_success is false`);
const OUTCOME = outcomeOfRun({
  id: sql`t.id`,
  isFinished: sql`t.is_finished`,
  done: subtasks(sql`s.is_success`),
  failed: FAILED,
});

export const changeExecutionHooks = hooksFor(changeAuthExecution, {
  present: (rows, { caller: { language } }) => presentStates(rows, language),
  columns: {
    outcome: () => OUTCOME,
    state_display: () => sql`jsonb_build_array(${OUTCOME}, ${FAILED}, ${subtasks(sql`true`)})`,
    result_summary: () => sql`(
      select jsonb_build_object('succeed', count(*) filter (where s.is_success), 'failed',
        count(*) filter (where s.is_success is false), 'total', count(*))
      from change_auth_subtask s where s.plan_execution_id = t.id)`,
    timedelta: () =>
      sql`round(extract(epoch from coalesce(t.date_finished, now()) - t.date_start), 2)::float8`,
  },
  filters: { plan_id: idFilter('plan_id') },
});

export const changeSubtaskHooks = hooksFor(changeAuthSubtask, {
  columns: {
    asset_info: () => sql`jsonb_build_object('hostname', t.hostname, 'ip', t.ip)`,
    reason: () => sql`t.reason`,
    can_retry: () => sql`(t.is_success is false and t.asset_id is not null and exists (
      select 1 from change_auth_execution e where e.id = t.plan_execution_id
        and (e.plan_id is not null or e.version_id is not null)))`,
    timedelta: () =>
      sql`coalesce(round(extract(epoch from coalesce(t.date_finished, now()) - t.date_start), 2),
        0)::float8`,
  },
  filters: { plan_execution_id: idFilter('plan_execution_id') },
  present(rows, { caller: { language } }) {
    for (const row of rows)
      if ('reason' in row) row.reason = row.reason ? say(row.reason as LocalText, language) : '';
  },
});
