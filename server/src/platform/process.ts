import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../config.ts';

/** Whether a process of this number runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process began, in the kernel's own ticks: tells a process from a later one with the same number. Empty where /proc is missing. */
function startTicks(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/**
 * Claims a data folder for this process; a claim whose process is gone is taken over.
 *
 * @returns gives the folder free again.
 * @throws StartError when a running Sallyport has it.
 */
export function claimFolder(folder: string): () => void {
  const file = join(folder, 'sallyport.lock');
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
      if (isAlive(Number(pid)) && startTicks(Number(pid)) === ticks) {
        throw new StartError(`Another Sallyport (process ${pid}) is using ${folder}. Stop it, or choose another folder: SALLYPORT_DATA_DIR='./data-two'`);
      }
      unlinkSync(file);
    }
  }
}
