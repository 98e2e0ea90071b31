import { Button } from '@mantine/core';
import { adhocExecution, allows, job, type Page, Permission, type Row } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconRefresh } from '../../../kit/icons.ts';
import { PageLink } from '../../base/navigation.tsx';
import { usePages } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { DetailPage } from '../../resource/detail/DetailPage.tsx';
import { JobReport } from '../../resource/job/JobReport.tsx';
import { isOver, type Job, runAgain } from '../../resource/job/useJob.ts';
import { words } from '../../resource/job/words.ts';
import { cacheKey, listUrl } from '../../resource/source.ts';
import { TaskRunReport } from '../ops/index.ts';

const LIVE = 5_000;

/** The resources of the runs that have the id of their job, by kind of job. */
const RUNS: Readonly<Record<string, string>> = {
  'change-auth': 'change_auth_execution',
  'gather-users': 'gather_user_execution',
};

interface ReportProps {
  readonly row: Job;
  readonly refresh: () => Promise<unknown>;
}

/** A job without hosts, or with hosts on another page. */
function PlainReport({ row, refresh }: ReportProps) {
  const [round, setRound] = useState(0);
  const { detail: runPage } = usePages(RUNS[row.name] ?? '');
  async function again() {
    await runAgain(row);
    setRound((before) => before + 1);
    await refresh();
  }
  return (
    <JobReport
      row={row}
      round={round}
      onEnd={() => void refresh()}
      buttons={
        row.can_retry && (
          <Button
            size="xs"
            leftSection={<IconRefresh size={14} />}
            onClick={() => void again().catch(() => undefined)}
          >
            {t(words.retry)}
          </Button>
        )
      }
      facts={runPage && <PageLink to={runPage(row.id)}>{t(words.byServer)}</PageLink>}
    />
  );
}

/** The report of a job; a run of a task on assets includes its hosts. */
function Report({ row, refresh }: ReportProps) {
  const { role } = useSession();
  const readsRuns = allows(role.permissions, Permission.ADMIN);
  const { data: run, refetch } = useQuery({
    enabled: readsRuns,
    queryKey: [...cacheKey(adhocExecution), 'of-job', row.id],
    queryFn: ({ signal }) =>
      api.get<Page<Row<typeof adhocExecution>>>(listUrl(adhocExecution), {
        query: { ids: row.id, limit: 1 },
        signal,
        quiet: true,
      }),
    refetchInterval: isOver(row) ? false : LIVE,
  });
  const [execution] = run?.results ?? [];
  const update = () => Promise.all([refresh(), readsRuns && refetch()]);
  return execution ? (
    <TaskRunReport job={row} execution={execution} refresh={update} />
  ) : (
    <PlainReport row={row} refresh={update} />
  );
}

/** The page of a job. */
export function JobDetail() {
  return (
    <DetailPage<Job>
      source={job}
      nameOf={({ title, subject }) => [title, subject].filter(Boolean).join(' · ')}
      hasActivity={false}
      tabs={(row, { refresh }) => [
        {
          name: 'JobDetailCard',
          label: t(words.detail),
          render: () => <Report row={row} refresh={refresh} />,
        },
      ]}
    />
  );
}
