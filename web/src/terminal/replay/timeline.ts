import { countUntil } from '../../kit/count-until.ts';

/** A pause longer than this is shortened to it while idle time is skipped. */
export const IDLE_LIMIT_SECONDS = 2;

/** Where a moment of one scale lies on the other, between the two events that enclose it. */
function translate(from: readonly number[], to: readonly number[], moment: number): number {
  const index = countUntil(from, moment);
  const startFrom = index === 0 ? 0 : (from[index - 1] ?? 0);
  const startTo = index === 0 ? 0 : (to[index - 1] ?? 0);
  const endFrom = from[index];
  const endTo = to[index];
  if (endFrom === undefined || endTo === undefined) return startTo;
  const share = endFrom > startFrom ? (moment - startFrom) / (endFrom - startFrom) : 0;
  return startTo + Math.max(0, share) * (endTo - startTo);
}

/** The times of a recording on two scales: as they were, and as they are played when long pauses are shortened. */
export class Timeline {
  /** When each event is shown, in seconds of playing. */
  readonly shown: readonly number[];
  readonly duration: number;
  readonly #real: readonly number[];

  constructor(real: readonly number[], idleLimit: number | null) {
    this.#real = real;
    this.shown = idleLimit === null ? real : shortened(real, idleLimit);
    this.duration = this.shown.at(-1) ?? 0;
  }

  /** From a moment of the session to the moment of playing. */
  toShown(real: number): number {
    return translate(this.#real, this.shown, real);
  }

  /** From a moment of playing to the moment of the session. */
  toReal(shown: number): number {
    return translate(this.shown, this.#real, shown);
  }
}

function shortened(real: readonly number[], limit: number): number[] {
  const shown: number[] = [];
  let last = 0;
  let at = 0;
  for (const time of real) {
    at += Math.min(time - last, limit);
    last = time;
    shown.push(at);
  }
  return shown;
}

/** How busy the session was, in equal slices of playing time: 0 for silence, 1 for the busiest slice. Logarithmic, so that typing shows beside a flood. */
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
