import type { CommandStage } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { OutcomeState, WorkOutcome } from '../../resource/job/OutcomeState.tsx';
import styles from './Batch.module.css';
import { words } from './words.ts';

/** Draws the stages of a canary run with the number of servers and the state of each. */
export function CommandStages({ stages }: { readonly stages: readonly CommandStage[] }) {
  if (stages.length === 0) return null;
  return (
    <ol className={styles.stages} aria-label={t(words.stages)}>
      {stages.map(({ size, failed, state }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a stage is its position
        <li key={index}>
          <strong>{t(words.stage, { number: index + 1 })}</strong>
          <span>{t(words.serverCount, { count: size })}</span>
          {state === 'left_out' ? (
            <OutcomeState outcome="nothing" text={t(words.leftOut)} />
          ) : (
            <WorkOutcome outcome={state} failed={failed} total={size} />
          )}
        </li>
      ))}
    </ol>
  );
}
