/**
 * Maximum CPU milliseconds for hostile input in one turn of the event loop, on a machine where
 * `calibrate` takes `USUAL_MS`.
 */
const BUDGET_MS = 50;
const USUAL_MS = 5;
const TRIES = 4;

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

/** Measures a fixed amount of work in CPU milliseconds, to scale the budget on slow machines. */
function calibrate(): number {
  const began = process.threadCpuUsage();
  let value = 1;
  for (let at = 0; at < 5_000_000; at++) value = (Math.imul(value, 31) + at) | 0;
  return milliseconds(process.threadCpuUsage(began)) + (value === 0.5 ? 1 : 0);
}

/**
 * Returns the longest turn of the event loop during `work` as a share of the budget: 1 is the
 * limit. Measures CPU time of this thread, so a busy machine does not matter. The best of several
 * tries counts, because the first ones also compile the code.
 */
export async function longestBlock(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && best > 1; attempt++) {
    const turn = (await longestTurn(work)) / BUDGET_MS;
    // Scale only a turn that seems too long: calibrating takes longer than most inputs.
    best = Math.min(best, turn > 1 ? turn / Math.max(1, calibrate() / USUAL_MS) : turn);
  }
  return best;
}

async function longestTurn(work: () => unknown): Promise<number> {
  let longest = 0;
  let last = process.threadCpuUsage();
  const look = () => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, milliseconds(now) - milliseconds(last));
    last = now;
  };
  let isOver = false;
  const watch = () => {
    look();
    if (!isOver) setImmediate(watch);
  };
  const watching = setImmediate(watch);
  try {
    await work();
  } catch {
    // A rejected input is fine too.
  } finally {
    isOver = true;
    clearImmediate(watching);
    look();
  }
  return longest;
}
