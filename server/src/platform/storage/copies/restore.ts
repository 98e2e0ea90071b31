import type { Sealer } from '../../crypto/vault.ts';
import type { Spool } from '../spool.ts';
import { type Storage, StorageError } from '../storage.ts';
import { openPart, partKey } from './part.ts';

/** Parts of a running recording in a bucket, and in its second one. */
interface Parts {
  readonly from: readonly Storage[];
  readonly running: string;
  /** Number of parts that the recording had at least. */
  readonly parts: number;
}

/** Prefix of files that are put together. No recording has such a name. */
const placeOf = (key: string) => `restored/${key}`;

/**
 * Puts the parts of a recording together in a spool while `work` reads them there under the name of
 * the running recording.
 * @throws StorageError `missing` or `damaged` if a part is
 */
export async function withParts<Result>(
  spool: Spool,
  files: Sealer,
  parts: Parts,
  work: (spool: Spool) => Promise<Result>,
): Promise<Result> {
  const place = placeOf(parts.running);
  // An earlier attempt may have been killed.
  await spool.delete(place);
  try {
    await putTogether(spool, files, parts);
    return await work({
      ...spool,
      stat: (key) => spool.stat(placeOf(key)),
      read: (key, length) => spool.read(placeOf(key), length),
      tail: (key, bytes) => spool.tail(placeOf(key), bytes),
      readPart: (key, from, bytes) => spool.readPart(placeOf(key), from, bytes),
    });
  } finally {
    await spool.delete(place);
  }
}

async function putTogether(
  spool: Spool,
  files: Sealer,
  { from, running, parts }: Parts,
): Promise<void> {
  const file = await spool.create(placeOf(running), '');
  /** Returns undefined after the last part. The server may have died before it noted that one. */
  const partAt = async (number: number, position: number): Promise<Buffer | undefined> => {
    let failure: unknown;
    for (const place of from)
      try {
        return await openPart(place, files, { running, number, from: position });
      } catch (error) {
        failure = failure && isMissing(error) ? failure : error;
      }
    if (isMissing(failure) && number >= parts) return undefined;
    throw failure;
  };
  try {
    let size = 0;
    for (let number = 0; ; number++) {
      const bytes = await partAt(number, size);
      if (!bytes) return;
      await file.append(bytes, bytes.length);
      size += bytes.length;
    }
  } finally {
    await file.close();
  }
}

/** Deletes the parts of a recording, the last one first: those that are left stay complete. */
export async function removeParts({ from, running, parts }: Parts): Promise<void> {
  for (const place of from) {
    let count = parts;
    while (await place.stat(partKey(running, count))) count += 1;
    for (let number = count - 1; number >= 0; number--)
      await place.delete(partKey(running, number));
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof StorageError && error.code === 'missing';
