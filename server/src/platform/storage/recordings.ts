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

/** What the key of a recording is made of. */
export interface RecordedSession {
  readonly id: string;
  readonly startedAt: Date;
}

/** What is recorded: lines of text, which are compressed at the end, or blocks of a desktop, which are compressed already. */
export type RecordingKind = 'terminal' | 'desktop';

/** What is recorded of a session over a protocol. */
export const recordingKindOf = (protocol: string): RecordingKind =>
  protocolOf(protocol)?.sessionKind === 'desktop' ? 'desktop' : 'terminal';

/** A recording that is being written. */
export interface RunningRecording extends SpoolFile {
  /** Keeps it as finished, after it is closed. When that fails it stays as it is, and the next start keeps it. @throws StorageError */
  keep(): Promise<RecordingDigest>;
}

/** A recording that an earlier process did not finish. */
export interface UnfinishedRecording {
  readonly sessionId: string;
  readonly kind: RecordingKind;
  readonly size: number;
  /** When something was last written to it. */
  readonly writtenAt: Date;
  /** Its last bytes, at most so many. */
  tail(bytes: number): Promise<Buffer>;
  /** At most so many of its bytes from a place on. */
  read(from: number, bytes: number): Promise<Buffer>;
  /** Cuts it to a length and keeps it as finished. @throws StorageError */
  keep(length: number): Promise<RecordingDigest>;
}

export type { Bucket } from './bucket.ts';

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
  begin(
    session: RecordedSession & { readonly kind?: RecordingKind },
    beginning: string,
  ): Promise<RunningRecording>;
  /** Adds a whole recording. @throws StorageError */
  add(session: RecordedSession, content: string): Promise<RecordingDigest>;
  /** Removes a finished recording, wherever it is. @throws StorageError */
  remove(session: RecordedSession): Promise<void>;
  /** What is known of a finished recording; undefined when there is none. @throws StorageError */
  find(session: RecordedSession): Promise<ObjectFacts | undefined>;
  /** Opens a finished recording, or a part of it, as it is kept: that of a terminal compressed with gzip, that of a desktop as it was written; undefined when there is none. @throws StorageError */
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
const NAME =
  /^(\d{4}-\d{2}-\d{2})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(cast|desktop)(\.gz|\.z)?$/;
/** The endings of each kind: while it is written, and what is added when it is finished. */
const ENDINGS = {
  terminal: { running: 'cast', finished: '.gz' },
  desktop: { running: 'desktop', finished: '.z' },
} as const;
const KINDS = ['terminal', 'desktop'] as const satisfies readonly RecordingKind[];
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
      const found = await openIn(storage, key, range);
      if (found) return found;
    }
    const bucket = await moved(session);
    for (const key of bucket ? finishedKeys(session) : []) {
      const found = await openIn(bucket, key, range);
      if (found) return found;
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
        const found = await storage.stat(key);
        if (found) return found;
      }
      const bucket = await moved(session);
      for (const key of bucket ? finishedKeys(session) : []) {
        const found = await bucket?.stat(key);
        if (found) return found;
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
      const found = await openFinished(session);
      if (!found) return undefined;
      return digestOf(found.stream);
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
      const found: UnfinishedRecording[] = [];
      for await (const key of spool.list()) {
        const name = nameOf(key);
        if (!name || name.isFinished) continue;
        const { size, modifiedAt } = await spool.stat(key);
        found.push({
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
      return found;
    },
    async *upTo(day) {
      yield* knownOf(spool, false, day);
      yield* knownOf(storage, true, day);
      for (const bucket of await elsewhere.all()) {
        try {
          yield* knownOf(buckets.open(bucket), true, day);
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
export function runningKey(
  { id, startedAt }: RecordedSession,
  kind: RecordingKind = 'terminal',
): string {
  const key = `${startedAt.toISOString().slice(0, 10)}/${id}.${ENDINGS[kind].running}`;
  if (!nameOf(key)) throw new StorageError('invalid_key', 'a recording needs the id of a session');
  return key;
}

/** The name that a recording has when it is finished. */
export const finishedKey = (key: string) =>
  `${key}${ENDINGS[nameOf(key)?.kind ?? 'terminal'].finished}`;

/** The names that the finished recording of a session can have; a session has one of them at most. */
const finishedKeys = (session: RecordedSession) =>
  KINDS.map((kind) => finishedKey(runningKey(session, kind)));

/** What the name of a recording says; undefined for other names. */
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
    // Keys come in the order of days.
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

/** Opens a stream when somebody reads it: until then nobody would hear of its error. */
async function* whenRead(open: () => Readable): AsyncIterable<Uint8Array> {
  yield* open();
}

/** An error of the source ends the compressed stream with it, and so the put. */
function gzipped(stream: Readable): AsyncIterable<Uint8Array> {
  return pipeline(stream, createGzip({ level: LEVEL }), () => undefined);
}
