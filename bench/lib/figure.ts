/** The limit of a figure. */
export interface Budget {
  readonly limit: number;
  /** `at most` for time and memory, `at least` for throughput. */
  readonly kind: 'at most' | 'at least';
}

/** One measured number. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly budget?: Budget;
  /** Conditions of the measurement. */
  readonly note?: string;
}

/** Compares a figure with its budget; empty without a budget. */
export function verdictOf({ value, budget }: Figure): 'met' | 'MISSED' | '' {
  if (!budget) return '';
  return (budget.kind === 'at most' ? value <= budget.limit : value >= budget.limit)
    ? 'met'
    : 'MISSED';
}

export const atMost = (limit: number): Budget => ({ limit, kind: 'at most' });
export const atLeast = (limit: number): Budget => ({ limit, kind: 'at least' });

/** The value below which a share of the samples lies (nearest rank). */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Median and 95th percentile of times in milliseconds, the second with its budget. */
export function latency(
  name: string,
  samples: readonly number[],
  budget?: Budget,
  note?: string,
): Figure[] {
  return [
    { name: `${name}, p50`, value: percentile(samples, 0.5), unit: 'ms', ...(note && { note }) },
    {
      name: `${name}, p95`,
      value: percentile(samples, 0.95),
      unit: 'ms',
      ...(budget && { budget }),
    },
  ];
}

/** A number as a person reads it: three figures that count. */
export function writeNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
