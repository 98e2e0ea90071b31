import { adhoc, adhocExecution, isWorkState, type Row } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { DetailCard } from '../../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../../resource/detail/words.ts';
import { asReportedJob } from '../../../resource/job/reported-job.ts';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { ExecutionTable } from './ExecutionTable.tsx';
import { HostCards, inSeconds, LIVE, Modules, StateOfRun } from './parts.tsx';
import { TaskRunReport } from './TaskRunReport.tsx';
import { words } from './words.ts';

const TASKS = pagesOf('ops_task');
type Version = Row<typeof adhoc>;
type Execution = Row<typeof adhocExecution>;

const jobOf = ({ stat, ...run }: Execution) =>
  asReportedJob({
    id: run.id,
    ...(isWorkState(run.outcome) && { outcome: run.outcome }),
    isFinished: run.is_finished,
    succeeded: stat.success,
    failed: stat.failed,
    skipped: stat.skipped,
    total: stat.total,
    start: run.date_start,
    end: run.date_finished,
  });

function VersionInfo({ version }: { readonly version: Version }) {
  const { latest_execution: last } = version;
  return (
    <DetailColumns
      left={
        <DetailCard
          source={adhoc}
          object={version}
          facts={[
            'id',
            {
              name: 'task',
              label: adhoc.fields.task_name.label,
              value: ({ task, task_name: name }) => (
                <PageLink to={TASKS.detail(task)}>{name}</PageLink>
              ),
            },
            'hosts_amount',
            'pattern',
            {
              name: 'options',
              label: adhoc.fields.options.label,
              value: ({ options }) =>
                t(words.optionsText, JSON.parse(options) as Record<string, number>),
            },
            {
              name: 'run_as',
              label: words.runAs,
              value: ({ run_as: account, run_as_admin: isAdmin }) =>
                isAdmin ? t(words.adminUser) : account,
            },
            'become_display',
            'created_by',
            'date_created',
            'run_times',
            {
              name: 'last_run',
              label: words.lastRun,
              value: () => last && <Moment date={last.last_run} />,
            },
            {
              name: 'duration',
              label: words.duration,
              value: () => last && inSeconds(last.timedelta),
            },
            {
              name: 'is_success',
              label: words.lastResult,
              value: () => last && <StateOfRun run={last} />,
            },
            {
              name: 'tasks',
              label: adhoc.fields.tasks.label,
              value: ({ tasks }) => <Modules modules={tasks} />,
            },
          ]}
        />
      }
      right={
        last && (
          <HostCards
            last={last}
            titles={{ failed: t(words.lastFailedHosts), good: t(words.lastGoodHosts) }}
          />
        )
      }
    />
  );
}

export function VersionDetail() {
  return (
    <DetailPage<Version>
      source={adhoc}
      nameOf={({ task_name: task, short_id: version }) => `${task} (${version})`}
      hasActivity={false}
      refetchEvery={LIVE}
      tabs={(version) => [
        {
          name: 'AdhocDetail',
          label: t(detailWords.overview),
          render: () => <VersionInfo version={version} />,
        },
        {
          name: 'ExecutionList',
          label: t(words.executions),
          render: () => <ExecutionTable base={{ adhoc: version.id }} />,
        },
      ]}
    />
  );
}

/** A run of a task. */
export function ExecutionDetail() {
  return (
    <DetailPage<Execution>
      source={adhocExecution}
      nameOf={({ task_title: task }) => task}
      hasActivity={false}
      refetchEvery={LIVE}
      tabs={(execution, { refresh }) => [
        {
          name: 'ExecutionDetail',
          label: t(words.executionDetail),
          render: () => (
            <TaskRunReport job={jobOf(execution)} execution={execution} refresh={refresh} />
          ),
        },
      ]}
    />
  );
}
