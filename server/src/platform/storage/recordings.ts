import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import { copy, createBuckets, digesting, digestOf, one, openIn, type RecordingDigest, tryOut } from './buckets.ts';
import type { S3Bucket } from './s3-storage.ts';
import type { Spool, SpoolFile } from './spool.ts';
import type { ByteRange, ObjectFacts, OpenObject, Storage } from './storage.ts';
import { StorageError } from './storage-error.ts';

export type { RecordingDigest } from './buckets.ts';
export type { ByteRange, ObjectFacts, OpenObject } from './storage.ts';

/** What the key of a recording is made of. */
export interface RecordedSession {
  readonly id: string;
  readonly startedAt: Date;
}

/** A recording that is being written. */
export interface RunningRecording extends SpoolFile {
  /** Keeps it as finished, after it is closed. When that fails it stays as it is, and the next start keeps it. @throws StorageError */
  keep(): Promise<RecordingDigest>;
}

/** A recording that an earlier process did not finish. */
export interface UnfinishedRecording {
  readonly sessionId: string;
  readonly size: number;
  /** When something was last written to it. */
  readonly writtenAt: Date;
  /** Its last bytes, at most so many. */
  tail(bytes: number): Promise<Buffer>;
  /** Cuts it to a length and keeps it as finished. @throws StorageError */
  keep(length: number): Promise<RecordingDigest>;
}

/** A bucket to which recordings are moved. */
export type Bucket = S3Bucket;

/** Where recordings are that left this server's disk. */
export interface Elsewhere {
  /** Where the recording of a session was moved to; undefined when it was not. */
  of(sessionId: string): Promise<Bucket | undefined>;
  /** All buckets in which recordings may be. */
  all(): Promise<readonly Bucket[]>;
}

/** A finished recording on this server's disk. */
export interface FinishedRecording {
  readonly sessionId: string;
  /** Copies it into a bucket, and reads it back from there to see that size and content are the same. @throws StorageError */
  copyTo(bucket: Bucket): Promise<void>;
  /** Removes it from the disk. @throws StorageError */
  remove(): Promise<void>;
}

/** A recording of which only the session is known. */
export interface KnownRecording {
  readonly sessionId: string;
  /** Removes it. @throws StorageError */
  remove(): Promise<void>;
}

/**
 * The recordings of sessions. While a session runs, its recording grows on this server's disk; then it is compressed and handed to the storage.
 * Nobody else knows where and under which name recordings are.
 */
export interface Recordings {
  /** Begins a recording with its first bytes, durable when it returns. @throws StorageError */
  begin(session: RecordedSession, beginning: string): Promise<RunningRecording>;
  /** Adds a whole recording. @throws StorageError */
  add(session: RecordedSession, content: string): Promise<RecordingDigest>;
  /** What is known of a finished recording; undefined when there is none. @throws StorageError */
  find(session: RecordedSession): Promise<ObjectFacts | undefined>;
  /** Opens a finished recording, compressed with gzip, or a part of that; undefined when there is none. @throws StorageError */
  open(session: RecordedSession, range?: ByteRange): Promise<OpenObject | undefined>;
  /** Reads a whole finished recording and digests it; undefined when there is none. @throws StorageError */
  digestOf(session: RecordedSession): Promise<RecordingDigest | undefined>;
  /** What a crash left; asked once at the start, before anything is recorded. @throws StorageError */
  unfinished(): Promise<readonly UnfinishedRecording[]>;
  /** Recordings, finished or not, of sessions that began on a day (UTC, `2026-01-31`) or before. @throws StorageError */
  upTo(day: string): AsyncIterable<KnownRecording>;
  /** Sets where recordings are that left this server's disk; until then, all of them are here. */
  connect(elsewhere: Elsewhere): void;
  /** The finished recordings on this server's disk. @throws StorageError */
  finished(): AsyncIterable<FinishedRecording>;
  /** Puts a small object into a bucket, reads it and deletes it. @throws StorageError that says what does not work */
  tryOut(bucket: Bucket): Promise<void>;
  /** Whether sessions can be recorded at this moment. */
  isWritable(): Promise<boolean>;
  /** What may still be written to the disk on which recordings grow. @throws StorageError */
  freeBytes(): Promise<number>;
}

/** Text compresses well at this level, and a flood does not cost more than it takes to write it. */
const LEVEL = 5;
const RUNNING = /^(\d{4}-\d{2}-\d{2})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.cast$/;
const FINISHED_ENDING = '.gz';
const compress = promisify(gzip);

interface RecordingsOptions {
  readonly spool: Spool;
  readonly storage: Storage;
  /** How buckets are opened; without it, recordings stay where they are. */
  readonly openBucket?: (bucket: Bucket) => Storage;
}

const noBuckets = (): Storage => {
  throw new StorageError('unavailable', 'buckets cannot be opened here');
};

/** The recordings on a spool and a storage. Both may use the same folder: running recordings and finished ones have different names. */
export function createRecordings({ spool, storage, openBucket = noBuckets }: RecordingsOptions): Recordings {
  let elsewhere: Elsewhere = { of: async () => undefined, all: async () => [] };
  const buckets = createBuckets(openBucket);
  const put = async (key: string, content: AsyncIterable<Uint8Array>) => {
    const { passed, digest } = digesting(content);
    await storage.put(finishedKey(key), passed);
    return digest();
  };
  const keep = async (key: string) => {
    const digest = await put(key, gzipped(spool.read(key)));
    await spool.delete(key);
    return digest;
  };
  const moved = async (session: RecordedSession) => {
    const bucket = await elsewhere.of(session.id);
    return bucket && buckets.open(bucket);
  };
  const openFinished = async (session: RecordedSession, range?: ByteRange) => {
    const key = finishedKey(runningKey(session));
    return (await openIn(storage, key, range)) ?? (await openIn(await moved(session), key, range));
  };
  return {
    async begin(session, beginning) {
      const key = runningKey(session);
      return { ...(await spool.create(key, beginning)), keep: () => keep(key) };
    },
    add: async (session, content) => put(runningKey(session), one(await compress(content, { level: LEVEL }))),
    find: async (session) => {
      const key = finishedKey(runningKey(session));
      return (await storage.stat(key)) ?? (await (await moved(session))?.stat(key));
    },
    open: async (session, range) => openFinished(session, range),
    async digestOf(session) {
      const found = await openFinished(session);
      if (!found) return undefined;
      return digestOf(found.stream);
    },
    connect(one) {
      elsewhere = one;
    },
    async *finished() {
      for await (const { key, sessionId } of recordingsIn(storage, FINISHED_ENDING)) {
        yield { sessionId, copyTo: (bucket) => copy(key, storage, buckets.open(bucket)), remove: () => storage.delete(key) };
      }
    },
    tryOut: (bucket) => tryOut(buckets.open(bucket)),
    async unfinished() {
      await storage.removeRemains();
      const found: UnfinishedRecording[] = [];
      for await (const key of spool.list()) {
        const sessionId = RUNNING.exec(key)?.[2];
        if (sessionId === undefined) continue;
        const { size, modifiedAt } = await spool.stat(key);
        found.push({
          sessionId,
          size,
          writtenAt: modifiedAt,
          tail: (bytes) => spool.tail(key, bytes),
          async keep(length) {
            if (length !== size) await spool.cut(key, length);
            return keep(key);
          },
        });
      }
      return found;
    },
    async *upTo(day) {
      yield* knownOf(spool, '', day);
      yield* knownOf(storage, FINISHED_ENDING, day);
      for (const bucket of await elsewhere.all()) {
        try {
          yield* knownOf(buckets.open(bucket), FINISHED_ENDING, day);
        } catch (error) {
          // One that cannot be reached is asked again the next time, and does not keep the others.
          if (!(error instanceof StorageError)) throw error;
        }
      }
    },
    isWritable: async () => (await spool.isWritable()) && (await storage.isWritable()),
    freeBytes: () => spool.freeBytes(),
  };
}

/** By the day on which the session began (UTC), so that no folder grows without end. @throws StorageError for what is no session */
function runningKey({ id, startedAt }: RecordedSession): string {
  const key = `${startedAt.toISOString().slice(0, 10)}/${id}.cast`;
  if (!RUNNING.test(key)) throw new StorageError('invalid_key', 'a recording needs the id of a session');
  return key;
}

const finishedKey = (key: string) => `${key}${FINISHED_ENDING}`;

async function* knownOf(place: Pick<Spool & Storage, 'list' | 'delete'>, ending: string, last: string): AsyncIterable<KnownRecording> {
  for await (const { key, day, sessionId } of recordingsIn(place, ending)) {
    // Keys come in the order of days.
    if (day > last) return;
    yield { sessionId, remove: () => place.delete(key) };
  }
}

async function* recordingsIn(place: Pick<Storage, 'list'>, ending: string) {
  for await (const key of place.list()) {
    const [, day, sessionId] = (key.endsWith(ending) && RUNNING.exec(key.slice(0, key.length - ending.length))) || [];
    if (day !== undefined && sessionId !== undefined) yield { key, day, sessionId };
  }
}

/** An error of the source ends the compressed stream with it, and so the put. */
function gzipped(stream: Readable): AsyncIterable<Uint8Array> {
  return pipeline(stream, createGzip({ level: LEVEL }), () => undefined);
}
