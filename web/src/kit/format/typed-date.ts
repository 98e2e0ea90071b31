import { parseDatetime } from '@sallyport/contract';
import { withoutEnd } from './format.ts';

type Unit = 'minutes' | 'hours' | 'days' | 'weeks' | 'months' | 'years';

/**
 * Adds a duration by the local calendar: a month later is the same day of the next month, or its
 * last day.
 */
export function later(from: Date, amount: number, unit: Unit): Date {
  const date = new Date(from);
  if (unit === 'minutes') date.setMinutes(date.getMinutes() + amount);
  if (unit === 'hours') date.setHours(date.getHours() + amount);
  if (unit === 'days' || unit === 'weeks')
    date.setDate(date.getDate() + amount * (unit === 'weeks' ? 7 : 1));
  if (unit === 'months' || unit === 'years') {
    const day = date.getDate();
    date.setDate(1);
    date.setMonth(date.getMonth() + amount * (unit === 'years' ? 12 : 1));
    date.setDate(Math.min(day, new Date(date.getFullYear(), date.getMonth() + 1, 0).getDate()));
  }
  return date;
}

const UNITS: readonly (readonly [RegExp, Unit])[] = [
  [/^(m|min|mins|minutes?|分钟?)$/, 'minutes'],
  [/^(h|hours?|个?小时)$/, 'hours'],
  [/^(d|days?|天|日)$/, 'days'],
  [/^(w|weeks?|个?周|个?星期)$/, 'weeks'],
  [/^(mo|months?|个?月)$/, 'months'],
  [/^(y|years?|年)$/, 'years'],
];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const CHINESE_WEEKDAYS = '日一二三四五六';

const LENGTH = /^\+?\s*(\d{1,4})\s*([a-z]+|[\u4e00-\u9fff]+?)\s*(?:后|之后|later)?$/;
const DAY = /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?$/;
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const WEEKDAY = /^(next\s+|this\s+)?(sun|mon|tue|wed|thu|fri|sat)[a-z]*$/;
const CHINESE_WEEKDAY = /^(下个?|本|这)?(?:周|星期|礼拜)([日天一二三四五六])$/;
const NEVER = /^(never|no end|永久|永不|长期|无限期)$/;
const NEAR_DAYS: Readonly<Record<string, number>> = {
  today: 0,
  今天: 0,
  tomorrow: 1,
  明天: 1,
  后天: 2,
};

/**
 * Parses a typed date: `2026-11-27`, `2026-11-27 18:00`, `+7d`, `8 h`, `fri 18:00`, `next fri`,
 * `tomorrow 9:00`, `never`; `下周五`, `明天 18:00`, `3天后`, `永久`. A weekday is the next such day
 * after today; `下周` is the week after this one.
 *
 * @param time the time of day for a day without one, `HH:MM:SS`
 * @returns undefined when it is no moment
 */
export function readTypedDate(text: string, now: Date, time = '00:00:00'): Date | undefined {
  const words = text.trim().toLowerCase();
  if (NEVER.test(words)) return withoutEnd(now);
  const wire = /[tz]|[+-]\d{2}:?\d{2}$/.test(words)
    ? parseDatetime(text.trim().toUpperCase())
    : undefined;
  if (wire) return wire;
  const length = LENGTH.exec(words);
  const unit = length && UNITS.find(([pattern]) => pattern.test(length[2] ?? ''))?.[1];
  if (length && unit) return later(now, Number(length[1]), unit);
  const [, dayText = '', timeText = time] =
    /^(.*?)(?:[\s]+(\d{1,2}:\d{2}(?::\d{2})?))?$/.exec(words) ?? [];
  const day = dayOf(dayText.trim(), now);
  const clock = TIME.exec(timeText);
  if (!day || !clock) return undefined;
  const [hours, minutes, seconds] = [Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0)];
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  return new Date(day.getFullYear(), day.getMonth(), day.getDate(), hours, minutes, seconds);
}

function dayOf(text: string, now: Date): Date | undefined {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const near = NEAR_DAYS[text];
  if (near !== undefined) return later(midnight, near, 'days');
  const [, year, month, date] = DAY.exec(text) ?? [];
  if (year && month && date) {
    const day = new Date(Number(year), Number(month) - 1, Number(date));
    // 31 February would silently become 3 March.
    return day.getMonth() === Number(month) - 1 && day.getDate() === Number(date) ? day : undefined;
  }
  const english = WEEKDAY.exec(text)?.[2];
  if (english) return nextWeekday(midnight, WEEKDAYS.indexOf(english as (typeof WEEKDAYS)[number]));
  const [, prefix = '', chinese] = CHINESE_WEEKDAY.exec(text) ?? [];
  if (!chinese) return undefined;
  const weekday = chinese === '天' ? 0 : CHINESE_WEEKDAYS.indexOf(chinese);
  if (prefix === '') return nextWeekday(midnight, weekday);
  // Weeks start on Monday.
  const monday = later(midnight, -((midnight.getDay() + 6) % 7), 'days');
  return later(monday, ((weekday + 6) % 7) + (prefix.startsWith('下') ? 7 : 0), 'days');
}

/** Returns the first such weekday after a day. */
function nextWeekday(day: Date, weekday: number): Date {
  return later(day, (weekday - day.getDay() + 7) % 7 || 7, 'days');
}
