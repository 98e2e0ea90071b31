import { Button, SegmentedControl } from '@mantine/core';
import { adhocExecution, adhocExecutionHost, type Row } from '@sallyport/contract';
import { useState } from 'react';
import { formatNumber } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { IconRefresh } from '../../../../kit/icons.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { JobReport } from '../../../resource/job/JobReport.tsx';
import { OutcomeState } from '../../../resource/job/OutcomeState.tsx';
import type { ReportedJob } from '../../../resource/job/reported-job.ts';
import { ResourceList } from '../../../resource/list/ResourceList.tsx';
import { objectUrl } from '../../../resource/source.ts';
import { Clipped } from '../../Clipped.tsx';
import { useBreakpoints } from '../../useBreakpoints.ts';
import { LIVE, useStart } from './parts.tsx';
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

const ASSETS = pagesOf('asset');
type Host = Row<typeof adhocExecutionHost>;
/** The look of each state of a host. */
const LOOKS = { done: 'succeeded', failed: 'failed', skipped: 'nothing' } as const;

interface HostTableProps {
  readonly execution: string;
  readonly counts: { readonly success: number; readonly failed: number; readonly skipped: number };
}

/** Lists the result of each host of a run; the failed hosts first, if any. */
function HostTable({ execution, counts }: HostTableProps) {
  const { phone } = useBreakpoints();
  const [chosen, setChosen] = useState<string>();
  const state = chosen ?? (counts.failed > 0 ? 'failed' : 'all');
  const amounts = { failed: counts.failed, skipped: counts.skipped, done: counts.success };
  const labels = { failed: words.failed, skipped: words.skipped, done: words.succeeded };
  return (
    <ResourceList<Host>
      source={adhocExecutionHost}
      embedded
      base={{ execution }}
      chosen={state === 'all' ? {} : { state }}
      refetchEvery={LIVE}
      toolbar={
        <SegmentedControl
          size="xs"
          aria-label={t(words.which)}
          value={state}
          onChange={setChosen}
          data={[
            ...Object.entries(amounts).flatMap(([value, count]) =>
              count > 0
                ? [
                    {
                      value,
                      label: `${t(labels[value as keyof typeof labels])} ${formatNumber(count)}`,
                    },
                  ]
                : [],
            ),
            { value: 'all', label: t(words.allHosts) },
          ]}
        />
      }
      columns={[
        {
          name: 'hostname',
          essential: true,
          cell: ({ asset, hostname }) =>
            asset ? <PageLink to={ASSETS.detail(asset)}>{hostname}</PageLink> : hostname,
        },
        {
          name: 'username',
          hidden: phone,
          quiet: ({ username }) => !username,
          cell: ({ username }) => username,
        },
        {
          name: 'state',
          width: 110,
          cell: ({ state: name, state_display: text }) => (
            <OutcomeState outcome={LOOKS[name]} text={text} />
          ),
        },
        {
          name: 'reason',
          essential: phone,
          quiet: ({ reason }) => !reason,
          cell: ({ reason }) => reason && <Clipped title={reason} min={160} />,
        },
        {
          name: 'milliseconds',
          label: words.took,
          width: 110,
          hidden: phone,
          cell: ({ milliseconds }) => t(words.milliseconds, { milliseconds }),
        },
      ]}
    />
  );
}
