import { changeAuthExecution, changeAuthSubtask, job, type Row } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink, useGo } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { RunOutcome, WorkOutcome } from '../../resource/job/OutcomeState.tsx';
import { Reasons } from '../../resource/job/Reasons.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { objectUrl } from '../../resource/source.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

const JOBS = pagesOf('job');
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
        { name: 'reason', cell: ({ reason }) => reason && <Clipped title={reason} min={160} /> },
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

export function ExecutionDetail() {
  return (
    <DetailPage<Execution>
      source={changeAuthExecution}
      nameOf={({ plan_display: plan, username, date_start: start }) =>
        `${plan || username} · ${formatDate(start).slice(0, 16)}`
      }
      hasActivity={false}
      refetchEvery={LIVE}
      tabs={(object) => [
        {
          name: 'ChangeAuthPlanExecutionInfo',
          label: t(words.detail),
          render: () => (
            <DetailColumns
              left={
                <>
                  {object.is_finished && object.result_summary.failed > 0 && (
                    <Reasons job={object.id} />
                  )}
                  <DetailCard
                    source={changeAuthExecution}
                    object={object}
                    facts={[
                      'plan',
                      'username',
                      'assets_amount',
                      'nodes_amount',
                      'password_strategy',
                      'key_strategy',
                      {
                        name: 'outcome',
                        label: job.fields.state.label,
                        value: ({
                          is_finished: isFinished,
                          result_summary: { succeed, failed, total },
                        }) => (
                          <RunOutcome
                            isFinished={isFinished}
                            succeeded={succeed}
                            failed={failed}
                            total={total}
                          />
                        ),
                      },
                      {
                        name: 'duration',
                        label: changeAuthExecution.fields.timedelta.label,
                        value: ({ timedelta }) => inSeconds(timedelta),
                      },
                      'date_start',
                      'date_finished',
                      {
                        name: 'log',
                        label: words.log,
                        value: ({ id }) => <PageLink to={JOBS.detail(id)}>{t(words.log)}</PageLink>,
                      },
                    ]}
                  />
                </>
              }
            />
          ),
        },
        {
          name: 'ChangeAuthPlanExecutionTaskList',
          label: t(words.tasks),
          render: () => <Subtasks execution={object.id} />,
        },
      ]}
    />
  );
}
