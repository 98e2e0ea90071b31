import { Button } from '@mantine/core';
import { job, opsTask, WORK_STATES } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { outsideAddress, windowLink } from '../../base/addresses.ts';
import { pagesOf } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { OutcomeState } from '../../resource/job/OutcomeState.tsx';
import { StateBar } from '../../resource/job/StateBar.tsx';
import { askToCancel, type Job, runAgain } from '../../resource/job/useJob.ts';
import { words as jobWords } from '../../resource/job/words.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { ResourceListProps } from '../../resource/list/resource-list-props.ts';
import { presetRange } from '../../resource/list/search/dates.ts';
import { searchFields } from '../../resource/list/search/search-fields.ts';
import type { Column } from '../../resource/list/table/columns.tsx';
import type { RowAction } from '../../resource/list/table/RowActions.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TabbedPage } from '../../resource/TabbedPage.tsx';
import { useCount } from '../../resource/useCount.ts';
import { SCHEDULED, TaskTable } from '../ops/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import styles from './Jobs.module.css';
import { Workers } from './Workers.tsx';
import { words } from './words.ts';

const PAGES = pagesOf(job.name);
const LIVE = 5_000;
const DAYS = 7;
const RUNNING = { outcome: 'queued,running' };
const FAILED = { outcome: 'failed,partly' };

function Running() {
  const { screens } = useSession();
  const isOperator = screens.some(({ name }) => name === 'TaskMonitor');
  return (
    <>
      <JobTable base={RUNNING} emptyTitle={t(words.nothingRuns)} />
      {isOperator && <Workers />}
    </>
  );
}

function Jobs({ first }: { readonly first: 'Running' | 'Scheduled' | 'All' }) {
  const { dateFrom, dateTo } = presetRange(DAYS);
  const lately = { date_from: dateFrom, date_to: dateTo };
  const live = { refetchEvery: LIVE };
  const { screens, settings } = useSession();
  const monitor = outsideAddress(settings.OUTSIDE_PAGES?.monitor);
  // Super auditors read jobs, and no tasks.
  const hasTasks = screens.some(({ name }) => name === 'OpsTaskList');
  const tasks = useCount(opsTask, SCHEDULED, { enabled: hasTasks });
  return (
    <>
      <PageHeader>
        {monitor && (
          <Button variant="default" {...windowLink(monitor)}>
            {t(words.monitor)}
          </Button>
        )}
      </PageHeader>
      <TabbedPage
        first={first}
        home={PAGES.list}
        tabs={[
          {
            name: 'Running',
            label: t(words.running),
            count: useCount(job, RUNNING, live),
            render: () => <Running />,
          },
          {
            name: 'Failed',
            label: t(words.failed),
            count: useCount(job, { ...FAILED, ...lately }, live),
            render: () => (
              <JobTable base={FAILED} days={DAYS} emptyTitle={t(words.nothingFailed)} />
            ),
          },
          ...(hasTasks
            ? [
                {
                  name: 'Scheduled',
                  label: t(words.scheduled),
                  count: tasks,
                  render: () => <TaskTable />,
                },
              ]
            : []),
          {
            name: 'All',
            label: t(words.all),
            count: useCount(job, lately, live),
            render: () => <JobTable days={DAYS} ofAnyState />,
          },
        ]}
      />
    </>
  );
}

/** All jobs of the last days. */
export const AllJobs = () => <Jobs first="All" />;

/** Waiting and running jobs, and the job servers for operators. */
export const RunningJobs = () => <Jobs first="Running" />;

/** Work on assets that runs on a schedule, or again on demand. */
export const ScheduledJobs = () => <Jobs first="Scheduled" />;

const OUTCOME_FIELD = {
  name: 'outcome',
  label: t(job.fields.state.label),
  choices: Object.entries(WORK_STATES).map(([value, label]) => ({ value, label: t(label) })),
};

const startedBy = ({ started_by: name }: Job) => name || t(jobWords.server);

function columnsFor(phone: boolean, narrow: boolean): readonly Column<Job>[] {
  return [
    {
      name: 'title',
      essential: true,
      cell: ({ title, subject }) => (
        <>
          {title}
          {subject && <span className={styles.subject}> · {subject}</span>}
        </>
      ),
    },
    {
      name: 'state',
      essential: phone,
      width: phone ? 124 : 210,
      cell: (row) => <OutcomeState outcome={row.outcome} text={row.state_display} />,
    },
    {
      name: 'progress',
      label: words.objects,
      width: 170,
      hidden: phone,
      quiet: ({ total, done }) => total + done === 0,
      cell: (row) => <StateBar {...row} />,
    },
    {
      name: 'reason',
      hidden: phone || narrow,
      quiet: ({ reason }) => !reason,
      cell: ({ reason }) => reason,
    },
    { name: 'started_by', hidden: phone, cell: startedBy },
    { name: 'date_created', label: words.created, hidden: phone },
    { name: 'date_finished', hidden: true },
    { name: 'attempt', hidden: true },
  ];
}

const actionsOf = (row: Job, refresh: () => Promise<void>): readonly RowAction[] => [
  ...(row.can_cancel
    ? [
        {
          key: 'cancel',
          label: t(jobWords.cancel),
          danger: true,
          run: () => askToCancel(row, refresh),
        },
      ]
    : []),
  ...(row.can_retry
    ? [
        {
          key: 'retry',
          label: t(jobWords.retry),
          run: () => void runAgain(row).then(refresh, () => undefined),
        },
      ]
    : []),
];

type Props = Pick<ResourceListProps<Job>, 'base' | 'days' | 'emptyTitle'> & {
  /** Offers a search by state. */
  readonly ofAnyState?: boolean;
};

/** Lists jobs with their state, their objects and who started them. */
function JobTable({ ofAnyState = false, ...list }: Props) {
  const { phone, narrow } = useBreakpoints();
  return (
    <ResourceList<Job>
      source={job}
      {...list}
      columns={columnsFor(phone, narrow)}
      searchBy={[...searchFields(job.fields, ['state']), ...(ofAnyState ? [OUTCOME_FIELD] : [])]}
      refetchEvery={LIVE}
      extraActions={actionsOf}
    />
  );
}
