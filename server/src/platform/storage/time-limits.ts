import { StorageError } from './storage.ts';

/**
 * Timeouts of requests to an object storage, in milliseconds. `read`: up to the first byte, because
 * a user waits for it. `whole`: any other request with its answer; a slow line uploads one part.
 */
export const STORAGE_TIMEOUTS = { read: 10_000, whole: 600_000 };
export type StorageTimeouts = typeof STORAGE_TIMEOUTS;

/** Aborts work after a limit. @throws StorageError if it was late, or the error of the work */
export async function abortAfter<Result>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), milliseconds);
  try {
    const result = await work(late.signal);
    // An aborted answer without a length looks like a complete one.
    late.signal.throwIfAborted();
    return result;
  } catch (error) {
    if (!late.signal.aborted) throw error;
    throw new StorageError('unavailable', `no answer within ${milliseconds / 1000} s`, error);
  } finally {
    clearTimeout(timer);
  }
}
