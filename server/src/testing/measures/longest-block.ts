import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

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

/** A turn of the event loop: its CPU time, beginning and end, in milliseconds. */
interface Turn {
  readonly cpu: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the CPU time of the longest turn without major collections of garbage: the heap of a test
 * process holds other tests, and one collection of it takes seconds.
 */
async function longestTurn(work: () => unknown): Promise<number> {
  const turns: Turn[] = [];
  let last = process.threadCpuUsage();
  let from = performance.now();
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) =>
    collections.push(...majors(list.getEntries())),
  );
  observer.observe({ entryTypes: ['gc'] });
  const look = () => {
    const now = process.threadCpuUsage();
    const to = performance.now();
    const cpu = milliseconds(now) - milliseconds(last);
    if (cpu > BUDGET_MS / 10) turns.push({ cpu, from, to });
    [last, from] = [now, to];
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
  // Entries arrive in a later turn.
  await sleep(0);
  collections.push(...majors(observer.takeRecords()));
  observer.disconnect();
  return Math.max(0, ...turns.map((turn) => turn.cpu - collectedIn(turn, collections)));
}

const majors = (entries: readonly PerformanceEntry[]): PerformanceEntry[] =>
  entries.filter((entry) => {
    const detail: unknown = Reflect.get(entry, 'detail');
    const isCollection = typeof detail === 'object' && detail !== null && 'kind' in detail;
    return isCollection && detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
  });

const collectedIn = ({ from, to }: Turn, collections: readonly PerformanceEntry[]): number =>
  collections
    .filter(({ startTime }) => startTime >= from && startTime <= to)
    .reduce((sum, { duration }) => sum + duration, 0);
