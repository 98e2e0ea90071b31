import { appendFileSync, readFileSync } from 'node:fs';

const SAMPLE_MS = 10;
const WRITE_MS = 500;
/**
 * Scheduler counters of the calling thread: nanoseconds running, nanoseconds waiting for a
 * processor, number of time slices.
 */
const SCHEDULE = '/proc/thread-self/schedstat';

/** Event loop and memory since the previous line. */
export interface LoopSample {
  /** Longest block of the loop, in milliseconds. */
  readonly blocked: number;
  /** Longest block in milliseconds, without time in which the thread waited for a processor. */
  readonly own: number;
  /**
   * Longest computation without a turn of the loop, in milliseconds. Excludes a collection that
   * waits for helper threads.
   */
  readonly computed: number;
  readonly resident: number;
  readonly heap: number;
  readonly external: number;
}

/**
 * Appends a line about event loop and memory to a file twice a second. For measurements only: the
 * operator names the file in `SALLYPORT_TEST_LOOP_DELAY`; no request can enable it.
 */
export function watchLoopDelay(file: string): void {
  let last = performance.now();
  let before = threadTimes();
  let blocked = 0;
  let own = 0;
  let computed = 0;
  const sample = () => {
    const now = performance.now();
    const times = threadTimes();
    const late = Math.max(0, now - last - SAMPLE_MS);
    blocked = Math.max(blocked, late);
    own = Math.max(own, late - (times.waiting - before.waiting));
    computed = Math.max(computed, Math.min(late, times.computing - before.computing));
    last = now;
    before = times;
  };
  const write = () => {
    const { rss, heapUsed, external } = process.memoryUsage();
    const line: LoopSample = { blocked, own, computed, resident: rss, heap: heapUsed, external };
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    blocked = 0;
    own = 0;
    computed = 0;
  };
  write();
  setInterval(sample, SAMPLE_MS).unref();
  setInterval(write, WRITE_MS).unref();
}

/**
 * Returns milliseconds that this thread ran, and that it waited for a processor; 0 where the kernel
 * does not count them.
 */
function threadTimes(): { readonly computing: number; readonly waiting: number } {
  try {
    const [computing, waiting] = readFileSync(SCHEDULE, 'utf8').split(' ');
    return { computing: Number(computing) / 1e6, waiting: Number(waiting) / 1e6 };
  } catch {
    return { computing: 0, waiting: 0 };
  }
}
