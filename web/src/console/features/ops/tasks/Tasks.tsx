import { adhoc, opsTask, type Row } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { DetailCard, QuickActionsCard } from '../../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../../resource/detail/words.ts';
import { ResourceList } from '../../../resource/list/ResourceList.tsx';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { FormPage } from '../../../resource/ResourcePages.tsx';
import { NextRuns, PERIOD_GROUP, PERIOD_OVERRIDES } from '../../periods/index.ts';
import { useBreakpoints } from '../../useBreakpoints.ts';
import { ExecutionTable } from './ExecutionTable.tsx';
import { HostCards, inSeconds, LIVE, Modules, OutputLink, StateOfRun, useStart } from './parts.tsx';
import { runPath, type Task } from './TaskTable.tsx';
import { words } from './words.ts';

const VERSIONS = pagesOf(adhoc.name);
type Version = Row<typeof adhoc>;

/** Changes the schedule of a task. */
export function TaskForm() {
  return (
    <FormPage
      source={opsTask}
      groups={[PERIOD_GROUP, { title: words.basic, fields: ['comment'] }]}
      overrides={PERIOD_OVERRIDES}
      notice={(values) => <NextRuns values={values} />}
    />
  );
}

function TaskInfo({ task }: { readonly task: Task }) {
  const start = useStart();
  const { latest_execution: last } = task;
  return (
    <DetailColumns
      left={
        <DetailCard
          source={opsTask}
          object={task}
          facts={[
            'id',
            { name: 'title', label: opsTask.fields.name.label, value: ({ title }) => title },
            'periodic_display',
            'date_created',
            'created_by',
            'versions_amount',
            {
              name: 'latest',
              label: words.latestVersion,
              value: () =>
                last?.adhoc && (
                  <PageLink to={VERSIONS.detail(last.adhoc)}>{last.adhoc_short_id}</PageLink>
                ),
            },
            {
              name: 'last_run',
              label: words.lastRun,
              value: () => last && <Moment date={last.date_start} />,
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
              name: 'contents',
              label: opsTask.fields.contents.label,
              value: ({ contents }) => <Modules modules={contents} />,
            },
            {
              name: 'output',
              label: words.lastOutput,
              value: () => last && <OutputLink id={last.id} />,
            },
            'comment',
          ]}
        />
      }
      right={
        <>
          <QuickActionsCard
            actions={[
              {
                key: 'run',
                title: t(words.runNow),
                button: t(words.run),
                run: () => start('get', runPath(task)),
              },
            ]}
          />
          {last && (
            <HostCards
              last={last}
              titles={{ failed: t(words.lastFailedHosts), good: t(words.lastGoodHosts) }}
            />
          )}
        </>
      }
    />
  );
}

/** Lists the versions of a task. A change of content or hosts creates a version. */
function VersionTable({ task }: { readonly task: string }) {
  const { phone } = useBreakpoints();
  return (
    <ResourceList<Version>
      source={adhoc}
      embedded
      base={{ task }}
      columns={[
        {
          name: 'short_id',
          essential: true,
          mono: true,
          cell: ({ id, short_id: version }) => (
            <PageLink to={VERSIONS.detail(id)}>{version}</PageLink>
          ),
        },
        { name: 'hosts_amount', width: 100 },
        { name: 'pattern', width: 90, hidden: phone },
        {
          name: 'run_as',
          hidden: phone,
          cell: ({ run_as: account, run_as_admin: isAdmin }) =>
            isAdmin ? t(words.adminUser) : account,
        },
        { name: 'become_display', width: 110, hidden: phone },
        { name: 'date_created' },
      ]}
    />
  );
}

export function TaskDetail() {
  return (
    <DetailPage<Task>
      source={opsTask}
      nameOf={({ title }) => title}
      refetchEvery={LIVE}
      hasDelete
      tabs={(task) => [
        {
          name: 'TaskDetail',
          label: t(detailWords.overview),
          render: () => <TaskInfo task={task} />,
        },
        {
          name: 'AdhocList',
          label: t(words.versions),
          render: () => <VersionTable task={task.id} />,
        },
        {
          name: 'ExecutionList',
          label: t(words.executions),
          render: () => <ExecutionTable base={{ task: task.id }} />,
        },
      ]}
    />
  );
}
