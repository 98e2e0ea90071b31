import {
  gatherUserExecution,
  gatherUserResult,
  gatherUserTask,
  job,
  type Row,
} from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import { JobReport } from '../../resource/job/JobReport.tsx';
import { OutcomeState, WorkOutcome } from '../../resource/job/OutcomeState.tsx';
import { asReportedJob } from '../../resource/job/reported-job.ts';
import { StateBar } from '../../resource/job/StateBar.tsx';
import { useExecute } from '../../resource/job/useShowJob.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { Clipped } from '../Clipped.tsx';
import { NextRuns, PERIOD_GROUP, PERIOD_INITIAL, PERIOD_OVERRIDES } from '../periods/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

const PAGES = pagesOf(gatherUserTask.name);
const JOBS = pagesOf('job');
const RUN = gatherUserExecution.path;
const EXECUTIONS = 'ExecutionList';
const LIVE = 5_000;
type Task = Row<typeof gatherUserTask>;
type Execution = Row<typeof gatherUserExecution>;

/** Tasks that read the accounts of servers. */
export function GatherTaskList() {
  const { phone } = useBreakpoints();
  const execute = useExecute();
  return (
    <>
      <PageHeader hint={t(words.taskHint)} />
      <ResourceList<Task>
        source={gatherUserTask}
        columns={[
          { name: 'name' },
          { name: 'nodes_amount', width: 90, hidden: phone },
          { name: 'periodic_display', hidden: phone },
          {
            name: 'executed_times',
            width: 110,
            cell: ({ id, executed_times: times }) => (
              <PageLink to={PAGES.detail(id)} search={{ activeTab: EXECUTIONS }}>
                {times}
              </PageLink>
            ),
          },
          { name: 'date_last_run', hidden: phone },
          {
            name: 'comment',
            hidden: phone,
            cell: ({ comment }) => comment && <Clipped title={comment} />,
          },
        ]}
        hasDelete
        extraActions={({ id }) => [
          {
            key: 'execute',
            label: t(words.execute),
            run: () => void execute(RUN, { task: id }).catch(() => undefined),
          },
        ]}
      />
    </>
  );
}

export function GatherTaskForm() {
  return (
    <FormPage
      source={gatherUserTask}
      groups={[
        { title: words.task, fields: ['name', 'nodes'] },
        PERIOD_GROUP,
        moreOptions(['comment']),
      ]}
      overrides={PERIOD_OVERRIDES}
      initial={PERIOD_INITIAL}
      notice={(values) => <NextRuns values={values} />}
    />
  );
}

const outcome = ({ outcome: state, state_display: text }: Execution) => (
  <OutcomeState outcome={state} text={text} />
);
const duration = ({ timedelta: seconds }: Execution) =>
  t(words.seconds, { seconds: seconds.toFixed(2) });

/** One task and its runs. */
export function GatherTaskDetail() {
  const execute = useExecute();
  return (
    <DetailPage<Task>
      source={gatherUserTask}
      hasDelete
      tabs={(object) => [
        {
          name: 'Detail',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={gatherUserTask}
                  object={object}
                  facts={[
                    'name',
                    'nodes',
                    'periodic_display',
                    'executed_times',
                    'date_last_run',
                    'date_created',
                    'date_updated',
                    'created_by',
                    'comment',
                  ]}
                />
              }
              right={
                <QuickActionsCard
                  actions={[
                    {
                      key: 'execute',
                      title: t(words.executeNow),
                      button: t(words.execute),
                      run: () => execute(RUN, { task: object.id }),
                    },
                  ]}
                />
              }
            />
          ),
        },
        {
          name: EXECUTIONS,
          label: t(words.executions),
          render: () => (
            <ResourceList<Execution>
              source={gatherUserExecution}
              embedded
              base={{ task: object.id }}
              refetchEvery={LIVE}
              columns={[
                { name: 'date_start', essential: true },
                { name: 'state', label: job.fields.state.label, width: 210, cell: outcome },
                {
                  name: 'total',
                  label: words.servers,
                  width: 170,
                  cell: ({ succeed, failed, total }) => (
                    <StateBar done={succeed + failed} failed={failed} skipped={0} total={total} />
                  ),
                },
                { name: 'timedelta', width: 110, cell: duration },
                {
                  name: 'id',
                  label: words.log,
                  width: 90,
                  cell: ({ id }) => <PageLink to={JOBS.detail(id)}>{t(words.log)}</PageLink>,
                },
              ]}
            />
          ),
        },
      ]}
    />
  );
}

/** The result of each server of a run. */
function Results({ execution }: { readonly execution: string }) {
  const { phone } = useBreakpoints();
  return (
    <ResourceList<Row<typeof gatherUserResult>>
      source={gatherUserResult}
      embedded
      base={{ execution }}
      columns={[
        { name: 'hostname', essential: true },
        {
          name: 'is_success',
          width: 110,
          cell: ({ is_success: isSuccess }) => (
            <WorkOutcome outcome={isSuccess ? 'succeeded' : 'failed'} />
          ),
        },
        { name: 'users', width: 90, hidden: phone },
        {
          name: 'reason',
          essential: phone,
          cell: ({ reason }) => reason && <Clipped title={reason} min={160} />,
        },
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

const jobOf = (run: Execution) =>
  asReportedJob({
    id: run.id,
    isFinished: run.is_finished,
    succeeded: run.succeed,
    failed: run.failed,
    skipped: 0,
    total: run.total,
    start: run.date_start,
    end: run.date_finished,
  });

/** One run of a task, with the result of each server. */
export function GatherExecutionDetail() {
  return (
    <DetailPage<Execution>
      source={gatherUserExecution}
      nameOf={({ task_display: task }) => task}
      hasActivity={false}
      refetchEvery={LIVE}
      tabs={(object, { refresh }) => [
        {
          name: 'Detail',
          label: t(words.executionDetail),
          render: () => (
            <JobReport
              row={jobOf(object)}
              onEnd={() => void refresh()}
              facts={
                object.task && (
                  <PageLink to={PAGES.detail(object.task)}>{object.task_display}</PageLink>
                )
              }
            >
              <Results execution={object.id} />
            </JobReport>
          ),
        },
      ]}
    />
  );
}
