import { job } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { useGo } from '../../base/navigation.tsx';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { JobProgress } from '../../resource/job/JobProgress.tsx';
import { OutcomeState } from '../../resource/job/OutcomeState.tsx';
import { Reasons } from '../../resource/job/Reasons.tsx';
import { type Job, runAgain, useJob } from '../../resource/job/useJob.ts';
import { words } from '../../resource/job/words.ts';

/** Shows the progress of a job. The page reloads the job when it ends. */
function Live({
  id,
  round,
  onOver,
}: {
  readonly id: string;
  readonly round: number;
  readonly onOver: () => void;
}) {
  const model = useJob(id, { round });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is over
  useEffect(() => {
    if (model.isOver) onOver();
  }, [model.isOver]);
  return <JobProgress model={model} hasLog />;
}

/** Shows the facts and live log of a job, and runs it again. */
export function JobDetail() {
  const go = useGo();
  const [round, setRound] = useState(0);
  return (
    <DetailPage<Job>
      source={job}
      nameOf={(row) => row.title}
      hasActivity={false}
      tabs={(row, { refresh }) => [
        {
          name: 'JobDetailCard',
          label: t(words.detail),
          render: () => (
            <DetailColumns
              left={
                <>
                  <Live id={row.id} round={round} onOver={() => void refresh()} />
                  {row.failed + row.skipped > 0 && row.date_finished && <Reasons job={row.id} />}
                  <DetailCard
                    source={job}
                    object={row}
                    facts={[
                      {
                        name: 'state',
                        label: job.fields.state.label,
                        value: (one) => (
                          <OutcomeState outcome={one.outcome} text={one.state_display} />
                        ),
                      },
                      'subject',
                      {
                        name: 'started_by',
                        label: job.fields.started_by.label,
                        value: (one) => one.started_by || t(words.server),
                      },
                      'attempt',
                      'reason',
                      'date_created',
                      'date_started',
                      'date_finished',
                    ]}
                  />
                </>
              }
              right={
                <QuickActionsCard
                  actions={[
                    {
                      key: 'retry',
                      title: t(words.retry),
                      button: t(words.go),
                      disabled: !row.can_retry,
                      run: async () => {
                        await runAgain(row);
                        setRound((before) => before + 1);
                        await refresh();
                      },
                    },
                    {
                      key: 'log',
                      title: t(words.log),
                      button: t(common.view),
                      run: () => go(`/ops/celery/task/${row.id}/log`),
                    },
                  ]}
                />
              }
            />
          ),
        },
      ]}
    />
  );
}
