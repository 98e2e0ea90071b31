/** Milliseconds of work in one turn of the event loop. */
const SLICE_MS = 5;

/** Long work that offers a pause at each `yield`. */
export type Sliced<Result> = Generator<undefined, Result>;

/** Runs long work in slices: between two of them the event loop serves everything else. */
export async function inSlices<Result>(work: Sliced<Result>): Promise<Result> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() < until) continue;
    await new Promise((done) => setImmediate(done));
    until = performance.now() + SLICE_MS;
  }
}

/** Runs work without a pause, for input that is known to be small. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}
