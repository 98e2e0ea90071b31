/** Maximum work per turn of the event loop, in milliseconds. */
const SLICE_MS = 5;

/** Long work that can pause at each `yield`. */
export type Sliced<Result> = Generator<undefined, Result>;

/** Runs long work in slices. Between two slices the event loop serves other events. */
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

/** Runs work without pauses, for input of known small size. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}
