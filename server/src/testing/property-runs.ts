/** Seed of the property tests in `npm test`: the same inputs each time, so a run fails by a change and not by chance. `npm run fuzz` takes others. */
const SEED = Number(process.env.SALLYPORT_FUZZ_SEED ?? 20_200_701);

/** How many times more inputs than in `npm test`. */
const TIMES = Number(process.env.SALLYPORT_FUZZ_TIMES ?? 1);

/** Parameters of `fc.assert` for `count` inputs. */
export const runs = (count = 100): { readonly numRuns: number; readonly seed: number } => ({ numRuns: count * TIMES, seed: SEED });

/** It ends what hangs; it measures nothing. */
const SHORTEST_LIMIT = 300_000;

/** A limit in milliseconds for a test that tries inputs. */
export const limitOf = (milliseconds: number): number => Math.max(milliseconds, SHORTEST_LIMIT) * TIMES;
