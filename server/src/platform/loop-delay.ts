import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const WRITE_EVERY_MS = 1000;

/**
 * Writes the longest delay of the event loop so far, in milliseconds, to a file once a second. For measures only: the operator names the
 * file in `SALLYPORT_TEST_LOOP_DELAY`; it cannot be requested over the network.
 */
export function watchLoopDelay(file: string): void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const write = () => writeFileSync(file, `${(histogram.max / 1e6).toFixed(1)}\n`, { mode: 0o600 });
  write();
  setInterval(write, WRITE_EVERY_MS).unref();
}
