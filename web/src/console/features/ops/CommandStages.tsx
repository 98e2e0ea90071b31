import { stageSizes, type WorkState } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { WorkOutcome } from '../../resource/job/OutcomeState.tsx';
import styles from './Batch.module.css';
import type { Execution } from './useExecution.ts';
import { words } from './words.ts';

type Progress = Pick<Execution, 'hosts_amount' | 'done_amount' | 'failed_amount' | 'is_finished'>;

/** The state of each stage of a batch command, which runs them one after another. */
export function stagesOf(progress: Progress): readonly { size: number; state: WorkState }[] {
  const { hosts_amount: total, done_amount: done, is_finished: isFinished } = progress;
  const isStopped = isFinished && done < total && progress.failed_amount > 0;
  let before = 0;
  return stageSizes(total).map((size) => {
    const [start, end] = [before, before + size];
    before = end;
    if (done >= end) return { size, state: isStopped && done === end ? 'failed' : 'succeeded' };
    if (done < start || (done === start && isFinished))
      return { size, state: isFinished ? 'canceled' : 'queued' };
    return { size, state: isFinished ? 'failed' : 'running' };
  });
}

/** Draws the stages of a canary run with the number of servers and the state of each. */
export function CommandStages({ execution }: { readonly execution: Progress }) {
  return (
    <ol className={styles.stages} aria-label={t(words.stages)}>
      {stagesOf(execution).map(({ size, state }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a stage is its position
        <li key={index}>
          <strong>{t(words.stage, { number: index + 1 })}</strong>
          <span>{t(words.serverCount, { count: size })}</span>
          <WorkOutcome outcome={state} />
        </li>
      ))}
    </ol>
  );
}
