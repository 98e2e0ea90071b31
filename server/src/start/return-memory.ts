import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Longer than what is still done after the server is ready. */
const AFTER_READY_MS = 3_000;
const LOOK_MS = 1_000;
/** Where there is something to gain, and so that collecting takes at most a fortieth of the time: about 100 ms each, more in a large process. */
const GROWN_BYTES = 32 * 1_048_576;
const REST_OF_COLLECTION = 40;

/** Memory of the process. Undefined at the limit of open files: Node opens one to read it. */
function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

/**
 * Gives memory back to the system: soon after the start what only the start needed, a fifth of an idle server's, and later whenever the process has grown by 32 MiB since.
 * V8 itself collects by the size of its heap. It does not know how much memory buffers outside of it take from the system,
 * and it keeps the room that its young generation once grew to.
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
