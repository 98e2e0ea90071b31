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
  /** The most that the thread computed without a break of the loop; a collection that waits for its helpers is not in it. */
  readonly computed: number;
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

/** Milliseconds that this thread has computed, and that it was ready to and had no processor; 0 where the kernel does not count them. */
function threadTimes(): { readonly computing: number; readonly waiting: number } {
  try {
    const [computing, waiting] = readFileSync(SCHEDULE, 'utf8').split(' ');
    return { computing: Number(computing) / 1e6, waiting: Number(waiting) / 1e6 };
  } catch {
    return { computing: 0, waiting: 0 };
  }
}
