import type { LocalText } from '@sallyport/contract';
import { later } from '../../../kit/format/typed-date.ts';

/** Common access durations, counted from the moment of the choice. */
export const DATE_PRESETS: readonly {
  readonly label: LocalText;
  readonly from: (now: Date) => Date;
}[] = [
  { label: { zh: '1 小时', en: '1 hour' }, from: (now) => later(now, 1, 'hours') },
  { label: { zh: '8 小时', en: '8 hours' }, from: (now) => later(now, 8, 'hours') },
  { label: { zh: '1 天', en: '1 day' }, from: (now) => later(now, 1, 'days') },
  { label: { zh: '1 周', en: '1 week' }, from: (now) => later(now, 1, 'weeks') },
  { label: { zh: '30 天', en: '30 days' }, from: (now) => later(now, 30, 'days') },
  { label: { zh: '3 个月', en: '3 months' }, from: (now) => later(now, 3, 'months') },
];
