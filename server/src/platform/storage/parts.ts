import { Readable } from 'node:stream';
import { type ByteRange, type ObjectFacts, type OpenObject, StorageError } from './storage.ts';

/**
 * Size of a part. Services accept smaller parts only at the end, and each upload holds one part in
 * memory.
 */
export const PART_BYTES = 8 * 1024 * 1024;

/** Yields content in parts of `bytes`; the last one may be shorter. Empty content has no parts. */
export async function* inParts(
  content: AsyncIterable<Uint8Array>,
  bytes = PART_BYTES,
): AsyncGenerator<Buffer, undefined> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of content) {
    for (let from = 0; from < piece.length; ) {
      const some = piece.subarray(from, from + bytes - size);
      pieces.push(some);
      size += some.length;
      from += some.length;
      if (size < bytes) continue;
      yield Buffer.concat(pieces, size);
      [pieces, size] = [[], 0];
    }
  }
  if (size > 0) yield Buffer.concat(pieces, size);
  return undefined;
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

interface RangedReading {
  readonly key: string;
  readonly range: ByteRange | undefined;
  stat(key: string): Promise<ObjectFacts | undefined>;
  /**
   * Reads an HTTP range such as `bytes=5-9`, or the whole object.
   * @throws StorageError
   */
  read(range: string | undefined): Promise<OpenObject>;
}

/**
 * Reads a range of an object from a service with HTTP ranges, which cannot express an empty range
 * and reject one after the end.
 * @throws StorageError
 */
export async function openRange({ key, range, stat, read }: RangedReading): Promise<OpenObject> {
  const start = range?.start ?? 0;
  const length = range?.length;
  if (!isCount(start) || !isCount(length ?? 0))
    throw new StorageError('range', `${start}, ${length}`);
  const emptyRange = async (): Promise<OpenObject> => {
    const facts = await stat(key);
    if (!facts) {
      // A HEAD has no body. The answer to a GET tells a missing object from a missing bucket.
      (await read('bytes=0-0')).stream.destroy();
      throw new StorageError('missing', key);
    }
    if (start > facts.size) throw new StorageError('range', `${start} of ${facts.size} bytes`);
    return { ...facts, stream: Readable.from([]) };
  };
  if (length === 0) return emptyRange();
  const isWhole = start === 0 && length === undefined;
  try {
    return await read(
      isWhole ? undefined : `bytes=${start}-${length === undefined ? '' : start + length - 1}`,
    );
  } catch (error) {
    // A range that starts exactly at the end is valid and empty.
    if (error instanceof StorageError && error.code === 'range') return emptyRange();
    throw error;
  }
}
