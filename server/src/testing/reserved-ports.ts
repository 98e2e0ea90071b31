import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../platform/process/alive.ts';

/** Reservations of this process. */
const own: string[] = [];

/**
 * Reserves a port until this process ends; returns false if it is taken. Test files run in parallel
 * processes, so a free port could be taken before its first use. Some tests also need ports without
 * a listener.
 */
export function reservePort(port: number): boolean {
  const folder = join(tmpdir(), `sallyport-ports-${process.getuid?.() ?? 'all'}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, String(port));
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    forgetLost(file);
    return false;
  }
  if (own.length === 0)
    process.once('exit', () => own.forEach((path) => void rmSync(path, { force: true })));
  own.push(file);
  return true;
}

/** Removes the reservation of a killed process. */
function forgetLost(file: string): void {
  try {
    const owner = Number(readFileSync(file, 'utf8'));
    if (owner > 0 && !isAlive(owner)) rmSync(file, { force: true });
  } catch {
    // Another process has removed it.
  }
}
