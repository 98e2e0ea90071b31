import { readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../config.ts';
import { isAlive, startTicks } from './alive.ts';

const LOCK = 'sallyport.lock';

/** Time that a start waits for a killed process to end. */
const ENDING_MILLISECONDS = 1_000;

function endsSoon(pid: number, ticks: string): boolean {
  const runs = () => isAlive(pid) && startTicks(pid) === ticks;
  for (let waited = 0; waited < ENDING_MILLISECONDS && runs(); waited += 50)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  return !runs();
}

/** Returns true if a running process has locked the data folder. */
export function isClaimed(folder: string): boolean {
  try {
    const [pid = '', ticks = ''] = readFileSync(join(folder, LOCK), 'utf8').trim().split(' ');
    return isAlive(Number(pid)) && startTicks(Number(pid)) === ticks;
  } catch {
    return false;
  }
}

/**
 * Locks a data folder for this process. The lock of a dead process is replaced.
 *
 * @returns a function that unlocks the folder.
 * @throws StartError when a running Sallyport holds the lock.
 */
export function claimFolder(folder: string): () => void {
  const file = join(folder, LOCK);
  const mine = `${process.pid} ${startTicks(process.pid)}\n`;
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(file, mine, { flag: 'wx', mode: 0o600 });
      return () => unlinkSync(file);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'EEXIST' || attempt > 3)
        throw new StartError(
          `The data folder ${folder} cannot be written (${code}). Give it to the account that runs Sallyport, or choose another: SALLYPORT_DATA_DIR='/var/lib/sallyport'`,
        );
      const [pid = '', ticks = ''] = readFileSync(file, 'utf8').trim().split(' ');
      if (!endsSoon(Number(pid), ticks)) {
        throw new StartError(
          `Another Sallyport (process ${pid}) is using ${folder}. Stop it, or choose another folder: SALLYPORT_DATA_DIR='./data-two'`,
        );
      }
      rmSync(file, { force: true });
    }
  }
}
