import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../process/alive.ts';

/**
 * Signals to PostgreSQL in order, each with its timeout: fast shutdown, immediate shutdown, kill.
 */
const STEPS = [
  { signal: 'SIGINT', milliseconds: 10_000 },
  { signal: 'SIGQUIT', milliseconds: 5_000 },
  { signal: 'SIGKILL', milliseconds: 5_000 },
] as const;

/** Time for child processes of a killed PostgreSQL to notice its end. */
const NOTICE_MILLISECONDS = 5_000;

/** PostgreSQL's lock file next to its socket. */
const SOCKET_LOCK = '.s.PGSQL.5432.lock';

/**
 * Stops a PostgreSQL that outlived a killed server, and child processes of a killed PostgreSQL.
 * Removes both lock files: PostgreSQL trusts them while any process has that id, even a zombie or
 * another program.
 */
export async function stopOrphan(folder: string, socketFolder: string): Promise<void> {
  const lock = join(folder, 'postmaster.pid');
  const pid = existsSync(lock) ? Number(readFileSync(lock, 'utf8').split('\n')[0]) : 0;
  if (pid && isAlive(pid) && isOurs(pid, folder)) {
    for (const { signal, milliseconds } of STEPS) {
      if (!isAlive(pid)) break;
      send(pid, signal);
      await until(() => !isAlive(pid), milliseconds);
    }
  }
  await until(() => processesIn(folder).length === 0, NOTICE_MILLISECONDS);
  for (const left of processesIn(folder)) send(left, 'SIGKILL');
  await until(() => processesIn(folder).length === 0, NOTICE_MILLISECONDS);
  rmSync(lock, { force: true });
  rmSync(join(socketFolder, SOCKET_LOCK), { force: true });
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended already.
  }
}

async function until(isDone: () => boolean, milliseconds: number): Promise<void> {
  for (let waited = 0; waited < milliseconds && !isDone(); waited += 20) await sleep(20);
}

function isOurs(pid: number, folder: string): boolean {
  if (existsSync('/proc/self/cwd')) return worksIn(pid, realpathSync(folder));
  return (
    spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  ).includes(folder);
}

/**
 * Every PostgreSQL process has the data folder as working directory. No other process does, so this
 * also finds processes whose parent has died.
 */
function processesIn(folder: string): number[] {
  if (!existsSync('/proc/self/cwd')) return [];
  const real = realpathSync(folder);
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && worksIn(pid, real) && isAlive(pid));
}

function worksIn(pid: number, folder: string): boolean {
  try {
    return (
      readlinkSync(`/proc/${pid}/cwd`) === folder &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres')
    );
  } catch {
    return false;
  }
}
