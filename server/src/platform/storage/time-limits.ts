import { Readable } from 'node:stream';
import { StorageError } from './storage.ts';

/**
 * Timeouts of requests to an object storage, in milliseconds. `read`: up to the first byte, because
 * a user waits for it. `whole`: any other request with its answer; a slow line uploads one part.
 * `content`: time that we wait for the content of an object before its least rate counts.
 */
export const STORAGE_TIMEOUTS = { read: 10_000, whole: 600_000, content: 60_000 };
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

/** Least rate of the content of an object, in bytes per second. */
const LEAST_RATE = 1024;

/**
 * Returns content that ends with an error if it arrives slower than the least rate. Only the time
 * in which the reader waits counts: a reader may be slow.
 */
export function withLeastRate(content: Readable, milliseconds: number): Readable {
  const parts = content[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let waited = 0;
  let bytes = 0;
  const next = async (): Promise<Buffer | null> => {
    const began = performance.now();
    const { value } = await parts.next();
    waited += performance.now() - began;
    bytes += value?.length ?? 0;
    if (value && waited > milliseconds && bytes * 1000 < waited * LEAST_RATE)
      throw new StorageError('unavailable', `less than ${LEAST_RATE} bytes per second arrive`);
    return value ?? null;
  };
  return new Readable({
    read() {
      next().then(
        (part) => void this.push(part),
        (error: Error) => void this.destroy(error),
      );
    },
    destroy(error, done) {
      content.destroy();
      done(error);
    },
  });
}
