import type { Family, Sample } from './open-metrics.ts';

type Join = (one: number, other: number) => number;
const sum: Join = (one, other) => one + other;

/** Families of which a server has one value, not a share in each process. All others are summed. */
const JOINS: Readonly<Record<string, Join>> = {
  sallyport_build: Math.max,
  process_start_time_seconds: Math.min,
  sallyport_event_loop_delay_seconds: Math.max,
  sallyport_recordings_free_bytes: Math.min,
  sallyport_recordings_reserve_bytes: Math.max,
  sallyport_storage_up: Math.min,
  sallyport_processes: Math.max,
};

/** Joins the families of several processes into those of their server. */
export function mergeFamilies(parts: readonly (readonly Family[])[]): Family[] {
  const merged = new Map<string, Omit<Family, 'samples'> & { samples: Map<string, Sample> }>();
  for (const { samples, ...family } of parts.flat()) {
    const known = merged.get(family.name) ?? { ...family, samples: new Map<string, Sample>() };
    merged.set(family.name, known);
    const join = JOINS[family.name] ?? sum;
    for (const sample of samples) {
      const key = JSON.stringify([sample.suffix, sample.labels]);
      const before = known.samples.get(key);
      // JSON has no NaN.
      const value = (sample.value as number | null) ?? Number.NaN;
      known.samples.set(key, { ...sample, value: before ? join(before.value, value) : value });
    }
  }
  return [...merged.values()].map((family) => ({
    ...family,
    samples: [...family.samples.values()],
  }));
}

/** The families whose values only rise: a process that ended still counts in them. */
export const risingFamilies = (families: readonly Family[]): Family[] =>
  families.filter(({ type }) => type === 'counter' || type === 'histogram');
