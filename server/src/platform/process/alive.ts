import { readFileSync } from 'node:fs';

/**
 * Reads state and start time of a process from /proc. Returns undefined for an unknown process and
 * on systems without /proc.
 */
function statOf(pid: number): { readonly state: string; readonly startTicks: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name precedes these fields, in parentheses, and may hold any character.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTicks: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/** Returns true if a process with this id runs. A zombie does not count as running. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !['Z', 'X'].includes(statOf(pid)?.state ?? '');
}

/**
 * Returns the start of a process in kernel ticks, which distinguishes it from a later process with
 * the same id. Empty without /proc.
 */
export function startTicks(pid: number): string {
  return statOf(pid)?.startTicks ?? '';
}
