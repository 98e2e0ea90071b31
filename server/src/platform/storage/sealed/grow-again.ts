import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import type { Sealer } from '../../crypto/vault.ts';
import { openIn } from '../buckets.ts';
import type { Storage } from '../storage.ts';
import { isSealed, MAX_HEADER } from './format.ts';
import { sealGrowing } from './frames.ts';
import { sealedStorage } from './sealed-storage.ts';

/** The names of one recording, and the keys that seal it. */
interface Recording {
  readonly finished: string;
  readonly running: string;
  readonly files: Sealer;
}

/**
 * Returns a finished recording in the form it had while it was running: not compressed, and sealed
 * for that name if it is sealed. Undefined if it does not exist.
 * @throws StorageError
 */
export async function growAgain(
  storage: Storage,
  { finished, running, files }: Recording,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const sealer = { ...files, isOn: () => true };
  const beginning = await openIn(storage, finished, { start: 0, length: MAX_HEADER });
  const object = await openIn(sealedStorage(storage, sealer), finished);
  if (!beginning || !object) {
    beginning?.stream.destroy();
    object?.stream.destroy();
    return undefined;
  }
  // Desktop recordings keep their blocks unchanged.
  const content = finished.endsWith('.gz')
    ? pipeline(object.stream, createGunzip(), () => undefined)
    : object.stream;
  return isSealed(await buffer(beginning.stream)) ? sealGrowing(content, running, sealer) : content;
}
