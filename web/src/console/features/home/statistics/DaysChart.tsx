import { Text, useComputedColorScheme } from '@mantine/core';
import type { DashboardIndex } from '@sallyport/contract';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatNumber } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import styles from './Statistics.module.css';
import { words } from './words.ts';

const HEIGHT = 220;
/** Lines differ in dashes too, not only in color. */
const LINES = [
  { label: words.logins, dash: [], border: 'solid' },
  { label: words.activeUsers, dash: [8, 4], border: 'dashed' },
  { label: words.activeAssets, dash: [2, 3], border: 'dotted' },
] as const;
/** Arrow keys: the day selected from the current one. */
const STEPS: Readonly<Record<string, (day: number, last: number) => number>> = {
  ArrowLeft: (day) => Math.max(0, day - 1),
  ArrowDown: (day) => Math.max(0, day - 1),
  ArrowRight: (day, last) => Math.min(last, day + 1),
  ArrowUp: (day, last) => Math.min(last, day + 1),
  Home: () => 0,
  End: (_day, last) => last,
};

interface Numbers {
  readonly dates: readonly string[];
  readonly lines: readonly (readonly number[])[];
}

function optionsOf(
  { dates }: Numbers,
  box: HTMLElement,
  onDay: (day: number | undefined) => void,
): UPlot.Options {
  const style = getComputedStyle(box);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--chart-text'),
    grid: { stroke: color('--app-line'), width: 1 },
    ticks: { show: false },
    font: '11px sans-serif',
  };
  return {
    width: box.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false, points: { size: 7 } },
    scales: {
      x: { time: false },
      y: { range: (_plot, _least, most) => [0, Math.max(4, Math.ceil(most * 1.1))] },
    },
    axes: [
      {
        ...axis,
        space: 46,
        incrs: [1, 2, 3, 5, 7, 10, 15],
        values: (_plot, places) => places.map((place) => dates[place] ?? ''),
      },
      {
        ...axis,
        size: 48,
        incrs: [
          1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6,
        ],
        values: (_plot, counts) => counts.map(formatNumber),
      },
    ],
    series: [
      {},
      ...LINES.map(({ dash }, place) => ({
        stroke: color(`--chart-line-${place + 1}`),
        ...(place === 0 && { fill: color('--chart-fill') }),
        width: 2,
        dash: [...dash],
        points: { show: dates.length < 10, size: 6, fill: color(`--chart-line-${place + 1}`) },
      })),
    ],
    hooks: { setCursor: [(plot) => onDay(plot.cursor.idx ?? undefined)] },
  };
}

/**
 * The lines of the last days. Above them are the numbers of one day: the day under the pointer, the
 * day selected by arrow keys, or today.
 */
export function DaysChart({ index }: { readonly index: DashboardIndex }) {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const box = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number>();
  const [chosen, setChosen] = useState<number>();
  const dates = index.dates_metrics_date ?? [];
  const [logins = [], users = [], assets = []] = [
    index.dates_metrics_total_count_login,
    index.dates_metrics_total_count_active_users,
    index.dates_metrics_total_count_active_assets,
  ];
  // Unchanged numbers are not drawn again.
  const key = JSON.stringify([scheme, dates, logins, users, assets]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` holds all drawn values and the theme
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    const lines = [logins, users, assets];
    const plot = new UPlot(
      optionsOf({ dates, lines }, place, setPointed),
      [dates.map((_date, day) => day), ...lines.map((line) => [...line])],
      place,
    );
    const watcher = new ResizeObserver(() =>
      plot.setSize({ width: place.clientWidth, height: HEIGHT }),
    );
    watcher.observe(place);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [key]);

  const last = Math.max(0, dates.length - 1);
  const day = Math.min(last, pointed ?? chosen ?? last);
  const numbers = t(words.dayNumbers, {
    date: dates[day] ?? '',
    logins: logins[day] ?? 0,
    users: users[day] ?? 0,
    assets: assets[day] ?? 0,
  });
  const step = (event: KeyboardEvent) => {
    const next = STEPS[event.key]?.(day, last);
    if (next === undefined) return;
    event.preventDefault();
    setPointed(undefined);
    setChosen(next);
  };
  return (
    <>
      <ul className={styles.legend} aria-hidden="true">
        {LINES.map(({ label, border }, place) => (
          <li key={label.en}>
            <i style={{ borderTop: `2px ${border} var(--chart-line-${place + 1})` }} /> {t(label)}
          </li>
        ))}
      </ul>
      <Text c="dimmed" fz="sm" className={styles.numbers}>
        {numbers}
      </Text>
      <div
        ref={box}
        className={styles.chart}
        role="slider"
        tabIndex={0}
        aria-label={t(words.chart)}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={day}
        aria-valuetext={numbers}
        onKeyDown={step}
      >
        {chosen !== undefined && pointed === undefined && last > 0 && (
          <i className={styles.chosenDay} style={{ '--share': day / last } as object} />
        )}
      </div>
    </>
  );
}
