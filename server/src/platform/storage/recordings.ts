import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import { protocolOf } from '@sallyport/contract';
import type { Bucket } from './bucket.ts';
import {
  copy,
  createBuckets,
  digesting,
  digestOf,
  one,
  openIn,
  type RecordingDigest,
  tryOut,
} from './buckets.ts';
import type { Spool, SpoolFile } from './spool.ts';
import type { ByteRange, ObjectFacts, OpenObject, Storage } from './storage.ts';
import { StorageError } from './storage-error.ts';

export type { RecordingDigest } from './buckets.ts';
export type { ByteRange, ObjectFacts, OpenObject } from './storage.ts';

/** The session data in the key of a recording. */
export interface RecordedSession {
  readonly id: string;
  readonly startedAt: Date;
}

/**
 * Kind of a recording: lines of text, compressed at the end, or blocks of a desktop, compressed
 * already.
 */
export type RecordingKind = 'terminal' | 'desktop';

/** Returns the kind of recording of a protocol. */
export const recordingKindOf = (protocol: string): RecordingKind =>
  protocolOf(protocol)?.sessionKind === 'desktop' ? 'desktop' : 'terminal';

/** A recording in progress. */
export interface RunningRecording extends SpoolFile {
  /**
   * Stores a closed recording as finished. On failure the running file stays, and the next start
   * tries again.
   * @throws StorageError
   */
  keep(): Promise<RecordingDigest>;
}

/** A recording that an earlier process did not finish. */
export interface UnfinishedRecording {
  readonly sessionId: string;
  readonly kind: RecordingKind;
  readonly size: number;
  /** Time of the last write. */
  readonly writtenAt: Date;
  /** Returns at most the last `bytes` bytes. */
  tail(bytes: number): Promise<Buffer>;
  /** Returns at most `bytes` bytes from a position. */
  read(from: number, bytes: number): Promise<Buffer>;
  /**
   * Truncates the recording and stores it as finished.
   * @throws StorageError
   */
  keep(length: number): Promise<RecordingDigest>;
}

export type { Bucket } from './bucket.ts';

/** Locations of recordings that were moved off this server's disk. */
export interface Elsewhere {
  /** Returns the bucket of a session's recording; undefined if it was not moved. */
  of(sessionId: string): Promise<Bucket | undefined>;
  /** Returns all buckets that may contain recordings. */
  all(): Promise<readonly Bucket[]>;
}

/** A finished recording on this server's disk. */
export interface FinishedRecording {
  readonly sessionId: string;
  /**
   * Copies the recording into a bucket, reads it back and compares size and content.
   * @throws StorageError
   */
  copyTo(bucket: Bucket): Promise<void>;
  /**
   * Removes the recording from the disk.
   * @throws StorageError
   */
  remove(): Promise<void>;
}

/** A recording that is known only by its session. */
export interface KnownRecording {
  readonly sessionId: string;
  /** @throws StorageError */
  remove(): Promise<void>;
}

/**
 * Recordings of sessions. A running session's recording grows on this server's disk; afterwards it
 * is compressed and passed to the storage. Only this module knows paths and names of recordings.
 */
export interface Recordings {
  /**
   * Starts a recording with its first bytes, which are durable when the promise resolves.
   * @throws StorageError
   */
  begin(
    session: RecordedSession & { readonly kind?: RecordingKind },
    beginning: string,
  ): Promise<RunningRecording>;
  /**
   * Adds a complete recording.
   * @throws StorageError
   */
  add(session: RecordedSession, content: string): Promise<RecordingDigest>;
  /**
   * Removes a finished recording from the disk and its bucket.
   * @throws StorageError
   */
  remove(session: RecordedSession): Promise<void>;
  /**
   * Returns size and time of a finished recording; undefined if it does not exist.
   * @throws StorageError
   */
  find(session: RecordedSession): Promise<ObjectFacts | undefined>;
  /**
   * Opens a finished recording, or a range of it, as stored: gzip for a terminal, unchanged for a
   * desktop. Undefined if it does not exist.
   * @throws StorageError
   */
  open(session: RecordedSession, range?: ByteRange): Promise<OpenObject | undefined>;
  /**
   * Reads a finished recording and returns its digest; undefined if it does not exist.
   * @throws StorageError
   */
  digestOf(session: RecordedSession): Promise<RecordingDigest | undefined>;
  /**
   * Lists recordings that a crash left unfinished. Call once at start, before any recording.
   * @throws StorageError
   */
  unfinished(): Promise<readonly UnfinishedRecording[]>;
  /**
   * Yields recordings, finished or not, of sessions that began on or before a day (UTC,
   * `2026-01-31`).
   * @throws StorageError
   */
  upTo(day: string): AsyncIterable<KnownRecording>;
  /** Sets the locations of moved recordings; until then, all recordings are local. */
  connect(elsewhere: Elsewhere): void;
  /**
   * Yields the finished recordings on this server's disk.
   * @throws StorageError
   */
  finished(): AsyncIterable<FinishedRecording>;
  /**
   * Writes, reads and deletes a small object in a bucket.
   * @throws StorageError with the step that fails
   */
  tryOut(bucket: Bucket): Promise<void>;
  /** Returns true if sessions can be recorded now. */
  isWritable(): Promise<boolean>;
  /**
   * Returns the free bytes of the disk on which recordings grow.
   * @throws StorageError
   */
  freeBytes(): Promise<number>;
}

/** Gzip level: text compresses well, and a flood of output costs no more than writing it. */
const LEVEL = 5;
const NAME =
  /^(\d{4}-\d{2}-\d{2})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(cast|desktop)(\.gz|\.z)?$/;
/** File name extensions per kind: while running, and the suffix of a finished recording. */
const ENDINGS = {
  terminal: { running: 'cast', finished: '.gz' },
  desktop: { running: 'desktop', finished: '.z' },
} as const;
const KINDS = ['terminal', 'desktop'] as const satisfies readonly RecordingKind[];
const compress = promisify(gzip);

interface RecordingsOptions {
  readonly spool: Spool;
  readonly storage: Storage;
  /** Opens a bucket; without it, recordings stay on the disk. */
  readonly openBucket?: (bucket: Bucket) => Storage;
}

const noBuckets = (): Storage => {
  throw new StorageError('unavailable', 'buckets cannot be opened here');
};

/**
 * Creates recordings on a spool and a storage. Both may use the same folder, because running and
 * finished recordings have different names.
 */
export function createRecordings({
  spool,
  storage,
  openBucket = noBuckets,
}: RecordingsOptions): Recordings {
  let elsewhere: Elsewhere = { of: async () => undefined, all: async () => [] };
  const buckets = createBuckets(openBucket);
  const put = async (key: string, content: AsyncIterable<Uint8Array>) => {
    const { passed, digest } = digesting(content);
    await storage.put(finishedKey(key), passed);
    return digest();
  };
  const keep = async (key: string) => {
    const digest = await put(
      key,
      nameOf(key)?.kind === 'desktop' ? whenRead(() => spool.read(key)) : gzipped(spool.read(key)),
    );
    await spool.delete(key);
    return digest;
  };
  const moved = async (session: RecordedSession) => {
    const bucket = await elsewhere.of(session.id);
    return bucket && buckets.open(bucket);
  };
  const openFinished = async (session: RecordedSession, range?: ByteRange) => {
    for (const key of finishedKeys(session)) {
      const object = await openIn(storage, key, range);
      if (object) return object;
    }
    const bucket = await moved(session);
    for (const key of bucket ? finishedKeys(session) : []) {
      const object = await openIn(bucket, key, range);
      if (object) return object;
    }
    return undefined;
  };
  return {
    async begin(session, beginning) {
      const key = runningKey(session, session.kind);
      return { ...(await spool.create(key, beginning)), keep: () => keep(key) };
    },
    add: async (session, content) =>
      put(runningKey(session), one(await compress(content, { level: LEVEL }))),
    find: async (session) => {
      for (const key of finishedKeys(session)) {
        const object = await storage.stat(key);
        if (object) return object;
      }
      const bucket = await moved(session);
      for (const key of bucket ? finishedKeys(session) : []) {
        const object = await bucket?.stat(key);
        if (object) return object;
      }
      return undefined;
    },
    async remove(session) {
      const bucket = await moved(session);
      for (const key of finishedKeys(session)) {
        await storage.delete(key);
        await bucket?.delete(key);
      }
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
    async *finished() {
      for await (const { key, sessionId } of recordingsIn(storage, true)) {
        yield {
          sessionId,
          copyTo: (bucket) => copy(key, storage, buckets.open(bucket)),
          remove: () => storage.delete(key),
        };
      }
    },
    tryOut: (bucket) => tryOut(buckets.open(bucket)),
    async unfinished() {
      await storage.removeRemains();
      const recordings: UnfinishedRecording[] = [];
      for await (const key of spool.list()) {
        const name = nameOf(key);
        if (!name || name.isFinished) continue;
        const { size, modifiedAt } = await spool.stat(key);
        recordings.push({
          sessionId: name.sessionId,
          kind: name.kind,
          size,
          writtenAt: modifiedAt,
          tail: (bytes) => spool.tail(key, bytes),
          read: (from, bytes) => spool.readPart(key, from, bytes),
          async keep(length) {
            if (length !== size) await spool.cut(key, length);
            return keep(key);
          },
        });
      }
      return recordings;
    },
    async *upTo(day) {
      yield* knownOf(spool, false, day);
      yield* knownOf(storage, true, day);
      for (const bucket of await elsewhere.all()) {
        try {
          yield* knownOf(buckets.open(bucket), true, day);
        } catch (error) {
          // An unreachable bucket is retried next time and does not block the others.
          if (!(error instanceof StorageError)) throw error;
        }
      }
    },
    isWritable: async () => (await spool.isWritable()) && (await storage.isWritable()),
    freeBytes: () => spool.freeBytes(),
  };
}

/**
 * Returns the key of a running recording. Keys start with the day of the session (UTC), which
 * bounds the size of folders.
 * @throws StorageError if the id is not a session id
 */
export function runningKey(
  { id, startedAt }: RecordedSession,
  kind: RecordingKind = 'terminal',
): string {
  const key = `${startedAt.toISOString().slice(0, 10)}/${id}.${ENDINGS[kind].running}`;
  if (!nameOf(key)) throw new StorageError('invalid_key', 'a recording needs the id of a session');
  return key;
}

/** Returns the key of a finished recording. */
export const finishedKey = (key: string) =>
  `${key}${ENDINGS[nameOf(key)?.kind ?? 'terminal'].finished}`;

/** Returns the possible keys of a session's finished recording; at most one of them exists. */
const finishedKeys = (session: RecordedSession) =>
  KINDS.map((kind) => finishedKey(runningKey(session, kind)));

/** Parses the key of a recording; undefined for other keys. */
function nameOf(key: string):
  | {
      readonly day: string;
      readonly sessionId: string;
      readonly kind: RecordingKind;
      readonly isFinished: boolean;
    }
  | undefined {
  const [, day, sessionId, running, added] = NAME.exec(key) ?? [];
  const kind = KINDS.find((one) => ENDINGS[one].running === running);
  if (day === undefined || sessionId === undefined || !kind) return undefined;
  if (added !== undefined && added !== ENDINGS[kind].finished) return undefined;
  return { day, sessionId, kind, isFinished: added !== undefined };
}

async function* knownOf(
  place: Pick<Spool & Storage, 'list' | 'delete'>,
  isFinished: boolean,
  last: string,
): AsyncIterable<KnownRecording> {
  for await (const { key, day, sessionId } of recordingsIn(place, isFinished)) {
    // Keys are ordered by day.
    if (day > last) return;
    yield { sessionId, remove: () => place.delete(key) };
  }
}

async function* recordingsIn(place: Pick<Storage, 'list'>, isFinished: boolean) {
  for await (const key of place.list()) {
    const name = nameOf(key);
    if (name?.isFinished === isFinished) yield { key, day: name.day, sessionId: name.sessionId };
  }
}

/** Opens a stream when it is first read: before that, its error would have no listener. */
async function* whenRead(open: () => Readable): AsyncIterable<Uint8Array> {
  yield* open();
}

/** An error of the source destroys the compressed stream, and so fails the put. */
function gzipped(stream: Readable): AsyncIterable<Uint8Array> {
  return pipeline(stream, createGzip({ level: LEVEL }), () => undefined);
}
