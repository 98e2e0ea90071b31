import { isTimeZone } from '../kit/datetime.ts';
import { wallClock } from '../kit/wall-clock.ts';

/** `always`: at once. `outside`: not between `from` and `to`. `daily`: together at `to`. */
export const MAIL_MODES = ['always', 'outside', 'daily'] as const;
export type MailMode = (typeof MAIL_MODES)[number];

/** When a user wants mails that can wait; member `mail_times` of the preferences. */
export interface MailTimes {
  readonly mode: MailMode;
  /** `HH:MM` in the zone. */
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

const DAY_MINUTES = 1440;
const MINUTE = 60_000;

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value);

/** Reads the wish from stored preferences; undefined if it is absent or malformed. */
export function parseMailTimes(value: unknown): MailTimes | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { mode, from, to, zone } = value as Partial<Record<keyof MailTimes, unknown>>;
  const known = MAIL_MODES.find((one) => one === mode);
  return known && isTime(from) && isTime(to) && typeof zone === 'string' && isTimeZone(zone)
    ? { mode: known, from, to, zone }
    : undefined;
}

/** Minutes from a time of the day to now. */
const minutesSince = (time: string, { zone }: MailTimes, now: Date) => {
  const clock = Math.floor(wallClock(now.getTime(), zone) / MINUTE);
  return (clock - minutesOf(time) + DAY_MINUTES) % DAY_MINUTES;
};

/** Returns true if a mail that can wait is held now. */
export function holdsMail(times: MailTimes, now: Date): boolean {
  if (times.mode !== 'outside') return times.mode === 'daily';
  // The quiet time began later than it ended.
  return minutesSince(times.from, times, now) < minutesSince(times.to, times, now);
}

/** Returns true if a mail that was held at a moment is due. */
export function isMailDue(times: MailTimes, heldAt: Date, now: Date): boolean {
  if (times.mode !== 'daily') return !holdsMail(times, now);
  return heldAt.getTime() < now.getTime() - minutesSince(times.to, times, now) * MINUTE;
}
