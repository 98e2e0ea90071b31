import { isWorkState, OUTCOME_TEXTS, type WorkState } from '@sallyport/contract';
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
  partly: { color: 'yellow', icon: IconAlertTriangle },
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
        whiteSpace: 'nowrap',
        color:
          color === 'gray' ? 'var(--mantine-color-dimmed)' : `var(--mantine-color-${color}-text)`,
      }}
    >
      <Icon size={16} aria-hidden="true" style={{ verticalAlign: 'text-bottom' }} /> {text}
    </span>
  );
}

interface WorkProps {
  readonly outcome: WorkState;
  readonly failed?: number;
  readonly total?: number;
}

/** A state in its own words; a partial failure includes its counts. */
export function WorkOutcome({ outcome, failed = 0, total = 0 }: WorkProps) {
  return <OutcomeState outcome={outcome} text={t(OUTCOME_TEXTS[outcome], { failed, total })} />;
}
