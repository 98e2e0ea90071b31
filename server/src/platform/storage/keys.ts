import { StorageError } from './storage-error.ts';

/** One part of a key: no part is hidden, `.` or `..`, and no two differ in case only. */
const PART = /^[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)*$/;
const MAX_LENGTH = 200;
const MAX_PARTS = 4;
/** What an implementation writes before it is complete. */
export const INCOMPLETE = '.part';

/** Whether a text is a key: at most four parts of small letters, digits, `_`, `-` and single dots, with `/` between them. */
export function isKey(text: string): boolean {
  if (text.length > MAX_LENGTH || text.endsWith(INCOMPLETE)) return false;
  const parts = text.split('/');
  return parts.length <= MAX_PARTS && parts.every((part) => PART.test(part));
}

/** Refuses everything that is no key, before a path or an address is made of it. @throws StorageError */
export function assertKey(text: string): void {
  if (!isKey(text))
    throw new StorageError('invalid_key', JSON.stringify(text.slice(0, MAX_LENGTH)));
}
