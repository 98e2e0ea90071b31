import { type Lasting, type Validity, validityOf } from '@sallyport/contract';
import { formatNear, formatWithZone } from '../../../../kit/format/relative-time.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { IconCircleCheck, IconCircleX, IconClock } from '../../../../kit/icons.ts';
import { words } from '../words.ts';
import { Moment, useMinute } from './Moment.tsx';

/** Returns the state of an object with the date that decides it. */
export function stateOf(
  of: Lasting,
  now: Date,
): { readonly validity: Validity; readonly text: string; readonly date?: string } {
  const validity = validityOf(of, now);
  const { date_start: start = '', date_expired: end } = of;
  if (validity === 'expired' && end)
    return { validity, text: t(words.expired, { when: formatNear(end, now) }), date: end };
  if (validity === 'not_started')
    return { validity, text: t(words.starts, { when: formatNear(start, now) }), date: start };
  return { validity, text: t(validity === 'disabled' ? words.disabled : words.active) };
}

const LOOKS = {
  valid: { Icon: IconCircleCheck, color: 'green-text' },
  not_started: { Icon: IconClock, color: 'dimmed' },
  disabled: { Icon: IconCircleX, color: 'dimmed' },
  expired: { Icon: IconCircleX, color: 'red-text' },
} as const;

/** The end of an object without a switch: the date, or that it has expired. Nothing without one. */
export function End({ date }: { readonly date: string | null }) {
  const of = { is_active: true, date_expired: date };
  const isOver = validityOf(of, useMinute()) === 'expired';
  if (isOver) return <State of={of} />;
  return date ? <Moment date={date} /> : null;
}

/**
 * The state of an object as icon, color and text; hover shows the date that decides it. Red is
 * for an end that passed; a disabled object is meant to be off.
 */
export function State({ of }: { readonly of: Lasting }) {
  const { validity, text, date } = stateOf(of, useMinute());
  const { Icon, color } = LOOKS[validity];
  return (
    <span
      style={{ whiteSpace: 'nowrap', color: `var(--mantine-color-${color})` }}
      {...(date && { title: formatWithZone(date) })}
    >
      <Icon size={16} aria-hidden="true" style={{ verticalAlign: 'text-bottom' }} /> {text}
    </span>
  );
}
