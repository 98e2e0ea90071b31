import { StorageError } from './storage-error.ts';

/** One part of a key: never hidden, `.` or `..`; no two parts differ only in case. */
const PART = /^[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)*$/;
const MAX_LENGTH = 200;
const MAX_PARTS = 4;
/** Suffix of incomplete files. */
export const INCOMPLETE = '.part';

/**
 * Returns true for a key: at most four parts of lower-case letters, digits, `_`, `-` and single
 * dots, separated by `/`.
 */
export function isKey(text: string): boolean {
  if (text.length > MAX_LENGTH || text.endsWith(INCOMPLETE)) return false;
  const parts = text.split('/');
  return parts.length <= MAX_PARTS && parts.every((part) => PART.test(part));
}

/**
 * Rejects an invalid key before it becomes part of a path or URL.
 * @throws StorageError
 */
export function assertKey(text: string): void {
  if (!isKey(text))
    throw new StorageError('invalid_key', JSON.stringify(text.slice(0, MAX_LENGTH)));
}
