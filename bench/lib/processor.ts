import { readdirSync, readFileSync } from 'node:fs';

/**
 * CPU seconds that the threads of a process have used so far, as exactly as the kernel counts them.
 */
export function processorSeconds(pid: number | undefined): number {
  if (pid === undefined) throw new Error('the process did not start');
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The thread ended in the meantime.
      return 0;
    }
  });
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}
