import { countUntil } from '../../kit/recording/playable.ts';

/** Longest pause in seconds while idle time is skipped; longer ones are shortened to it. */
export const IDLE_LIMIT_SECONDS = 2;

/**
 * Interpolates a moment of one scale on the other, between the two enclosing events. One scale may
 * lack the events that were loaded last.
 */
function translate(from: readonly number[], to: readonly number[], moment: number): number {
  const index = Math.min(countUntil(from, moment), to.length);
  const startFrom = index === 0 ? 0 : (from[index - 1] ?? 0);
  const startTo = index === 0 ? 0 : (to[index - 1] ?? 0);
  const endFrom = from[index];
  const endTo = to[index];
  if (endFrom === undefined || endTo === undefined) return startTo;
  const share = endFrom > startFrom ? (moment - startFrom) / (endFrom - startFrom) : 0;
  return startTo + Math.max(0, share) * (endTo - startTo);
}

/**
 * The times of a recording on two scales: the session's own, and playing time with shortened
 * pauses.
 */
export class Timeline {
  /** Playing time of each event in seconds. */
  readonly shown: readonly number[];
  readonly duration: number;
  readonly #real: readonly number[];

  constructor(real: readonly number[], idleLimit: number | null) {
    this.#real = real;
    this.shown = idleLimit === null ? real : shortened(real, idleLimit);
    this.duration = this.shown.at(-1) ?? 0;
  }

  /** Converts seconds of the session to seconds of playing time. */
  toShown(real: number): number {
    return translate(this.#real, this.shown, real);
  }

  /** Converts seconds of playing time to seconds of the session. */
  toReal(shown: number): number {
    return translate(this.shown, this.#real, shown);
  }
}

function shortened(real: readonly number[], limit: number): number[] {
  const times: number[] = [];
  let last = 0;
  let at = 0;
  for (const time of real) {
    at += Math.min(time - last, limit);
    last = time;
    times.push(at);
  }
  return times;
}

/**
 * Activity in equal slices of playing time: 0 for silence, 1 for the busiest slice. The scale is
 * logarithmic, which keeps typing visible next to bulk output.
 */
export function activity(
  shown: readonly number[],
  weights: readonly number[],
  duration: number,
  slices: number,
): number[] {
  const sums = new Array<number>(slices).fill(0);
  if (duration > 0) {
    for (const [index, time] of shown.entries()) {
      const slice = Math.min(slices - 1, Math.floor((time / duration) * slices));
      sums[slice] = (sums[slice] ?? 0) + (weights[index] ?? 0);
    }
  }
  const most = Math.log1p(Math.max(...sums, 0));
  return sums.map((sum) => (most > 0 ? Math.log1p(sum) / most : 0));
}
