import { buffer } from 'node:stream/consumers';
import { openLocalStorage } from '../local-storage.ts';
import { type Storage, StorageError } from '../storage.ts';
import { isSealed, keyIdOf, MAX_HEADER } from './format.ts';

/**
 * Counts the sealed files of a folder by the id of their data key. Reads the beginning of each.
 * @throws StorageError
 */
export async function countSealedFiles(folder: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const storage = await openLocalStorage(folder);
  for await (const key of storage.list()) {
    const id = await keyOf(storage, key);
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

async function keyOf(storage: Storage, key: string): Promise<string | undefined> {
  try {
    const { stream } = await storage.open(key, { start: 0, length: MAX_HEADER });
    const beginning = await buffer(stream);
    return isSealed(beginning) ? keyIdOf(beginning, key) : undefined;
  } catch (error) {
    // A session may end meanwhile, and a damaged header names no key.
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}
