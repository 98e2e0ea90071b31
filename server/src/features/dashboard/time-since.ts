import type { Language } from '@sallyport/contract';

const UNITS = [
  { unit: 'year', seconds: 31_536_000 },
  { unit: 'month', seconds: 2_592_000 },
  { unit: 'week', seconds: 604_800 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

/**
 * Formats the time since a date in its largest unit: “5 minutes ago”. A future date is 0 seconds
 * ago.
 */
export function timeSince(date: Date, now: Date, language: Language): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - date.getTime()) / 1000));
  const { unit, seconds: length } = UNITS.find((one) => seconds >= one.seconds) ?? UNITS[6];
  return new Intl.RelativeTimeFormat(language === 'zh' ? 'zh-CN' : 'en').format(
    -Math.floor(seconds / length),
    unit,
  );
}
