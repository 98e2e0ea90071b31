import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LoopSample } from '../../server/src/platform/loop-delay.ts';

/** Reads what a process writes about its event loop. */
export interface LoopReader {
  /** The largest of each value since the call before; times in milliseconds, memory in MiB. */
  most(): LoopSample;
}

/**
 * A process that does nothing but watch its own event loop: what it misses is the machine's fault.
 */
export interface IdleProcess extends LoopReader {
  stop(): Promise<void>;
}

const MEBIBYTE = 2 ** 20;

/** Reads the lines of `watchLoopDelay`. */
export function readLoop(file: string): LoopReader {
  let read = 0;
  return {
    most() {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      const samples = lines.slice(read).map((line) => JSON.parse(line) as LoopSample);
      read = lines.length;
      const most = (name: keyof LoopSample) =>
        Math.max(0, ...samples.map((sample) => sample[name]));
      return {
        blocked: most('blocked'),
        own: most('own'),
        computed: most('computed'),
        resident: most('resident') / MEBIBYTE,
        heap: most('heap') / MEBIBYTE,
        external: most('external') / MEBIBYTE,
      };
    },
  };
}

/** Starts a process that is idle, next to one that is measured. */
export async function startIdleProcess(folder: string): Promise<IdleProcess> {
  const file = resolve(folder, 'loop-delay');
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, 'idle-process.ts'), file],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const [first] = await Promise.race([once(child.stdout ?? child, 'data'), ended]);
  if (!Buffer.isBuffer(first)) throw new Error('the idle process ended at once');
  return {
    ...readLoop(file),
    async stop() {
      child.stdin?.end();
      await ended;
    },
  };
}
