import { nameOf } from './recording-names.ts';
import type { UnfinishedRecording } from './recording-types.ts';
import type { Spool } from './spool.ts';
import { StorageError } from './storage.ts';

export type KeepRecording = (
  key: string,
  length: number,
) => ReturnType<UnfinishedRecording['keep']>;

/** Returns the recordings that a crash left, which `keep` completes. */
export async function unfinishedIn(
  spool: Spool,
  keep: KeepRecording,
): Promise<UnfinishedRecording[]> {
  const recordings: UnfinishedRecording[] = [];
  for await (const key of spool.list()) {
    const name = nameOf(key);
    if (name && !name.isFinished) recordings.push(await unfinishedAt(key, spool, keep));
  }
  return recordings;
}

/** Describes a file of a spool, which `keep` completes. */
export async function unfinishedAt(
  key: string,
  spool: Spool,
  keep: KeepRecording,
): Promise<UnfinishedRecording> {
  const name = nameOf(key);
  if (!name) throw new StorageError('invalid_key', 'the name is not that of a recording');
  const { size, modifiedAt } = await spool.stat(key);
  return {
    sessionId: name.sessionId,
    kind: name.kind,
    size,
    writtenAt: modifiedAt,
    tail: (bytes) => spool.tail(key, bytes),
    read: (from, bytes) => spool.readPart(key, from, bytes),
    keep: (length) => keep(key, length),
  };
}

/** The closed recordings of this process that could not be finished, for example on a full disk. */
export class LeftRecordings {
  private readonly keys = new Set<string>();

  /** Counts a recording until `work` finishes it. */
  async finish<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      this.keys.delete(key);
      return result;
    } catch (error) {
      this.keys.add(key);
      throw error;
    }
  }

  add(key: string): void {
    this.keys.add(key);
  }

  /** Returns the recordings, which `keep` completes. Forgets those that were removed. */
  async list(
    spool: Spool,
    keep: KeepRecording,
    isOpen: (key: string) => boolean,
  ): Promise<readonly UnfinishedRecording[]> {
    const recordings: UnfinishedRecording[] = [];
    // A disk that hung may not have closed the file yet.
    for (const key of [...this.keys].filter((one) => !isOpen(one)))
      try {
        recordings.push(await unfinishedAt(key, spool, keep));
      } catch (error) {
        if (!(error instanceof StorageError && error.code === 'missing')) throw error;
        this.keys.delete(key);
      }
    return recordings;
  }
}
