import { buffer } from 'node:stream/consumers';
import { within } from '../../within.ts';
import { one } from '../buckets.ts';
import { type Storage, StorageError } from '../storage.ts';

/** Time for the other buckets after one of them has taken an object. */
const PATIENCE_MS = 2_000;

/**
 * Runs work in each place. Returns the result of the first place where it succeeds.
 * @throws the first error if it fails in all
 */
export async function inEither<Place, Result>(
  places: readonly Place[],
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const results = await Promise.allSettled(places.map(work));
  for (const result of results) if (result.status === 'fulfilled') return result.value;
  throw firstFailure(results);
}

const firstFailure = (results: readonly PromiseSettledResult<unknown>[]): unknown =>
  results.find((result) => result.status === 'rejected')?.reason;

/**
 * Puts small objects into each of some storages. One of them must take an object.
 */
export function createEither(places: readonly Storage[]) {
  let failure: unknown;
  let hasPut = false;
  return {
    /** Returns the first error. If nothing was put, asks the storages. */
    async failure(): Promise<unknown> {
      if (hasPut) return failure;
      const isWritable = await Promise.all(places.map((place) => place.isWritable()));
      return isWritable.includes(false)
        ? new StorageError('unavailable', 'a bucket does not take objects')
        : undefined;
    },
    async put(key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
      hasPut = true;
      const bytes = await buffer(content);
      const puts = places.map((place) =>
        place.put(key, one(bytes)).catch((error: unknown) => {
          failure ??= error;
          throw error;
        }),
      );
      const all = Promise.allSettled(puts);
      await Promise.any(puts).catch(async () => {
        throw firstFailure(await all);
      });
      // A bucket that does not answer must not delay the next part.
      await within(all, PATIENCE_MS, () => {
        failure ??= new StorageError('unavailable', 'a bucket takes too long for a copy');
      });
    },
    open: (key: string, range?: Parameters<Storage['open']>[1]) =>
      inEither(places, (place) => place.open(key, range)),
  };
}
