import { job, opsTask } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { pagesOf } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { presetRange } from '../../resource/list/search/dates.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TabbedPage } from '../../resource/TabbedPage.tsx';
import { useCount } from '../../resource/useCount.ts';
import { SCHEDULED, TaskTable } from '../ops/tasks/TaskTable.tsx';
import { JobTable } from './JobTable.tsx';
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
  return (
    <>
      <PageHeader />
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
          {
            name: 'Scheduled',
            label: t(words.scheduled),
            count: useCount(opsTask, SCHEDULED),
            render: () => <TaskTable />,
          },
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
