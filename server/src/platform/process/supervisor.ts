import type { Family } from '../metrics/open-metrics.ts';
import { carryCounts } from './counts.ts';

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
    if (isState(message)) {
      ({ missing, draining } = message);
      carryCounts(message.carried);
    }
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
