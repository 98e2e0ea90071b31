import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Collects all garbage of this process. */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}

/**
 * Returns the bytes of reachable objects and buffers. The process memory does not show that: the
 * young generation alone grows by 200 MB, in the first test that needs it.
 */
export async function retainedMemory(): Promise<number> {
  // Objects closed a moment ago are released in the following turns.
  for (let round = 0; round < 3; round++) {
    await turn();
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
