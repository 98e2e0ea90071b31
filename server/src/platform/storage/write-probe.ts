import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from '../within.ts';
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

interface ProbeOptions {
  /**
   * The time after which a disk that worked counts as hanging. A slow disk keeps its last answer
   * until then. Without it, a disk hangs when the answer would be late.
   */
  readonly patienceSeconds?: () => number;
  /** Counts as working until the first attempt has ended or its patience has. */
  readonly startsWell?: boolean;
  readonly attemptIn?: (folder: string) => Promise<void>;
}

/**
 * Creates a probe of folders. Callers share an answer for some seconds, and no second attempt
 * starts while the first one waits for the disk.
 */
export function createWriteProbe(
  folders: readonly string[],
  { patienceSeconds = () => 0, startsWell = false, attemptIn = tryWriting }: ProbeOptions = {},
): WriteProbe {
  let attempt: Promise<StorageProblem | undefined> | undefined;
  let since = 0;
  let last: { readonly problem: StorageProblem | undefined } | undefined = startsWell
    ? { problem: undefined }
    : undefined;
  const start = async (): Promise<StorageProblem | undefined> => {
    since = performance.now();
    let problem: StorageProblem | undefined;
    try {
      for (const folder of folders) await attemptIn(folder);
    } catch (error) {
      problem = asStorageError(error).code;
    }
    last = { problem };
    setTimeout(() => {
      attempt = undefined;
    }, KEPT_MILLISECONDS).unref();
    return problem;
  };
  const late = (): StorageProblem | undefined =>
    last && performance.now() - since < patienceSeconds() * 1_000 ? last.problem : 'hanging';
  return () => {
    attempt ??= start();
    return within(attempt, ANSWER_MILLISECONDS, late);
  };
}
