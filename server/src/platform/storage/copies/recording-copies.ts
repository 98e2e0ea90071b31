import type { Sealer } from '../../crypto/vault.ts';
import type { Bucket } from '../bucket.ts';
import type { RecordingDigest } from '../buckets.ts';
import { runningKey } from '../recording-names.ts';
import type { RecordingCopies } from '../recording-types.ts';
import type { Spool } from '../spool.ts';
import type { Storage } from '../storage.ts';
import { unfinishedAt } from '../unfinished-recordings.ts';
import { createEither, inEither } from './either.ts';
import { restoredKey } from './part.ts';
import { removeParts, withParts } from './restore.ts';
import type { RunningCopies } from './running-copies.ts';

interface Places {
  readonly running: RunningCopies;
  readonly files: Sealer;
  /** The folder for recordings that are put together. */
  readonly spool: Spool;
  /** Opens the files of a spool. */
  readonly unsealed: (spool: Spool) => Spool;
  /** Opens a bucket, and its second one. */
  readonly each: (bucket: Bucket) => readonly Storage[];
  /** Stores the first `length` bytes of a file as finished. */
  readonly store: (
    file: { readonly spool: Spool; readonly key: string; readonly length: number },
    to: { readonly place: Storage; readonly key: string },
  ) => Promise<RecordingDigest>;
}

export function createRecordingCopies({
  running,
  files,
  spool,
  unsealed,
  each,
  store,
}: Places): RecordingCopies {
  return {
    get isBehind() {
      return running.isBehind;
    },
    takeEnded: () => running.takeEnded(),
    unnoted: () => running.unnoted(),
    note: (copies) => running.note(copies),
    async copy(storage, bucket) {
      const places = each(bucket);
      const either = createEither(places);
      await running.copy(storage, either);
      // All parts are in one bucket. The other one is a problem to report.
      const failure = places.length > 1 && (await either.failure());
      if (failure) throw failure;
    },
    async restore(copied, work) {
      const { bucket, parts } = copied;
      const key = runningKey(copied, copied.kind);
      return withParts(spool, files, { from: each(bucket), running: key, parts }, async (raw) => {
        const plain = unsealed(raw);
        const keep = (_key: string, length: number) =>
          inEither(each(bucket), (place) =>
            store({ spool: plain, key, length }, { place, key: restoredKey(key) }),
          );
        return work(await unfinishedAt(key, plain, keep));
      });
    },
    remove: ({ bucket, parts, ...session }) =>
      removeParts({ from: each(bucket), running: runningKey(session, session.kind), parts }),
  };
}
