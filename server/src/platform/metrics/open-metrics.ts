/** Labels of a counter: names of kinds, never of users or assets. */
type Labels = Readonly<Record<string, string>>;

/** A number of this process that Prometheus reads. */
interface Counter {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  add(labels?: Labels, amount?: number): void;
  values(): readonly { readonly labels: Labels; readonly value: number }[];
}

interface Histogram {
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

/** A metric family of OpenMetrics 1.0. */
export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary' | 'info';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** Suffix of the family name, such as `_total`. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

/** Content type of the response, by which Prometheus selects its parser. */
export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const escaped = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function numberOf(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}

function lineOf(name: string, { suffix = '', labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberOf(value)}\n`;
}

/** Formats families as OpenMetrics 1.0. */
export function openMetrics(families: readonly Family[]): string {
  const texts = families.map(
    ({ name, type, help, samples }) =>
      `# TYPE ${name} ${type}\n# HELP ${name} ${escaped(help)}\n${samples.map((sample) => lineOf(name, sample)).join('')}`,
  );
  return `${texts.join('')}# EOF\n`;
}

/** Content type of the older text format, which every agent reads. */
export const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Formats families as Prometheus text format 0.0.4: no info type, counters named with their suffix,
 * no end marker.
 */
export function prometheusText(families: readonly Family[]): string {
  const texts = families.map(({ name, type, help, samples }) => {
    const metricName =
      type === 'counter' ? `${name}_total` : type === 'info' ? `${name}_info` : name;
    const head = `# HELP ${metricName} ${escaped(help)}\n# TYPE ${metricName} ${type === 'info' ? 'gauge' : type}\n`;
    return head + samples.map((sample) => lineOf(name, sample)).join('');
  });
  return texts.join('');
}

/** Creates a gauge with one value, or one value per label set. */
export function gauge(name: string, help: string, values: number | readonly Sample[]): Family {
  return {
    name,
    type: 'gauge',
    help,
    samples: typeof values === 'number' ? [{ value: values }] : values,
  };
}

/**
 * Creates a counter from values that are kept elsewhere. The family name has no `_total`; its
 * samples do.
 */
export function total(name: string, help: string, values: readonly Sample[]): Family {
  return {
    name: name.replace(/_total$/, ''),
    type: 'counter',
    help,
    samples: values.map((sample) => ({ ...sample, suffix: '_total' })),
  };
}

export function familyOfCounter({ name, help, type, values }: Counter): Family {
  return type === 'gauge' ? gauge(name, help, values()) : total(name, help, values());
}

/** Buckets are cumulative. */
export function familyOfHistogram({ name, help, bounds, read }: Histogram): Family {
  const { counts, sum, count } = read();
  let upTo = 0;
  const buckets = bounds.map((bound, index): Sample => {
    upTo += counts[index] ?? 0;
    return { suffix: '_bucket', labels: { le: numberOf(bound) }, value: upTo };
  });
  const rest = [
    { suffix: '_bucket', labels: { le: '+Inf' }, value: count },
    { suffix: '_sum', value: sum },
    { suffix: '_count', value: count },
  ];
  return { name, type: 'histogram', help, samples: [...buckets, ...rest] };
}
