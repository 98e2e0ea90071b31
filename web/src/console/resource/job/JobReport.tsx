import { Alert, Button, Progress, Text, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { formatDuration, secondsBetween } from '../../../kit/format/format.ts';
import { language, t } from '../../../kit/i18n/index.ts';
import { IconChevronDown, IconChevronRight } from '../../../kit/icons.ts';
import { Moment } from '../list/table/Moment.tsx';
import { JobLog } from './JobLog.tsx';
import { percentOf } from './JobProgress.tsx';
import styles from './JobReport.module.css';
import { OutcomeState } from './OutcomeState.tsx';
import { Reasons } from './Reasons.tsx';
import type { ReportedJob } from './reported-job.ts';
import { askToCancel, type JobModel, useJob } from './useJob.ts';
import { words } from './words.ts';

type Counted = Pick<ReportedJob, 'outcome' | 'done' | 'failed' | 'skipped' | 'total'>;

const [COMMA, PERIOD] = language === 'zh' ? ['，', '。'] : [', ', '.'];

/** The result of a job in one sentence; empty if the state says everything. */
export function sentenceOf({ outcome, done, failed, skipped, total }: Counted): string {
  const all = Math.max(total, done);
  if (outcome === 'queued') return t(words.waits);
  if (outcome === 'running') return all > 0 ? t(words.doneOf, { done, total: all }) : '';
  const counts = [
    { count: failed, only: words.allFailed, first: words.failedOf, next: words.failedToo },
    {
      count: done - failed - skipped,
      only: words.allSucceeded,
      first: words.succeededOf,
      next: words.succeededToo,
    },
    { count: skipped, only: words.allSkipped, first: words.skippedOf, next: words.skippedToo },
    { count: all - done, only: words.allLeft, first: words.leftOf, next: words.leftToo },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return outcome === 'nothing' ? t(words.noObjects) : '';
  const parts = counts.map(({ count, only, first, next }, index) => {
    const text = index > 0 ? next : counts.length === 1 ? only : first;
    return t(text, { count, total: all });
  });
  return `${parts.join(COMMA)}${PERIOD}`;
}

interface FoldedLogProps extends Pick<JobModel, 'lines'> {
  readonly isOpenAtFirst: boolean;
}

/** The log of a job, which opens on request. */
function FoldedLog({ lines, isOpenAtFirst }: FoldedLogProps) {
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? isOpenAtFirst;
  const panel = useId();
  return (
    <section className={styles.card}>
      <UnstyledButton
        className={styles.fold}
        aria-expanded={isOpen}
        aria-controls={panel}
        onClick={() => setChosen(!isOpen)}
      >
        {isOpen ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
        {t(words.log)}
        <span className={styles.dim}>{t(words.lines, { count: lines.length })}</span>
      </UnstyledButton>
      <div id={panel} className={styles.log} hidden={!isOpen}>
        {isOpen && <JobLog lines={lines} />}
      </div>
    </section>
  );
}

interface JobReportProps {
  /** The job as last read; the page follows it until it ends. */
  readonly row: ReportedJob;
  /** Increment to follow a job that was started again. */
  readonly round?: number;
  /** Called once when the job ends while the page is open. */
  readonly onEnd: () => void;
  /** Buttons next to the result. */
  readonly buttons?: ReactNode;
  /** More facts after who started the job. */
  readonly facts?: ReactNode;
  /** The results by object; the log is folded below them. */
  readonly children?: ReactNode;
}

/** Shows a job: its result in a sentence, reasons with their fix, results by object, the log. */
export function JobReport({ row, round = 0, onEnd, buttons, facts, children }: JobReportProps) {
  const model = useJob(row.id, { round });
  const job: ReportedJob = model.job ?? row;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is over
  useEffect(() => {
    if (model.isOver && row.date_finished === null) onEnd();
  }, [model.isOver]);
  const isOver = job.date_finished !== null;
  const percent = isOver ? undefined : percentOf(job);
  const seconds = secondsBetween(job.date_started, job.date_finished);
  const duration = seconds === undefined ? '' : formatDuration(seconds);
  // The job of an old run may have been deleted.
  const problem = model.job || !isOver ? model.problem : '';
  return (
    <div className={styles.report}>
      <section className={styles.result} data-outcome={job.outcome}>
        <div className={styles.head}>
          <div role="status">
            <span className={styles.state}>
              <OutcomeState outcome={job.outcome} text={job.state_display} />
            </span>
            <span>{sentenceOf(job)}</span>
          </div>
          <div className={styles.buttons}>
            {buttons}
            {job.can_cancel && !isOver && (
              <Button
                size="xs"
                variant="default"
                onClick={() => askToCancel({ title: '', ...job }, async () => undefined)}
              >
                {t(words.cancel)}
              </Button>
            )}
          </div>
        </div>
        {!isOver && (
          <Progress.Root size="md" mt="sm">
            <Progress.Section
              value={percent ?? 100}
              striped={percent === undefined}
              animated={percent === undefined}
              aria-label={t(words.progress)}
            />
          </Progress.Root>
        )}
        <Text className={styles.facts ?? ''} component="div">
          {job.started_by !== undefined && (
            <span>{t(words.startedBy, { name: job.started_by || t(words.server) })}</span>
          )}
          <Moment date={job.date_created} />
          {duration && <span>{t(words.took, { duration })}</span>}
          {job.attempt > 1 && <span>{t(words.attempt, { attempt: job.attempt })}</span>}
          {facts}
        </Text>
        {(job.reason || problem) && (
          <Alert color="red" role="alert" mt="sm" style={{ overflowWrap: 'anywhere' }}>
            {job.reason || problem}
          </Alert>
        )}
      </section>
      {isOver && job.failed + job.skipped > 0 && <Reasons job={job.id} />}
      {children}
      <FoldedLog lines={model.lines} isOpenAtFirst={!isOver || !children} />
    </div>
  );
}
