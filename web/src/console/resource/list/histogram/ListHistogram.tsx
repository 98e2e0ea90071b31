import { Button, Skeleton, Text } from '@mantine/core';
import { type Histogram, type HistogramOptions, say } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { api } from '../../../../kit/api.ts';
import { formatDate, formatNumber } from '../../../../kit/format/format.ts';
import { language, t } from '../../../../kit/i18n/index.ts';
import { AsTable } from '../../AsTable.tsx';
import { cacheKey, type Source } from '../../source.ts';
import type { DateRange } from '../search/dates.ts';
import { type Bar, barsOf, barText, rangeOf, startText, widthText } from './bar-texts.ts';
import styles from './Histogram.module.css';
import { useBrush } from './useBrush.ts';
import { words } from './words.ts';

interface ListHistogramProps {
  readonly source: Source;
  readonly options: HistogramOptions;
  /** The query of the list without its page. */
  readonly query: Readonly<Record<string, string | number>>;
  readonly onRange: (range: DateRange) => void;
  /** Returns to the usual range; undefined while it is shown. */
  readonly onReset: (() => void) | undefined;
  /** Filters the list by these values. */
  readonly onFilter: (filter: Readonly<Record<string, string>>) => void;
}

/** The rows of a list over time. Selecting bars limits the list to their range. */
export function ListHistogram({ source, options, query, ...acts }: ListHistogramProps) {
  const { order: _order, ...asked } = query;
  const { data, isError } = useQuery({
    queryKey: [...cacheKey(source), 'histogram', asked],
    queryFn: ({ signal }) =>
      api.get<Histogram>(`${source.path}/histogram/`, { query: asked, signal }),
    placeholderData: keepPreviousData,
  });
  const bars = useMemo(() => (data ? barsOf(data) : []), [data]);
  const { marks } = options;
  const label = marks && say(marks.label, language);
  const [count, marked] = [sum(bars, 'count'), sum(bars, 'marked')];
  const brush = useBrush(bars.length, (span) => acts.onRange(rangeOf(bars, span)));
  const total = data?.is_exact === false ? words.projected : words.total;
  return (
    <section className={styles.histogram} aria-label={t(words.title)}>
      <div className={styles.head}>
        <Text className={styles.facts} component="span" fz="xs" c="dimmed" aria-live="polite">
          {isError
            ? t(words.failed)
            : brush.shown
              ? barText(bars, brush.shown, label)
              : data && t(total, { count, width: widthText(bars) })}
        </Text>
        {marks && label !== undefined && marked > 0 && (
          <Button
            className={styles.legend ?? ''}
            variant="subtle"
            color="gray"
            size="compact-xs"
            leftSection={<i className={styles.sample} />}
            onClick={() => acts.onFilter(marks.filter)}
          >
            {t(words.marked, { label, count: marked })}
          </Button>
        )}
        {acts.onReset && (
          <Button variant="subtle" size="compact-xs" onClick={acts.onReset}>
            {t(words.whole)}
          </Button>
        )}
      </div>
      {data || isError ? (
        <Bars bars={bars} brush={brush} label={label} />
      ) : (
        <Skeleton className={styles.waiting ?? ''} />
      )}
      <AsTable>
        <BarRows bars={bars} label={label} onRange={acts.onRange} />
      </AsTable>
    </section>
  );
}

const sum = (bars: readonly Bar[], of: 'count' | 'marked') =>
  bars.reduce((total, bar) => total + bar[of], 0);

/** Places of the labels below the bars, as shares of all bars. */
const LABELS = [0, 0.25, 0.5, 0.75];

interface BarsProps {
  readonly bars: readonly Bar[];
  readonly brush: ReturnType<typeof useBrush>;
  readonly label: string | undefined;
}

/** The bars. A second color and its pattern show the marked rows. */
function Bars({ bars, brush: { selected, active, handlers }, label }: BarsProps) {
  const id = useId();
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const isSelected = (place: number) =>
    selected !== undefined && selected[0] <= place && place <= selected[1];
  return (
    <>
      <div
        className={styles.bars}
        role="listbox"
        tabIndex={0}
        aria-label={t(words.title)}
        aria-description={t(words.help)}
        aria-orientation="horizontal"
        aria-multiselectable
        aria-activedescendant={active === undefined ? undefined : `${id}-${active}`}
        {...handlers}
      >
        {bars.map((bar, place) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the list keeps the focus and names the active bar
          <div
            key={bar.from}
            id={`${id}-${place}`}
            role="option"
            aria-label={barText(bars, [place, place], label)}
            aria-selected={isSelected(place)}
            className={styles.bar}
            style={{ '--rows': bar.count / most, '--marked': bar.marked / most } as object}
            {...(bar.count > 0 && { 'data-filled': true })}
            {...(bar.marked > 0 && { 'data-marked': true })}
          />
        ))}
      </div>
      <div className={styles.axis} aria-hidden="true">
        {LABELS.map((share) => (
          <span key={share} className="mono">
            {bars.length > 3 && startText(bars, Math.floor(share * bars.length))}
          </span>
        ))}
      </div>
    </>
  );
}

/** The bars with rows as rows of a table, the latest first. */
function BarRows({
  bars,
  label,
  onRange,
}: Pick<BarsProps, 'bars' | 'label'> & Pick<ListHistogramProps, 'onRange'>) {
  const filled = bars.flatMap((bar, place) => (bar.count > 0 ? [{ bar, place }] : [])).reverse();
  return (
    <>
      <caption>{filled.length > 0 ? t(words.title) : t(words.none)}</caption>
      {filled.length > 0 && (
        <thead>
          <tr>
            <th scope="col">{t(words.from)}</th>
            <th scope="col">{t(words.rows)}</th>
            {label !== undefined && <th scope="col">{label}</th>}
          </tr>
        </thead>
      )}
      <tbody>
        {filled.map(({ bar, place }) => (
          <tr key={bar.from}>
            <th scope="row">
              <Button
                variant="transparent"
                size="compact-xs"
                className="mono"
                onClick={() => onRange(rangeOf(bars, [place, place]))}
              >
                {formatDate(bar.from).slice(0, 16)}
              </Button>
            </th>
            <td>{formatNumber(bar.count)}</td>
            {label !== undefined && <td>{formatNumber(bar.marked)}</td>}
          </tr>
        ))}
      </tbody>
    </>
  );
}
