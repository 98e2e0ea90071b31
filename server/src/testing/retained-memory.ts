import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Bytes of objects and buffers of this process that somebody still holds. The memory of the process itself says nothing of that: the room for young
 * objects alone grows by two hundred megabytes, in whatever test it is needed first.
 */
export async function retainedMemory(): Promise<number> {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  // What was closed a moment ago is let go in the turns behind it.
  for (let round = 0; round < 3; round++) {
    await turn();
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
