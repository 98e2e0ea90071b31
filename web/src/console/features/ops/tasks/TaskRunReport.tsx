import { Button } from '@mantine/core';
import { adhocExecution, type Row } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { IconRefresh } from '../../../../kit/icons.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { JobReport } from '../../../resource/job/JobReport.tsx';
import type { ReportedJob } from '../../../resource/job/reported-job.ts';
import { objectUrl } from '../../../resource/source.ts';
import { HostTable } from './HostTable.tsx';
import { useStart } from './parts.tsx';
import { words } from './words.ts';

const TASKS = pagesOf('ops_task');
const VERSIONS = pagesOf('adhoc');

interface TaskRunReportProps {
  readonly job: ReportedJob;
  readonly execution: Row<typeof adhocExecution>;
  readonly refresh: () => Promise<unknown>;
}

/** The report of a run of a task: its result, its hosts, and a run on the failed hosts. */
export function TaskRunReport({ job, execution, refresh }: TaskRunReportProps) {
  const start = useStart();
  const { id, stat, task, task_title: title, adhoc: version, adhoc_short_id: short } = execution;
  const again = () => start('post', `${objectUrl(adhocExecution, id)}retry-failed/`);
  return (
    <JobReport
      row={job}
      onEnd={() => void refresh()}
      buttons={
        execution.is_finished &&
        stat.failed > 0 && (
          <Button
            size="xs"
            leftSection={<IconRefresh size={14} />}
            onClick={() => void again().catch(() => undefined)}
          >
            {t(words.retryFailed, { count: stat.failed })}
          </Button>
        )
      }
      facts={
        <>
          <PageLink to={TASKS.detail(task)}>{title}</PageLink>
          {version && (
            <PageLink to={VERSIONS.detail(version)}>{t(words.version, { name: short })}</PageLink>
          )}
        </>
      }
    >
      {stat.total > 0 && <HostTable execution={id} counts={stat} />}
    </JobReport>
  );
}
