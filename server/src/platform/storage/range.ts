import { Readable } from 'node:stream';
import type { ByteRange, ObjectFacts, OpenObject } from './storage.ts';
import { StorageError } from './storage-error.ts';

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

interface RangedReading {
  readonly key: string;
  readonly range: ByteRange | undefined;
  stat(key: string): Promise<ObjectFacts | undefined>;
  /** Reads the bytes of an HTTP range such as `bytes=5-9`, or the whole object. @throws StorageError */
  read(range: string | undefined): Promise<OpenObject>;
}

/**
 * Reads a part of an object from a service that knows HTTP ranges, which cannot name an empty part and refuse one behind the end.
 * @throws StorageError
 */
export async function openRange({ key, range, stat, read }: RangedReading): Promise<OpenObject> {
  const start = range?.start ?? 0;
  const length = range?.length;
  if (!isCount(start) || !isCount(length ?? 0))
    throw new StorageError('range', `${start}, ${length}`);
  const nothingThere = async (): Promise<OpenObject> => {
    const found = await stat(key);
    if (!found) throw new StorageError('missing', key);
    if (start > found.size) throw new StorageError('range', `${start} of ${found.size} bytes`);
    return { ...found, stream: Readable.from([]) };
  };
  if (length === 0) return nothingThere();
  const isWhole = start === 0 && length === undefined;
  try {
    return await read(
      isWhole ? undefined : `bytes=${start}-${length === undefined ? '' : start + length - 1}`,
    );
  } catch (error) {
    // Nothing is behind the end, and asking for it there is no mistake.
    if (error instanceof StorageError && error.code === 'range') return nothingThere();
    throw error;
  }
}
