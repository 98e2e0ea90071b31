/**
 * Seed of the property tests in `npm test`: the same inputs each time, so a run fails by a change
 * and not by chance. `npm run fuzz` takes others.
 */
const SEED = Number(process.env.SALLYPORT_FUZZ_SEED ?? 20_200_701);

/** Factor on the number of inputs in `npm run fuzz`; undefined in `npm test`. */
const { SALLYPORT_FUZZ_TIMES: TIMES } = process.env;

/** The part of the usual inputs that `npm test` tries. */
const SMALL = 0.25;

const factor = TIMES === undefined ? SMALL : Number(TIMES);

/** Parameters of `fc.assert` for `count` inputs. */
export const runs = (count = 100): { readonly numRuns: number; readonly seed: number } => ({
  numRuns: Math.ceil(count * factor),
  seed: SEED,
});

/** In `npm test` only `count` elements of a list, others for each `turn`; in `npm run fuzz` all. */
export function someOf<Element>(
  list: readonly Element[],
  count: number,
  turn: number,
): readonly Element[] {
  const first = (turn * count) % list.length;
  return TIMES === undefined ? [...list, ...list].slice(first, first + count) : list;
}

/** It ends what hangs; it measures nothing. */
const SHORTEST_LIMIT = 300_000;

/** A limit in milliseconds for a test that tries inputs. */
export const limitOf = (milliseconds: number): number =>
  Math.max(milliseconds, SHORTEST_LIMIT) * Math.max(1, factor);
