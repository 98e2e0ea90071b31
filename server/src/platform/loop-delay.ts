import { appendFileSync, readFileSync } from 'node:fs';

const SAMPLE_MS = 10;
const WRITE_MS = 500;
/** What the kernel has counted for the calling thread: nanoseconds on a processor, nanoseconds of waiting for one, and turns. */
const SCHEDULE = '/proc/thread-self/schedstat';

/** What was seen of the event loop and of the memory since the line before. */
export interface LoopSample {
  /** The longest that the loop was blocked, in milliseconds. */
  readonly blocked: number;
  /** The longest of it without the time in which the thread was ready and other processes had the processors. */
  readonly own: number;
  readonly resident: number;
  readonly heap: number;
  readonly external: number;
}

/**
 * Appends a line about the event loop and the memory to a file twice a second. For measures only: the operator names the file in
 * `SALLYPORT_TEST_LOOP_DELAY`; it cannot be requested over the network.
 */
export function watchLoopDelay(file: string): void {
  let last = performance.now();
  let waited = waitedForProcessor();
  let blocked = 0;
  let own = 0;
  const sample = () => {
    const now = performance.now();
    const waitedNow = waitedForProcessor();
    const late = Math.max(0, now - last - SAMPLE_MS);
    blocked = Math.max(blocked, late);
    own = Math.max(own, late - (waitedNow - waited));
    last = now;
    waited = waitedNow;
  };
  const write = () => {
    const { rss, heapUsed, external } = process.memoryUsage();
    const line: LoopSample = { blocked, own, resident: rss, heap: heapUsed, external };
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    blocked = 0;
    own = 0;
  };
  write();
  setInterval(sample, SAMPLE_MS).unref();
  setInterval(write, WRITE_MS).unref();
}

/** Milliseconds for which this thread was ready to run and had no processor; 0 where the kernel does not count them. */
function waitedForProcessor(): number {
  try {
    return Number(readFileSync(SCHEDULE, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
