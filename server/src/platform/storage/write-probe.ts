import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from '../within.ts';
import { hangs } from './disk-watch.ts';
import { asStorageError, onFiles } from './files.ts';
import type { StorageProblem } from './storage.ts';

/** Monitors wait two seconds for an answer. */
const ANSWER_MILLISECONDS = 1_500;
const KEPT_MILLISECONDS = 2_000;

/**
 * Creates, writes, syncs and removes a file.
 * @throws StorageError
 */
const tryWriting = (folder: string): Promise<void> =>
  onFiles(async () => {
    const path = join(folder, `.probe-${randomBytes(6).toString('hex')}`);
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile('probe');
      await file.sync();
    } finally {
      await file.close();
      await rm(path, { force: true });
    }
  });

/** Returns the problem of a disk, or undefined. Answers in two seconds whatever the disk does. */
export type WriteProbe = () => Promise<StorageProblem | undefined>;

/**
 * Creates a probe of folders. Callers share an answer for some seconds, and no second attempt
 * starts while the first one waits for the disk.
 */
export function createWriteProbe(
  folders: readonly string[],
  attemptIn: (folder: string) => Promise<void> = tryWriting,
): WriteProbe {
  let attempt: Promise<StorageProblem | undefined> | undefined;
  const start = async (): Promise<StorageProblem | undefined> => {
    try {
      for (const folder of folders) await attemptIn(folder);
      return undefined;
    } catch (error) {
      return asStorageError(error).code;
    } finally {
      setTimeout(() => {
        attempt = undefined;
      }, KEPT_MILLISECONDS).unref();
    }
  };
  return () => {
    attempt ??= start();
    return within(attempt, ANSWER_MILLISECONDS, hangs).catch(
      (error: unknown) => asStorageError(error).code,
    );
  };
}
