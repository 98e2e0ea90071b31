import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Longer than the remaining work after the server is ready. */
const AFTER_READY_MS = 3_000;
const LOOK_MS = 1_000;
/**
 * Collect after this growth, and spend at most 1/40 of the time: a collection takes about 100 ms,
 * more in a large process.
 */
const GROWN_BYTES = 32 * 1_048_576;
const REST_OF_COLLECTION = 40;

/**
 * Returns the resident memory; undefined at the limit of open files, because Node.js opens one to
 * read it.
 */
function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

/**
 * Returns memory to the system: soon after the start, a fifth of an idle server's, and later after
 * every 32 MiB of growth. V8 collects by heap size. It ignores the memory of buffers outside, and
 * it keeps the maximum size of its young generation.
 */
export function returnMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  let least = 0;
  let next = 0;
  const look = () => {
    const began = performance.now();
    const used = residentBytes();
    if (began < next || used === undefined || used < least + GROWN_BYTES) return;
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    const ended = performance.now();
    next = ended + (ended - began) * REST_OF_COLLECTION;
    least = residentBytes() ?? used;
  };
  setTimeout(() => {
    look();
    setInterval(look, LOOK_MS).unref();
  }, AFTER_READY_MS).unref();
}
