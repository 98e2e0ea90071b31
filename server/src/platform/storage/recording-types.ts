import { protocolOf } from '@sallyport/contract';
import type { Bucket } from './bucket.ts';
import type { RecordingDigest, TriedStorage } from './buckets.ts';
import type { SpoolFile } from './spool.ts';
import type { ByteRange, ObjectFacts, OpenObject } from './storage.ts';

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
   * Stores a closed recording as finished. On failure the running file stays, and `left` lists it.
   * @throws StorageError
   */
  keep(): Promise<RecordingDigest>;
  /** Leaves a closed recording that could not be written completely to `left`. */
  leave(): void;
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
   * Stores the first `length` bytes of the recording as finished.
   * @throws StorageError
   */
  keep(length: number): Promise<RecordingDigest>;
}

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

/** The copy of a running recording in a bucket. */
export interface RecordingCopy {
  readonly sessionId: string;
  /** Number of parts, and bytes of the running file in them. */
  readonly parts: number;
  readonly size: number;
}

/** A recording of a server that died, and its parts in a bucket. */
export interface CopiedRecording extends RecordedSession {
  readonly kind: RecordingKind;
  readonly bucket: Bucket;
  /** Number of parts that it had at least. */
  readonly parts: number;
}

/**
 * Copies of running recordings in a bucket. If a server dies, another one makes recordings of them.
 */
export interface RecordingCopies {
  /** True if a recording has bytes that wait for their copy. */
  readonly isBehind: boolean;
  /** Returns true once after recordings have ended. */
  takeEnded(): boolean;
  /** Returns the copies that have grown since they were noted. */
  unnoted(): readonly RecordingCopy[];
  /** Takes copies as noted. */
  note(copies: readonly RecordingCopy[]): void;
  /**
   * Copies what the running recordings of this process have gained. `storage` names the bucket.
   * @throws StorageError. The next call continues at the same place.
   */
  copy(storage: string, bucket: Bucket): Promise<void>;
  /**
   * Puts the parts of a recording together for `work`, which may store it in the same bucket.
   * @throws StorageError `missing` or `damaged` if a part is
   */
  restore<Result>(
    copied: CopiedRecording,
    work: (recording: UnfinishedRecording) => Promise<Result>,
  ): Promise<Result>;
  /** Deletes the parts of a recording. @throws StorageError */
  remove(copied: CopiedRecording): Promise<void>;
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
   * Adds a complete recording of a terminal. If reading its content fails, nothing is added.
   * @throws StorageError
   */
  add(session: RecordedSession, content: string | AsyncIterable<string>): Promise<RecordingDigest>;
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
   * `isShared`: other processes may be writing into the folder, so their recordings are among them.
   * @throws StorageError
   */
  unfinished(folder?: { readonly isShared: boolean }): Promise<readonly UnfinishedRecording[]>;
  /**
   * Lists the closed recordings that this process could not finish. Their files stay until then.
   * @throws StorageError
   */
  left(): Promise<readonly UnfinishedRecording[]>;
  /**
   * Yields recordings, finished or not, of sessions that began on or before a day (UTC,
   * `2026-01-31`).
   * @throws StorageError
   */
  upTo(day: string): AsyncIterable<KnownRecording>;
  /** Sets the locations of moved recordings; until then, all recordings are local. */
  connect(elsewhere: Elsewhere): void;
  /** Seals the recordings that are written while `isOn` returns true; until then, none. */
  sealWhile(isOn: () => boolean): void;
  /**
   * Yields the finished recordings on this server's disk.
   * @throws StorageError
   */
  finished(): AsyncIterable<FinishedRecording>;
  /** Copies of running recordings in a bucket. */
  readonly copies: RecordingCopies;
  /**
   * Returns true if a bucket has the finished recording of a session, or the object with a key.
   * @throws StorageError
   */
  isIn(bucket: Bucket, what: RecordedSession | string): Promise<boolean>;
  /**
   * Writes, reads, lists and deletes a small object in a bucket. Returns what the bucket keeps.
   * @throws StorageError with the step that fails
   */
  tryOut(bucket: Bucket): Promise<TriedStorage>;
  /**
   * Returns the free bytes of the disk on which recordings grow.
   * @throws StorageError
   */
  freeBytes(): Promise<number>;
  /** Sets the seconds after which an operation of a running recording fails; 30 until then. */
  waitWhile(seconds: () => number): void;
  /** True while the disk takes longer than that for an operation. */
  isHanging(): boolean;
}
