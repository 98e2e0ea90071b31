import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes read between two checks of the memory. */
const LOOK_AFTER = 1024 * 1024;
/** Growth of buffer memory that triggers a collection: a fraction of V8's own threshold. */
const COLLECT_AFTER = 8 * 1024 * 1024;

type Collect = (options: { type: 'minor' }) => void;

let collect: Collect | undefined;
let bytesRead = 0;
/** Minimum buffer memory since the last collection. */
let least = Number.POSITIVE_INFINITY;

/** V8 exposes `gc` only to contexts created after the flag, so no other code gets it. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return gc;
}

/**
 * Counts bytes read by streams and collects short-lived buffers with a minor collection (about 1
 * ms). V8 alone triggers minor collections by allocated objects, of which bulk data creates few. It
 * then collects the whole heap every 64 MiB of buffers, which takes a third of the time of a
 * download.
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
