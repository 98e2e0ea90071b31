import type { RestorableRecording } from '../../features/storages/index.ts';
import type { Logger } from '../../platform/log.ts';
import type { RecordingDigest } from '../../platform/storage/recordings.ts';
import { type Recordings, StorageError } from '../../platform/storage/recordings.ts';
import { completeRecording } from '../recorder/recovery.ts';

interface Options {
  readonly recordings: Pick<Recordings, 'copies'>;
  readonly claim: () => Promise<readonly RestorableRecording[]>;
  readonly log: Logger;
}

/** Restores the recordings of dead servers from the parts in their bucket. */
export async function restoreRecordings({ recordings, claim, log }: Options): Promise<void> {
  for (const recording of await claim()) {
    const { id } = recording.copied;
    const result = await recordings.copies
      .restore(recording.copied, async (parts) => completeRecording(parts, log))
      .catch((error: unknown) => {
        if (!(error instanceof StorageError)) throw error;
        log.error(
          { session: id, problem: error.message },
          'the recording of a dead server could not be restored from its parts',
        );
        return { problem: error.code };
      });
    if ('problem' in result) await recording.failed(result.problem);
    else if (!result.digest) await recording.failed('unavailable');
    else await store(recording, result.digest, log);
  }
}

async function store(
  { copied, restored }: RestorableRecording,
  digest: RecordingDigest,
  log: Logger,
): Promise<void> {
  if (await restored(digest))
    log.info({ session: copied.id }, 'the recording of a dead server was restored from its parts');
}
