import { OUTCOME_TEXTS, outcomeOf } from '@sallyport/contract';
import type { ComponentType } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconInfoCircle,
} from '../../../kit/icons.ts';

interface Look {
  readonly color: string;
  readonly icon: ComponentType<{ readonly size?: number; readonly style?: object }>;
}

/** Color and icon by outcome; unfinished jobs have neither. */
const LOOKS: Readonly<Record<string, Look>> = {
  succeeded: { color: 'green', icon: IconCircleCheck },
  partly: { color: 'orange', icon: IconAlertTriangle },
  failed: { color: 'red', icon: IconCircleX },
  nothing: { color: 'gray', icon: IconInfoCircle },
};

/** The outcome of a job as icon, color and text. */
export function OutcomeState({
  outcome,
  text,
}: {
  readonly outcome: string;
  readonly text: string;
}) {
  const look = LOOKS[outcome];
  if (!look) return <span>{text}</span>;
  const { color, icon: Icon } = look;
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
