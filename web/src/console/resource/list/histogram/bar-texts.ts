import { type Histogram, parseDatetime } from '@sallyport/contract';
import { formatDate } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** A bar with both ends. */
export interface Bar {
  readonly from: string;
  /** The start of the next bar, or the end of the range. */
  readonly to: string;
  readonly count: number;
  readonly marked: number;
}

const momentOf = (text: string): number => parseDatetime(text)?.getTime() ?? 0;

/** Returns the bars of an answer, each with its end. */
export const barsOf = ({ bars, date_to: end }: Histogram): Bar[] =>
  bars.map(({ date, count, marked }, place) => ({
    from: date,
    to: bars[place + 1]?.date ?? end,
    count,
    marked,
  }));

/** Returns the range of adjoining bars. It ends a second before the next bar. */
export function rangeOf(
  bars: readonly Bar[],
  [first, last]: readonly [number, number],
): { readonly dateFrom: string; readonly dateTo: string } {
  const [from, to] = [momentOf(bars[first]?.from ?? ''), momentOf(bars[last]?.to ?? '')];
  const end = last < bars.length - 1 ? to - 1_000 : to;
  return {
    dateFrom: new Date(from).toISOString(),
    dateTo: new Date(Math.max(from, end)).toISOString(),
  };
}

const UNITS = [
  [86_400, words.days],
  [3_600, words.hours],
  [60, words.minutes],
  [1, words.seconds],
] as const;

/** Returns the width of a full bar in seconds; the first and the last bar may be narrower. */
export function widthOf(bars: readonly Bar[]): number {
  const bar = bars[bars.length > 2 ? 1 : 0];
  return bar ? (momentOf(bar.to) - momentOf(bar.from)) / 1_000 : 0;
}

/** Returns a width in words, such as “4 h”. */
export function widthText(bars: readonly Bar[]): string {
  const width = Math.max(1, Math.round(widthOf(bars)));
  const [size, word] = UNITS.find(([seconds]) => width >= seconds) ?? [1, words.seconds];
  return t(word, { count: Math.round(width / size) });
}

/** Returns a start as the reader needs it: days without times, and times of one day without it. */
export function startText(bars: readonly Bar[], place: number): string {
  const text = formatDate(bars[place]?.from);
  if (widthOf(bars) >= 86_000) return text.slice(5, 10);
  const isOneDay = text.slice(0, 10) === formatDate(bars.at(-1)?.from).slice(0, 10);
  return isOneDay && place > 0 ? text.slice(11, 16) : text.slice(5, 16);
}

/** Returns a bar, or several, in words. */
export function barText(
  bars: readonly Bar[],
  [first, last]: readonly [number, number],
  label: string | undefined,
): string {
  const chosen = bars.slice(first, last + 1);
  const sum = (of: 'count' | 'marked') => chosen.reduce((total, bar) => total + bar[of], 0);
  const text = t(words.bar, {
    from: formatDate(chosen[0]?.from).slice(0, 16),
    to: formatDate(chosen.at(-1)?.to).slice(0, 16),
    count: sum('count'),
  });
  const marked = sum('marked');
  return label !== undefined && marked > 0
    ? `${text} · ${t(words.marked, { label, count: marked })}`
    : text;
}
