import { job } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { OutcomeState } from '../../resource/job/OutcomeState.tsx';
import { askToCancel, type Job, runAgain } from '../../resource/job/useJob.ts';
import { words } from '../../resource/job/words.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';

const LIVE = 5_000;

const DAYS = 7;

/** Lists waiting, running and finished jobs. */
export function JobList() {
  return (
    <>
      <PageHeader />
      <ResourceList<Job>
        source={job}
        columns={[
          { name: 'title', essential: true },
          {
            name: 'state',
            width: 150,
            cell: (row) => <OutcomeState outcome={row.outcome} text={row.state_display} />,
          },
          { name: 'subject' },
          { name: 'started_by', cell: (row) => row.started_by || t(words.server) },
          { name: 'reason' },
          { name: 'date_created' },
          { name: 'date_finished', hidden: true },
          { name: 'attempt', hidden: true },
        ]}
        days={DAYS}
        refetchEvery={LIVE}
        extraActions={(row, refresh) => [
          ...(row.can_cancel
            ? [
                {
                  key: 'cancel',
                  label: t(words.cancel),
                  danger: true,
                  run: () => askToCancel(row, refresh),
                },
              ]
            : []),
          ...(row.can_retry
            ? [{ key: 'retry', label: t(words.retry), run: () => void runAgain(row).then(refresh) }]
            : []),
        ]}
      />
    </>
  );
}
