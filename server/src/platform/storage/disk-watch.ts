import { within } from '../within.ts';
import type { Spool, SpoolFile } from './spool.ts';
import { StorageError } from './storage.ts';

/** Until `waitWhile` gives another limit. */
const DEFAULT_SECONDS = 30;

/** Use with `within`. @throws StorageError `hanging` */
export const hangs = (): never => {
  throw new StorageError('hanging', 'the disk does not answer');
};

/**
 * Watches operations of a disk. A disk that hangs, for example on a lost network, neither completes
 * an operation nor fails it.
 */
export class DiskWatch {
  private seconds = () => DEFAULT_SECONDS;
  private readonly pending = new Set<{ readonly since: number }>();

  /** Sets the limit. */
  waitWhile(seconds: () => number): void {
    this.seconds = seconds;
  }

  /** True while an operation takes longer than the limit. */
  get isHanging(): boolean {
    const before = performance.now() - this.seconds() * 1000;
    return [...this.pending].some(({ since }) => since <= before);
  }

  /**
   * Runs an operation. It counts as pending until the disk answers.
   * @throws StorageError `hanging` after the limit
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const operation = { since: performance.now() };
    this.pending.add(operation);
    const result = work().finally(() => this.pending.delete(operation));
    return within(result, this.seconds() * 1000, hangs);
  }
}

/** A spool whose operations on running recordings are watched. */
export interface WatchedSpool extends Spool {
  /** True until the disk has closed a file. */
  isOpen(key: string): boolean;
}

/** Watches a spool. */
export function watchedSpool(spool: Spool, watch: DiskWatch): WatchedSpool {
  const open = new Set<string>();
  return {
    ...spool,
    isOpen: (key) => open.has(key),
    freeBytes: () => watch.run(() => spool.freeBytes()),
    async create(key, beginning) {
      let isLate = false;
      const created = spool.create(key, beginning).then((file) => {
        // The caller has given up.
        if (isLate) file.close().catch(() => undefined);
        return file;
      });
      const file = await watch
        .run(() => created)
        .catch((error: unknown) => {
          isLate = true;
          throw error;
        });
      open.add(key);
      return watchedFile(file, watch, () => open.delete(key));
    },
  };
}

function watchedFile(file: SpoolFile, watch: DiskWatch, onClosed: () => void): SpoolFile {
  let problem: unknown;
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (problem) throw problem;
    try {
      await watch.run(work);
    } catch (error) {
      if (isHanging(error)) problem = error;
      throw error;
    }
  };
  return {
    append: (block, length) => run(() => file.append(block, length)),
    flush: () => run(() => file.flush()),
    async close(hasCopy) {
      const closed = file.close(hasCopy).finally(onClosed);
      if (!problem) return watch.run(() => closed);
      // The disk closes it after the operation that hangs.
      watch.run(() => closed).catch(() => undefined);
      throw problem;
    },
  };
}

/** Returns true for the error of a disk that does not answer. */
export const isHanging = (error: unknown): boolean =>
  error instanceof StorageError && error.code === 'hanging';
