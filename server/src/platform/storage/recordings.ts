import { type Sealer, UnknownKey } from '../crypto/vault.ts';
import { withBriefCopy } from './brief-copy.ts';
import type { Bucket } from './bucket.ts';
import {
  copy,
  createBuckets,
  digesting,
  digestOf,
  openIn,
  putVerified,
  tryOut,
} from './buckets.ts';
import { copyNameOf, restoredKey } from './copies/part.ts';
import { createRecordingCopies } from './copies/recording-copies.ts';
import { RunningCopies } from './copies/running-copies.ts';
import { DiskWatch, watchedSpool } from './disk-watch.ts';
import { compressed, contentOf } from './recording-content.ts';
import {
  finishedKey,
  finishedKeys,
  nameOf,
  RECORDING_KINDS,
  runningKey,
} from './recording-names.ts';
import type { Elsewhere, KnownRecording, RecordedSession, Recordings } from './recording-types.ts';
import type { FileSealer } from './sealed/format.ts';
import { sealedSpool } from './sealed/sealed-spool.ts';
import { sealedStorage } from './sealed/sealed-storage.ts';
import type { Spool } from './spool.ts';
import { type ByteRange, type Storage, StorageError } from './storage.ts';
import { LeftRecordings, unfinishedIn } from './unfinished-recordings.ts';

export { type Bucket, openBucket } from './bucket.ts';
export { createBuckets, one, type RecordingDigest, type TriedStorage } from './buckets.ts';
export { isHanging } from './disk-watch.ts';
export { finishedKey, runningKey } from './recording-names.ts';
export * from './recording-types.ts';
export {
  type ByteRange,
  type OpenObject,
  type Storage,
  StorageError,
  type StorageProblem,
} from './storage.ts';
export { createWriteProbe, type WriteProbe } from './write-probe.ts';

/**
 * Returns the reason why an existing recording does not open: `damaged` if its file was changed,
 * `locked` if this installation lost its key. Undefined for other errors.
 */
export const sealProblemOf = (error: unknown): 'damaged' | 'locked' | undefined =>
  error instanceof StorageError && (error.code === 'damaged' || error.code === 'locked')
    ? error.code
    : undefined;

/**
 * Returns the reason why a recording cannot be read for now, although it may exist. Undefined for
 * other errors.
 */
export const awayProblemOf = (error: unknown): 'hanging' | 'refused' | 'unavailable' | undefined =>
  error instanceof StorageError &&
  (error.code === 'hanging' || error.code === 'refused' || error.code === 'unavailable')
    ? error.code
    : undefined;

interface RecordingsOptions {
  readonly spool: Spool;
  readonly storage: Storage;
  /** True if the storage uses the folders of the spool. A finished recording keeps its folder. */
  readonly isOneFolder?: boolean;
  /** Seals the keys of sealed recordings. Without it, such recordings do not open. */
  readonly files?: Sealer | undefined;
  /** Opens a bucket; without it, recordings stay on the disk. */
  readonly openBucket?: (bucket: Bucket) => Storage;
}

const noBuckets = (): Storage => {
  throw new StorageError('unavailable', 'buckets cannot be opened here');
};

const noKeys: Sealer = {
  seal: () => {
    throw new StorageError('locked', 'there are no keys for files here');
  },
  open: () => {
    throw new UnknownKey('there are no keys for files here');
  },
};

/**
 * Creates recordings on a spool and a storage. Both may use the same folder, because running and
 * finished recordings have different names.
 */
export function createRecordings({
  spool: openSpool,
  storage: stored,
  isOneFolder = false,
  files = noKeys,
  openBucket = noBuckets,
}: RecordingsOptions): Recordings {
  let isSealing = () => false;
  const sealer: FileSealer = { ...files, isOn: () => isSealing() };
  const watch = new DiskWatch();
  const watched = watchedSpool(openSpool, watch);
  const running = new RunningCopies(files);
  const spool = sealedSpool(running.follow(watched), sealer);
  const storage = sealedStorage(stored, sealer);
  let elsewhere: Elsewhere = { of: async () => undefined, all: async () => [] };
  const buckets = createBuckets(openBucket);
  const put = async (key: string, content: AsyncIterable<Uint8Array>) => {
    const { passed, digest } = digesting(content);
    await storage.put(finishedKey(key), passed);
    return digest();
  };
  const left = new LeftRecordings();
  const keep = (key: string, length: number, brief?: Buffer) =>
    left.finish(key, async () => {
      const digest = await put(key, await contentOf({ spool, key, length }, brief));
      await spool.delete(key, isOneFolder);
      return digest;
    });
  const moved = async (session: RecordedSession) => {
    const bucket = await elsewhere.of(session.id);
    return (bucket ? buckets.each(bucket) : []).map((place) => sealedStorage(place, sealer));
  };
  /** Looks for a finished recording here, and then in the bucket of its session. */
  const firstOf = async <Result>(
    session: RecordedSession,
    look: (place: Storage, key: string) => Promise<Result | undefined>,
  ): Promise<Result | undefined> => {
    for (const key of finishedKeys(session)) {
      const result = await look(storage, key);
      if (result) return result;
    }
    let away: unknown;
    for (const bucket of await moved(session))
      try {
        // The server that recorded the session may have more than another one has restored.
        for (const key of storedKeys(session)) {
          const result = await look(bucket, key);
          if (result) return result;
        }
      } catch (error) {
        if (!awayProblemOf(error)) throw error;
        away ??= error;
      }
    if (away) throw away;
    return undefined;
  };
  const openFinished = (session: RecordedSession, range?: ByteRange) =>
    firstOf(session, (place, key) => openIn(place, key, range));
  return {
    async begin(session, beginning) {
      const key = runningKey(session, session.kind);
      const file = await spool.create(key, beginning);
      return withBriefCopy(file, beginning, {
        keep: (length, brief) => keep(key, length, brief),
        sync: () => spool.sync(key),
        leave: () => left.add(key),
      });
    },
    add: async (session, content) => put(runningKey(session), await compressed(content)),
    find: (session) => firstOf(session, (place, key) => place.stat(key)),
    async remove(session) {
      for (const key of finishedKeys(session)) await storage.delete(key);
      for (const bucket of await moved(session))
        for (const key of storedKeys(session)) await bucket.delete(key);
    },
    open: async (session, range) => openFinished(session, range),
    async digestOf(session) {
      const object = await openFinished(session);
      if (!object) return undefined;
      return digestOf(object.stream);
    },
    connect(one) {
      elsewhere = one;
    },
    sealWhile(isOn) {
      isSealing = isOn;
    },
    async *finished() {
      for await (const { key, sessionId } of recordingsIn(storage, true)) {
        yield {
          sessionId,
          // A bucket receives the bytes of the file, sealed or not.
          async copyTo(bucket) {
            for (const place of buckets.each(bucket)) await copy(key, stored, place);
          },
          remove: () => storage.delete(key),
        };
      }
    },
    tryOut: (bucket) => tryOut(buckets.open(bucket)),
    async isIn(bucket, what) {
      for (const key of typeof what === 'string' ? [what] : storedKeys(what))
        if (await openIn(buckets.open(bucket), key, { start: 0, length: 0 })) return true;
      return false;
    },
    async unfinished(folder) {
      if (!folder?.isShared) await storage.removeRemains();
      return unfinishedIn(spool, keep);
    },
    left: () => left.list(spool, keep, watched.isOpen),
    async *upTo(day) {
      yield* knownOf(spool, false, day);
      yield* knownOf(storage, true, day);
      yield* knownInBuckets((await elsewhere.all()).map(buckets.open), day);
    },
    copies: createRecordingCopies({
      running,
      files,
      spool: watched,
      unsealed: (raw) => sealedSpool(raw, sealer),
      each: buckets.each,
      store: async (file, { place, key }) =>
        putVerified(sealedStorage(place, sealer), key, await contentOf(file)),
    }),
    freeBytes: () => spool.freeBytes(),
    waitWhile: (seconds) => watch.waitWhile(seconds),
    isHanging: () => watch.isHanging,
  };
}

async function* knownOf(
  place: Pick<Spool & Storage, 'list' | 'delete'>,
  isFinished: boolean,
  last: string,
  others: typeof copyNameOf = () => undefined,
): AsyncIterable<KnownRecording> {
  for await (const { key, day, sessionId } of recordingsIn(place, isFinished, others)) {
    // Keys are ordered by day.
    if (day > last) return;
    yield { sessionId, remove: () => place.delete(key) };
  }
}

async function* knownInBuckets(
  buckets: readonly Storage[],
  last: string,
): AsyncIterable<KnownRecording> {
  for (const bucket of buckets) {
    try {
      yield* knownOf(bucket, true, last, copyNameOf);
    } catch (error) {
      // An unreachable bucket is retried next time and does not block the others.
      if (!(error instanceof StorageError)) throw error;
    }
  }
}

async function* recordingsIn(
  place: Pick<Storage, 'list'>,
  isFinished: boolean,
  others: typeof copyNameOf = () => undefined,
) {
  for await (const key of place.list()) {
    const name = nameOf(key);
    const recording = name?.isFinished === isFinished ? name : others(key);
    if (recording) yield { key, day: recording.day, sessionId: recording.sessionId };
  }
}

/** The keys of recordings that other servers have restored; at most one of them exists. */
const restoredKeys = (session: RecordedSession) =>
  RECORDING_KINDS.map((kind) => restoredKey(runningKey(session, kind)));

/** The keys of a recording in a bucket, the most complete one first. */
const storedKeys = (session: RecordedSession) => [
  ...finishedKeys(session),
  ...restoredKeys(session),
];
