import {
  commandExecution,
  commandExecutionHost,
  commandExecutionLog,
  type Language,
  type LocalText,
  say,
} from '@sallyport/contract';
import { sql } from '../../../platform/db/sql.ts';
import { Forbidden } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { hooksFor, type ResourceHooks, type StoredRow } from '../../../resources/hooks.ts';
import { named } from '../../../resources/relations/named-objects.ts';
import { outcomeIn, presentStates } from '../../jobs/index.ts';
import { CURRENT_OUTCOME, STAGES, type StoredStages, stagesOf } from './outcome.ts';

/** Maximum characters of output over all hosts in one response. Each host has its full output. */
const MOST_RESULT = 2_000_000;

const logUrl = (id: string) => sql`'/api/v1/ops/celery/task/' || ${sql.ref(id)}::text || '/log/'`;
const STATE = () => sql`jsonb_build_array(${CURRENT_OUTCOME}, t.failed_amount, t.hosts_amount)`;
const OUTCOME_FILTER = (value: string) => outcomeIn(CURRENT_OUTCOME, value);
const HOSTS = () =>
  sql`(select coalesce(json_agg(h.asset_id order by h.position), '[]') from command_execution_host h
    where h.commandexecution_id = t.id)`;
const REASON = () => sql`t.problem`;

function wordReasons(rows: readonly StoredRow[], language: Language): void {
  for (const row of rows)
    if ('reason' in row) row.reason = row.reason ? say(row.reason as LocalText, language) : '';
}

/** Words the outcomes of commands, and forms their stages. */
function presentOutcomes(rows: readonly StoredRow[], language: Language): void {
  presentStates(rows, language);
  for (const row of rows) if ('stages' in row) row.stages = stagesOf(row.stages as StoredStages);
}

/**
 * Results by host name, in the format of existing clients; only the error if the whole command
 * failed.
 */
const RESULT = () => sql`case when t.problem is not null
    and t.done_amount = 0 then jsonb_build_object('error', t.problem) else (
  select coalesce(jsonb_object_agg(h.hostname,
    jsonb_strip_nulls(jsonb_build_object('err', h.problem)) || jsonb_build_object(
    'cmd', t.command, 'rc', h.rc, 'stdout',
      left(h.stdout, ${MOST_RESULT}::integer / t.hosts_amount), 'stderr',
      left(h.stderr, ${MOST_RESULT}::integer / t.hosts_amount),
    'delta', to_char(make_interval(secs => h.milliseconds / 1000.0), 'FMHH24:MI:SS.US'))), '{}')
  from command_execution_host h where h.commandexecution_id = t.id
    and h.state in ('succeeded', 'failed')) end`;

interface RawResult {
  err?: LocalText | string;
}

/** Hooks of batch commands. If the setting is off, all access is rejected. */
export function createCommandHooks(
  settings: Pick<SettingsService, 'get'>,
): Readonly<Record<string, ResourceHooks>> {
  const assertEnabled = () => {
    if (!settings.get('SECURITY_COMMAND_EXECUTION')) throw new Forbidden('command_execution_off');
  };
  return {
    command_execution: hooksFor(commandExecution, {
      visibleInList() {
        assertEnabled();
        return undefined;
      },
      columns: {
        hosts: HOSTS,
        log_url: () => logUrl('t.id'),
        reason: REASON,
        result: RESULT,
        outcome: () => CURRENT_OUTCOME,
        state_display: STATE,
        stages: STAGES,
      },
      filters: { outcome: OUTCOME_FILTER },
      present(rows, { caller: { language } }) {
        assertEnabled();
        wordReasons(rows, language);
        presentOutcomes(rows, language);
        for (const row of rows) {
          const result = (row.result ?? {}) as Readonly<Record<string, RawResult>>;
          // The command failed as a whole: an error text takes the place of hosts.
          const { error: refused } = (row.result ?? {}) as { readonly error?: LocalText };
          if (refused && 'en' in refused) row.result = { error: say(refused, language) };
          else
            for (const host of Object.values(result))
              if (typeof host.err === 'object') host.err = say(host.err, language);
        }
      },
    }),
    command_execution_log: hooksFor(commandExecutionLog, {
      columns: {
        hosts: HOSTS,
        outcome: () => CURRENT_OUTCOME,
        state_display: STATE,
        // Link to the page with the output.
        result: () => logUrl('t.id'),
        links: () =>
          sql`jsonb_build_object('user_display', ${named('user', sql`t.user_id`)}, 'run_as_display',
            ${named('system_user', sql`t.run_as_id`)})`,
      },
      present: (rows, { caller: { language } }) => presentOutcomes(rows, language),
      filters: {
        outcome: OUTCOME_FILTER,
        user__name: (value) =>
          sql`(t.user_display = ${value}
            or t.user_display like ${`${value.replace(/[\\%_]/g, '\\$&')}(%`})`,
        run_as__name: (value) =>
          sql`(t.run_as_display = ${value}
            or t.run_as_display like ${`${value.replace(/[\\%_]/g, '\\$&')}(%`})`,
      },
    }),
    command_execution_host: hooksFor(commandExecutionHost, {
      columns: { reason: REASON },
      present: (rows, { caller: { language } }) => wordReasons(rows, language),
    }),
  };
}
