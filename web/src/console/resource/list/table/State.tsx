import { parseDatetime } from '@sallyport/contract';
import { formatNear, formatWithZone } from '../../../../kit/format/relative-time.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { IconCircleCheck, IconCircleX, IconClock } from '../../../../kit/icons.ts';
import { words } from '../words.ts';
import { useMinute } from './Moment.tsx';

/** An object that can be disabled, not yet started, or expired. */
export interface Lasting {
  readonly is_active: boolean;
  readonly date_start?: string;
  readonly date_expired: string | null;
}

/** Returns the state of an object with the date that decides it. */
export function stateOf(
  { is_active, date_start, date_expired }: Lasting,
  now: Date,
): {
  readonly isOn: boolean;
  readonly isLater?: boolean;
  readonly text: string;
  readonly date?: string;
} {
  const ended = date_expired ? parseDatetime(date_expired) : undefined;
  if (ended && date_expired && ended <= now)
    return {
      isOn: false,
      text: t(words.expired, { when: formatNear(date_expired, now) }),
      date: date_expired,
    };
  if (!is_active) return { isOn: false, text: t(words.disabled) };
  const begins = date_start ? parseDatetime(date_start) : undefined;
  if (begins && date_start && begins > now)
    return {
      isOn: false,
      isLater: true,
      text: t(words.starts, { when: formatNear(date_start, now) }),
      date: date_start,
    };
  return { isOn: true, text: t(words.active) };
}

/**
 * The state of an object as icon, color and text; hover shows the date that decides it. Red is
 * for an end that passed; a disabled object is meant to be off.
 */
export function State({ of }: { readonly of: Lasting }) {
  const { isOn, isLater, text, date } = stateOf(of, useMinute());
  const Icon = isOn ? IconCircleCheck : isLater ? IconClock : IconCircleX;
  const isOver = date !== undefined && !isLater;
  const color = `var(--mantine-color-${isOn ? 'green-text' : isOver ? 'red-text' : 'dimmed'})`;
  return (
    <span style={{ whiteSpace: 'nowrap', color }} {...(date && { title: formatWithZone(date) })}>
      <Icon size={16} aria-hidden="true" style={{ verticalAlign: 'text-bottom' }} /> {text}
    </span>
  );
}
