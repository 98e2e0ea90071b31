import { adhoc, adhocExecution, adhocExecutionHost, type Row } from '@sallyport/contract';
import { common, t } from '../../../../kit/i18n/index.ts';
import { PageLink, useGo } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { DetailCard, QuickActionsCard } from '../../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../../resource/detail/DetailPage.tsx';
import { OutcomeState } from '../../../resource/job/OutcomeState.tsx';
import { Reasons } from '../../../resource/job/Reasons.tsx';
import { askToCancel } from '../../../resource/job/useJob.ts';
import { ResourceList } from '../../../resource/list/ResourceList.tsx';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { objectUrl } from '../../../resource/source.ts';
import { Clipped } from '../../Clipped.tsx';
import { useBreakpoints } from '../../useBreakpoints.ts';
import { ExecutionTable } from './ExecutionTable.tsx';
import {
  counted,
  HostCards,
  inSeconds,
  LIVE,
  logPage,
  Modules,
  OutputLink,
  StateOfRun,
  useStart,
} from './parts.tsx';
import { words } from './words.ts';

const TASKS = pagesOf('ops_task');
const VERSIONS = pagesOf(adhoc.name);
type Version = Row<typeof adhoc>;
type Execution = Row<typeof adhocExecution>;
type Host = Row<typeof adhocExecutionHost>;
/** The look of each state of a host. */
const HOST_LOOKS = { done: 'succeeded', failed: 'failed', skipped: 'nothing' } as const;

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
          label: t(words.versionDetail),
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

/** The facts and actions of a run. */
function ExecutionInfo({
  execution,
  refresh,
}: {
  readonly execution: Execution;
  readonly refresh: () => Promise<unknown>;
}) {
  const start = useStart();
  const go = useGo();
  const { id, task_title: title, is_finished: isFinished, stat } = execution;
  return (
    <DetailColumns
      left={
        <>
          {isFinished && stat.failed + stat.skipped > 0 && <Reasons job={id} />}
          <DetailCard
            source={adhocExecution}
            object={execution}
            facts={[
              'id',
              {
                name: 'task',
                label: adhocExecution.fields.task_title.label,
                value: ({ task }) => <PageLink to={TASKS.detail(task)}>{title}</PageLink>,
              },
              {
                name: 'adhoc',
                label: adhocExecution.fields.adhoc.label,
                value: ({ adhoc: version, adhoc_short_id: short }) =>
                  version && <PageLink to={VERSIONS.detail(version)}>{short}</PageLink>,
              },
              { name: 'stat', label: words.stat, value: () => counted(stat) },
              'date_start',
              {
                name: 'duration',
                label: words.duration,
                value: ({ timedelta }) => inSeconds(timedelta),
              },
              {
                name: 'is_success',
                label: words.state,
                value: (run) => <StateOfRun run={run} />,
              },
              { name: 'output', label: words.output, value: () => <OutputLink id={id} /> },
            ]}
          />
        </>
      }
      right={
        <>
          <QuickActionsCard
            actions={[
              {
                key: 'retry',
                title: t(words.retryFailed),
                button: t(words.go),
                disabled: !isFinished || stat.failed === 0,
                run: () => start('post', `${objectUrl(adhocExecution, id)}retry-failed/`),
              },
              {
                key: 'log',
                title: t(words.output),
                button: t(words.view),
                run: () => go(logPage(id)),
              },
              {
                key: 'cancel',
                title: t(words.cancel),
                button: t(common.cancel),
                danger: true,
                disabled: isFinished,
                run: () => askToCancel({ id, title }, refresh),
              },
            ]}
          />
          <HostCards
            last={execution}
            titles={{ failed: t(words.failedHosts), good: t(words.goodHosts) }}
          />
        </>
      }
    />
  );
}

/** Lists the result of each host, updated during the run. */
function HostTable({ execution }: { readonly execution: string }) {
  const { phone } = useBreakpoints();
  return (
    <ResourceList<Host>
      source={adhocExecutionHost}
      embedded
      base={{ execution }}
      refetchEvery={LIVE}
      columns={[
        { name: 'hostname', essential: true },
        { name: 'username', hidden: phone },
        {
          name: 'state',
          width: 110,
          cell: ({ state, state_display: text }) => (
            <OutcomeState outcome={HOST_LOOKS[state]} text={text} />
          ),
        },
        { name: 'reason', cell: ({ reason }) => reason && <Clipped title={reason} min={160} /> },
        {
          name: 'milliseconds',
          width: 110,
          hidden: phone,
          cell: ({ milliseconds }) => t(words.milliseconds, { milliseconds }),
        },
      ]}
    />
  );
}

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
          render: () => <ExecutionInfo execution={execution} refresh={refresh} />,
        },
        {
          name: 'HostList',
          label: t(words.results),
          render: () => <HostTable execution={execution.id} />,
        },
      ]}
    />
  );
}
