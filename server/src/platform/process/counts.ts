import type { Family } from '../metrics/open-metrics.ts';

let carried: readonly Family[] = [];

/** Keeps the last known counts of processes that ended, which the supervisor sends. */
export function carryCounts(counts: readonly Family[]): void {
  carried = counts;
}

/** Returns the last reported counts of processes of this server that ended. */
export const carriedCounts = (): readonly Family[] => carried;

/** Reports the counts that were just shown, by process, so that they never fall. */
export function reportCounts(counts: Readonly<Record<number, readonly Family[]>>): void {
  if (process.connected) process.send?.({ kind: 'counts', counts });
}
