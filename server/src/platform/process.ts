import { readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../config.ts';

const LOCK = 'sallyport.lock';

/** The state and the start time of a process as /proc tells them; undefined where there is none, and on systems without /proc. */
function statOf(pid: number): { readonly state: string; readonly startTicks: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program comes before, in parentheses, and may hold any character.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTicks: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/** Whether a process of this number runs. One that has ended and that its parent has not asked about yet (a zombie) does not. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !['Z', 'X'].includes(statOf(pid)?.state ?? '');
}

/** When a process began, in the kernel's own ticks: tells a process from a later one with the same number. Empty where /proc is missing. */
function startTicks(pid: number): string {
  return statOf(pid)?.startTicks ?? '';
}

/** A killed process needs a moment to end. A start right after it should wait, not fail. */
const ENDING_MILLISECONDS = 1_000;

function endsSoon(pid: number, ticks: string): boolean {
  const runs = () => isAlive(pid) && startTicks(pid) === ticks;
  for (let waited = 0; waited < ENDING_MILLISECONDS && runs(); waited += 50)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  return !runs();
}

/** Whether a process that runs has claimed a data folder. */
export function isClaimed(folder: string): boolean {
  try {
    const [pid = '', ticks = ''] = readFileSync(join(folder, LOCK), 'utf8').trim().split(' ');
    return isAlive(Number(pid)) && startTicks(Number(pid)) === ticks;
  } catch {
    return false;
  }
}

/**
 * Locks a data folder for this process; the lock of a dead process is replaced.
 *
 * @returns gives the folder free again.
 * @throws StartError when a running Sallyport has it.
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
