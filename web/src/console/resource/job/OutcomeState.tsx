import { isWorkState, OUTCOME_TEXTS, outcomeOf, type WorkState } from '@sallyport/contract';
import type { ComponentType } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconMinus,
  IconX,
} from '../../../kit/icons.ts';

interface Look {
  readonly color: string;
  readonly icon: ComponentType<{ readonly size?: number; readonly style?: object }>;
}

const LOOKS: Readonly<Record<WorkState, Look>> = {
  queued: { color: 'gray', icon: IconClock },
  running: { color: 'blue', icon: IconCircleDashed },
  succeeded: { color: 'green', icon: IconCircleCheck },
  partly: { color: 'orange', icon: IconAlertTriangle },
  failed: { color: 'red', icon: IconCircleX },
  nothing: { color: 'gray', icon: IconMinus },
  canceled: { color: 'gray', icon: IconX },
};

/** The color of a state in bars and marks. */
export const colorOfState = (state: string): string =>
  isWorkState(state) ? LOOKS[state].color : 'gray';

/** The state of work as icon, color and text. */
export function OutcomeState({
  outcome,
  text,
}: {
  readonly outcome: string;
  readonly text: string;
}) {
  if (!isWorkState(outcome)) return <span>{text}</span>;
  const { color, icon: Icon } = LOOKS[outcome];
  return (
    <span
      style={{
        color:
          color === 'gray' ? 'var(--mantine-color-dimmed)' : `var(--mantine-color-${color}-text)`,
      }}
    >
      <Icon size={16} aria-hidden="true" style={{ verticalAlign: 'text-bottom' }} /> {text}
    </span>
  );
}

/** A state without counts. */
export function StateOf({ state }: { readonly state: Exclude<WorkState, 'partly'> }) {
  return <OutcomeState outcome={state} text={t(OUTCOME_TEXTS[state])} />;
}

interface RunProps {
  readonly succeeded: number;
  readonly failed: number;
  readonly total: number;
}

/** The outcome of a finished run over hosts; without results for any host it counts as not run. */
export function RunOutcome({ succeeded, failed, total }: RunProps) {
  const outcome = outcomeOf({
    succeeded,
    failed,
    skipped: Math.max(0, total - succeeded - failed),
  });
  return <OutcomeState outcome={outcome} text={t(OUTCOME_TEXTS[outcome], { failed, total })} />;
}
