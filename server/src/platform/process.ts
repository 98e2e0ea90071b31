import { readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { StartError } from '../config.ts';
import type { Family } from './metrics/open-metrics.ts';

/** The previous end of the server, when it was restarted after a crash. */
export interface PreviousEnd {
  readonly date: string;
  readonly reason: string;
  /** Number of restarts since the command was started. */
  readonly restarts: number;
}

let previous: PreviousEnd | undefined;
let missing: readonly number[] = [];
let draining: readonly number[] = [];
let isReplaced = false;
let carried: readonly Family[] = [];

const isOfKind = (message: unknown, kind: string): boolean =>
  typeof message === 'object' && message !== null && 'kind' in message && message.kind === kind;

const isPreviousEnd = (message: unknown): message is PreviousEnd & { readonly kind: 'previous' } =>
  isOfKind(message, 'previous');

/** State that the parent of the processes sends to each. Versions of the program exchange it. */
export interface StateOfProcesses {
  readonly kind: 'processes';
  /** Numbers of the processes of the same version that do not run. */
  readonly missing: readonly number[];
  /** Numbers of the running processes of replaced versions. */
  readonly draining: readonly number[];
  /** Last known counts of processes that ended. */
  readonly carried: readonly Family[];
}

const isState = (message: unknown): message is StateOfProcesses => isOfKind(message, 'processes');

/**
 * Listens to the parent process if it supervises us (scripts/supervise.mjs, start/processes.ts).
 * Calls `onGone` when it ends, and `onReplaced` when processes of an upgrade have taken over.
 */
export function listenToSupervisor(onGone: () => void, onReplaced: () => void): void {
  if (!process.send) return;
  process.on('message', (message) => {
    if (isPreviousEnd(message))
      previous = { date: message.date, reason: message.reason, restarts: message.restarts };
    if (isState(message)) ({ missing, draining, carried } = message);
    if (isOfKind(message, 'drain') && !isReplaced) {
      isReplaced = true;
      onReplaced();
    }
  });
  process.on('disconnect', onGone);
}

/** Returns the reason of the last restart; undefined without one or without a supervisor. */
export function previousEnd(): PreviousEnd | undefined {
  return previous;
}

/** Returns the numbers of the processes of this server that do not run. */
export const missingProcesses = (): readonly number[] => missing;

/** Returns the numbers of processes that an upgrade has replaced and that still have users. */
export const drainingProcesses = (): readonly number[] => draining;

/** Returns true if an upgrade has replaced this process: it keeps its users until they leave. */
export const isDraining = (): boolean => isReplaced;

/** Returns the last reported counts of processes of this server that ended. */
export const carriedCounts = (): readonly Family[] => carried;

/** Reports the counts that were just shown, by process, so that they never fall. */
export function reportCounts(counts: Readonly<Record<number, readonly Family[]>>): void {
  if (process.connected) process.send?.({ kind: 'counts', counts });
}

/**
 * Reports that the server is ready: from now on the supervisor restarts it after any failure.
 * `lines` are for the operator.
 */
export function reportReady(lines: readonly string[] = []): void {
  process.send?.({ kind: 'ready', lines });
}

/** Reports the error with which the server is about to end. */
export function reportEnd(reason: string): void {
  if (process.connected) process.send?.({ kind: 'ending', reason });
}

const description = findPackageJSON(import.meta.url);
if (!description) throw new Error('the package of the server has no package.json');

/** Folder of the server package, for the sources and for their bundle. */
export const SERVER_FOLDER = dirname(description);

const LOCK = 'sallyport.lock';

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
function startTicks(pid: number): string {
  return statOf(pid)?.startTicks ?? '';
}

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
