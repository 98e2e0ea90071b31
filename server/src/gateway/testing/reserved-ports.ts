import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../platform/process.ts';

/** What this process has reserved. */
const own: string[] = [];

/**
 * Takes a port for this process, as long as that runs; false where it is taken already. Between the look whether a port is free and its first use, the
 * processes that run other files of tests look as well, and some ports are chosen because nobody listens there.
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

/** Gives back what a process had that was killed. */
function forgetLost(file: string): void {
  try {
    const owner = Number(readFileSync(file, 'utf8'));
    if (owner > 0 && !isAlive(owner)) rmSync(file, { force: true });
  } catch {
    // Another process gave it back meanwhile.
  }
}
