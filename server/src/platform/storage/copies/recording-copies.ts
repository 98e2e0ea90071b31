import type { Sealer } from '../../crypto/vault.ts';
import type { Bucket } from '../bucket.ts';
import type { RecordingDigest } from '../buckets.ts';
import { runningKey } from '../recording-names.ts';
import type { RecordingCopies } from '../recording-types.ts';
import type { Spool } from '../spool.ts';
import type { Storage } from '../storage.ts';
import { unfinishedAt } from '../unfinished-recordings.ts';
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
  readonly open: (bucket: Bucket) => Storage;
  /** Stores the first `length` bytes of a file as finished. */
  readonly store: (
    file: { readonly spool: Spool; readonly key: string; readonly length: number },
    to: { readonly bucket: Bucket; readonly key: string },
  ) => Promise<RecordingDigest>;
}

export function createRecordingCopies({
  running,
  files,
  spool,
  unsealed,
  open,
  store,
}: Places): RecordingCopies {
  return {
    get isBehind() {
      return running.isBehind;
    },
    takeEnded: () => running.takeEnded(),
    unnoted: () => running.unnoted(),
    note: (copies) => running.note(copies),
    copy: (storage, bucket) => running.copy(storage, open(bucket)),
    async restore(copied, work) {
      const { bucket, parts } = copied;
      const key = runningKey(copied, copied.kind);
      return withParts(spool, files, { from: open(bucket), running: key, parts }, async (raw) => {
        const plain = unsealed(raw);
        const keep = (_key: string, length: number) =>
          store({ spool: plain, key, length }, { bucket, key: restoredKey(key) });
        return work(await unfinishedAt(key, plain, keep));
      });
    },
    remove: ({ bucket, parts, ...session }) =>
      removeParts({ from: open(bucket), running: runningKey(session, session.kind), parts }),
  };
}
