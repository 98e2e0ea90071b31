import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Returns the bytes of reachable objects and buffers. The process memory does not show that: the
 * young generation alone grows by 200 MB, in the first test that needs it.
 */
export async function retainedMemory(): Promise<number> {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  // Objects closed a moment ago are released in the following turns.
  for (let round = 0; round < 3; round++) {
    await turn();
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
