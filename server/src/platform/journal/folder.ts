import { join } from 'node:path';

/**
 * The folder of the journal of a process, on the disk of the recordings. It is hidden, so the list
 * of recordings excludes it.
 */
export const journalFolder = (dataDirectory: string, number: number): string =>
  join(dataDirectory, 'recordings', number === 1 ? '.journal' : `.journal-${number}`);
