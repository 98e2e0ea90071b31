import type { BatchProgress } from '@sallyport/contract';

/** How far a batch has come in whole percent; undefined while nobody knows. It is full only when the answer is there, so 99 is the most. */
export function percentOf(progress: BatchProgress | undefined): number | undefined {
  if (!progress || progress.total === 0) return undefined;
  return Math.min(99, Math.floor((progress.done / progress.total) * 100));
}
