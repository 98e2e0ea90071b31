import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { common, t } from '../../../kit/i18n/index.ts';
import { JobLog } from './JobLog.tsx';
import { colorOfState } from './OutcomeState.tsx';
import { askToCancel, type JobModel } from './useJob.ts';
import { words } from './words.ts';

/**
 * Returns the progress of a job in whole percent, or undefined if unknown. An unfinished job
 * reaches 99 at most.
 */
export function percentOf({
  done,
  total,
}: {
  readonly done: number;
  readonly total: number;
}): number | undefined {
  return total === 0 ? undefined : Math.min(99, Math.floor((done / total) * 100));
}

/** A job without any known state except its title. */
export function Pending({ title }: { readonly title: string }) {
  return (
    <Stack gap="xs">
      <Text fz="sm" role="status">
        {title}
      </Text>
      <Progress.Root size="md">
        <Progress.Section value={100} striped animated aria-label={title} />
      </Progress.Root>
    </Stack>
  );
}

interface JobProgressProps {
  readonly model: JobModel;
  readonly hasLog?: boolean;
  /** Replaces the title of the job. */
  readonly title?: string;
}

/** Shows the state, progress and live log of a job, and a cancel button. */
export function JobProgress({ model, hasLog = false, title }: JobProgressProps) {
  const { job, lines, problem } = model;
  if (!job)
    return title && !problem ? (
      <Pending title={title} />
    ) : (
      <Text role="status">{problem || t(common.loading)}</Text>
    );
  const percent = model.isOver ? undefined : percentOf(job);
  const text = title ?? job.title;
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap">
        <Text fz="sm" role="status">{`${text} · ${job.state_display}`}</Text>
        <Group gap="xs" wrap="nowrap">
          {job.total > 0 && (
            <Text fz="sm" className="mono">
              {t(words.progressOf, { done: job.done, total: job.total })}
            </Text>
          )}
          {percent !== undefined && <Text fz="sm" className="mono">{`${percent}%`}</Text>}
          {job.can_cancel && (
            <Button
              size="xs"
              variant="default"
              onClick={() => askToCancel(job, async () => undefined)}
            >
              {t(words.cancel)}
            </Button>
          )}
        </Group>
      </Group>
      <Progress.Root size="md">
        <Progress.Section
          value={percent ?? 100}
          color={model.isOver ? colorOfState(job.outcome) : 'blue'}
          striped={!model.isOver && percent === undefined}
          animated={!model.isOver && percent === undefined}
          aria-label={t(words.progress)}
        />
      </Progress.Root>
      {(job.reason || problem) && (
        <Alert color="red" role="alert" style={{ overflowWrap: 'anywhere' }}>
          {job.reason || problem}
        </Alert>
      )}
      {hasLog && <JobLog lines={lines} />}
    </Stack>
  );
}
