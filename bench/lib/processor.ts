import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

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

/** Milliseconds that the main thread of a process has waited for a processor so far. */
export function waitedMs(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/** CPU seconds that all processes of the machine have used so far, in steps of 10 ms. */
export function machineSeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys, 0) / 1000;
}

/**
 * CPU seconds that the processes of a server's embedded PostgreSQL have used so far, with those of
 * connections that have ended.
 */
export function databaseSeconds(dataDirectory: string): number {
  const parent = databasePid(dataDirectory);
  const living = [parent, ...childrenOf(parent)];
  return living.reduce((sum, pid) => sum + secondsOrNone(pid), secondsOfEnded(parent));
}

/** CPU seconds of the children of a process that have ended, in steps of 10 ms. */
function secondsOfEnded(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Fields 16 and 17 of proc(5), counted from the state, which is field 3.
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** CPU seconds that all processes of a server have used so far, without its embedded PostgreSQL. */
export function serverSeconds(pid: number | undefined, dataDirectory: string): number {
  return workersOf(pid, dataDirectory).reduce(
    (sum, worker) => sum + secondsOrNone(worker),
    processorSeconds(pid),
  );
}

/** MiB of all processes of a server without its embedded PostgreSQL; shared pages count once. */
export function serverMemory(pid: number, dataDirectory: string): number {
  return [pid, ...workersOf(pid, dataDirectory)].reduce((sum, one) => {
    const rollup = readFileSync(`/proc/${one}/smaps_rollup`, 'utf8');
    return sum + Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]) / 1024;
  }, 0);
}

function workersOf(pid: number | undefined, dataDirectory: string): number[] {
  const database = databasePid(dataDirectory);
  return pid === undefined ? [] : childrenOf(pid).filter((child) => child !== database);
}

function databasePid(dataDirectory: string): number {
  const [line = ''] = readFileSync(`${dataDirectory}/postgres/postmaster.pid`, 'utf8').split('\n');
  return Number(line);
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

function secondsOrNone(pid: number): number {
  try {
    return processorSeconds(pid);
  } catch {
    // The process ended in the meantime.
    return 0;
  }
}
