import { changeAuthExecution, changeAuthSubtask, type Row } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink, useGo } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { JobReport } from '../../resource/job/JobReport.tsx';
import { WorkOutcome } from '../../resource/job/OutcomeState.tsx';
import { asReportedJob } from '../../resource/job/reported-job.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { objectUrl } from '../../resource/source.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

const JOBS = pagesOf('job');
const PLANS = pagesOf('change_auth_plan');
const LIVE = 5_000;
type Execution = Row<typeof changeAuthExecution>;
type Subtask = Row<typeof changeAuthSubtask>;

const inSeconds = (seconds: number) => t(words.seconds, { seconds: seconds.toFixed(2) });

/**
 * Shows the result of one password change: needs attention, success or failure. A running change
 * shows its step.
 */
function State({ row }: { readonly row: Subtask }) {
  if (row.needs_attention)
    return <strong style={{ color: 'var(--mantine-color-error)' }}>{t(words.look)}</strong>;
  return row.is_success === null ? (
    <span>{row.step_display}</span>
  ) : (
    <WorkOutcome outcome={row.is_success ? 'succeeded' : 'failed'} />
  );
}

/** Lists the result of each server, with a retry for failures. */
function Subtasks({ execution }: { readonly execution: string }) {
  const { narrow, phone } = useBreakpoints();
  const go = useGo();
  const again = async (row: Subtask) => {
    const { task } = await api.put<{ task: string }>(objectUrl(changeAuthSubtask, row.id), {});
    await go(JOBS.detail(task));
  };
  return (
    <ResourceList<Subtask>
      source={changeAuthSubtask}
      embedded
      base={{ plan_execution_id: execution }}
      refetchEvery={LIVE}
      columns={[
        { name: 'hostname', essential: true },
        { name: 'ip', mono: true, width: 130, hidden: narrow },
        { name: 'username', hidden: phone },
        { name: 'is_success', width: 110, cell: (row) => <State row={row} /> },
        { name: 'step', width: 120, hidden: narrow },
        {
          name: 'reason',
          essential: phone,
          cell: ({ reason }) => reason && <Clipped title={reason} min={160} />,
        },
        {
          name: 'timedelta',
          width: 100,
          hidden: narrow,
          cell: ({ timedelta }) => inSeconds(timedelta),
        },
        { name: 'date_start', hidden: phone },
      ]}
      extraActions={(row) =>
        row.can_retry
          ? [
              {
                key: 'retry',
                label: t(words.retry),
                run: () => void again(row).catch(() => undefined),
              },
            ]
          : []
      }
    />
  );
}

const jobOf = ({ result_summary: { succeed, failed, total }, ...run }: Execution) =>
  asReportedJob({
    id: run.id,
    isFinished: run.is_finished,
    succeeded: succeed,
    failed,
    skipped: 0,
    total,
    start: run.date_start,
    end: run.date_finished,
  });

/** A run of a plan: its result, and the result of each server. */
export function ExecutionDetail() {
  return (
    <DetailPage<Execution>
      source={changeAuthExecution}
      nameOf={({ plan_display: plan, username, date_start: start }) =>
        `${plan || username} · ${formatDate(start).slice(0, 16)}`
      }
      hasActivity={false}
      refetchEvery={LIVE}
      tabs={(object, { refresh }) => [
        {
          name: 'ChangeAuthPlanExecutionInfo',
          label: t(detailWords.overview),
          render: () => (
            <JobReport
              row={jobOf(object)}
              onEnd={() => void refresh()}
              facts={
                <>
                  {object.plan && (
                    <PageLink to={PLANS.detail(object.plan)}>{object.plan_display}</PageLink>
                  )}
                  <span>{object.username}</span>
                  <span>{object.password_strategy_display}</span>
                </>
              }
            >
              <Subtasks execution={object.id} />
            </JobReport>
          ),
        },
      ]}
    />
  );
}
