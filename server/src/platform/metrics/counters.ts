/** Labels of a counter: names of kinds, never of users or assets. */
export type Labels = Readonly<Record<string, string>>;

/** A number of this process that Prometheus reads. */
export interface Counter {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  add(labels?: Labels, amount?: number): void;
  values(): readonly { readonly labels: Labels; readonly value: number }[];
}

export interface Histogram {
  readonly name: string;
  readonly help: string;
  /** Upper bounds in seconds, ascending. */
  readonly bounds: readonly number[];
  observe(seconds: number): void;
  read(): { readonly counts: readonly number[]; readonly sum: number; readonly count: number };
}

/** Maximum label sets per counter: a safety net, since callers bound their labels. */
const MOST_SETS = 200;

const counters: Counter[] = [];
const histograms: Histogram[] = [];

function define(type: Counter['type'], name: string, help: string): Counter {
  const sets = new Map<string, { readonly labels: Labels; value: number }>();
  const counter: Counter = {
    name,
    help,
    type,
    add(labels = {}, amount = 1) {
      const key = Object.values(labels).join('\n');
      const known = sets.get(key);
      if (known) known.value += amount;
      else if (sets.size < MOST_SETS) sets.set(key, { labels, value: amount });
    },
    values: () => [...sets.values()],
  };
  counters.push(counter);
  return counter;
}

/** Declares a counter that starts at 0 with the process. The name ends in `_total`. */
export const defineCounter = (name: string, help: string): Counter => define('counter', name, help);

/** Declares a value that rises and falls. */
export const defineGauge = (name: string, help: string): Counter => define('gauge', name, help);

/** Declares a histogram of durations in seconds. The name ends in `_seconds`. */
export function defineHistogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const counts = bounds.map(() => 0);
  let sum = 0;
  let count = 0;
  const histogram: Histogram = {
    name,
    help,
    bounds,
    observe(seconds) {
      sum += seconds;
      count += 1;
      const index = bounds.findIndex((bound) => seconds <= bound);
      if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
    },
    read: () => ({ counts: [...counts], sum, count }),
  };
  histograms.push(histogram);
  return histogram;
}

export const declaredCounters = (): readonly Counter[] => counters;
export const declaredHistograms = (): readonly Histogram[] => histograms;
