import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes that streams read between two looks at the memory. */
const LOOK_AFTER = 1024 * 1024;
/** Growth of the memory of buffers after which it is collected: a fraction of what makes V8 collect everything. */
const COLLECT_AFTER = 8 * 1024 * 1024;

type Collect = (options: { type: 'minor' }) => void;

let collect: Collect | undefined;
let bytesRead = 0;
/** The least that buffers took since the last collection. */
let least = Number.POSITIVE_INFINITY;

/** V8 gives the function only to contexts that are made after the flag; nobody else gets it. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}

/**
 * Counts what streams have read, and frees the buffers that were used for a moment only. A collection of the youngest objects takes about a millisecond.
 * Left to itself, V8 runs it by the objects that were made, of which bulk data hardly makes any, and collects the whole heap each 64 MiB of buffers: a third of
 * the time of a download.
 */
export function countBuffers(bytes: number): void {
  bytesRead += bytes;
  if (bytesRead < LOOK_AFTER) return;
  bytesRead = 0;
  const now = getHeapStatistics().external_memory;
  least = Math.min(least, now);
  if (now - least < COLLECT_AFTER) return;
  collect ??= collector();
  collect({ type: 'minor' });
  least = getHeapStatistics().external_memory;
}
