import type { Readable } from 'node:stream';

/** Problems of a storage. */
export type StorageProblem =
  /** The key is invalid: a defect of the caller. */
  | 'invalid_key'
  /** The object does not exist. */
  | 'missing'
  /** The object exists already. */
  | 'exists'
  /** The range starts after the end of the object. */
  | 'range'
  /** Another program changed the content. */
  | 'damaged'
  /** The content is sealed with a key that this installation does not have. */
  | 'locked'
  /** The disk or quota is full. */
  | 'full'
  /** The account of the server lacks the permission. */
  | 'refused'
  /** A retention lock of the storage protects the object. */
  | 'retained'
  /** The disk does not answer. */
  | 'hanging'
  /** Any other failure of the disk or the other server. */
  | 'unavailable';

/** The only error that a storage throws; `cause` is the original error. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageProblem;

  constructor(code: StorageProblem, detail: string, cause?: unknown) {
    super(`storage: ${code.replace('_', ' ')}: ${detail}`, { cause });
    this.code = code;
  }
}

export interface ByteRange {
  /** Position of the first byte, from 0. */
  readonly start: number;
  /** Number of bytes; default: to the end of the object. Bytes after the end are omitted. */
  readonly length?: number;
}

/** Metadata of an object. */
export interface ObjectFacts {
  readonly size: number;
  readonly modifiedAt: Date;
}

/** An open object. The caller reads the stream to its end or destroys it. */
export interface OpenObject extends ObjectFacts {
  /** True if the object is stored encrypted. */
  readonly isSealed?: boolean;
  readonly stream: Readable;
}

/** Content that a storage keeps after it was deleted or replaced. */
export interface KeptContent {
  /** True if the storage keeps versions: deleted objects remain until a rule removes them. */
  readonly keepsVersions: boolean;
  /** The default lock of new objects, such as `COMPLIANCE, 30 days`; '' for none. */
  readonly lock: string;
}

/**
 * Stores complete objects under keys (see `isKey`) in a folder or an object store. The test of
 * each implementation calls `describeStorage` of `testing/storage-contract.ts`, which defines this
 * interface exactly. Methods throw only `StorageError` and limit how long they wait for another
 * server.
 */
export interface Storage {
  /**
   * Stores an object completely or not at all; it is durable when the promise resolves. An existing
   * object is replaced, while its current readers continue with the old one. A failure changes
   * nothing.
   */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Opens an object or a range of it; `size` is the size of the whole object. A reader never
   * receives a mix of two objects, or a part that looks complete.
   */
  open(key: string, range?: ByteRange): Promise<OpenObject>;
  /** Returns undefined if the object does not exist. */
  stat(key: string): Promise<ObjectFacts | undefined>;
  /** Deletes an object; a missing one is not an error. */
  delete(key: string): Promise<void>;
  /**
   * Yields all keys in order, or those below a folder, page by page. Objects put or deleted at the
   * same time may be missing.
   */
  list(folder?: string): AsyncIterable<string>;
  /** Removes incomplete data of an earlier process. Call once, before the first put. */
  removeRemains(): Promise<void>;
  /** Returns true if objects can be put now. */
  isWritable(): Promise<boolean>;
  /** Returns the content that the storage keeps. Absent: none. */
  keptContent?(): Promise<KeptContent>;
}

/** One part of a key: never hidden, `.` or `..`; no two parts differ only in case. */
const PART = /^[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)*$/;
const MAX_LENGTH = 200;
const MAX_PARTS = 4;
/** Suffix of incomplete files. */
export const INCOMPLETE = '.part';

/**
 * Returns true for a key: at most four parts of lower-case letters, digits, `_`, `-` and single
 * dots, separated by `/`.
 */
export function isKey(text: string): boolean {
  if (text.length > MAX_LENGTH || text.endsWith(INCOMPLETE)) return false;
  const parts = text.split('/');
  return parts.length <= MAX_PARTS && parts.every((part) => PART.test(part));
}

/**
 * Rejects an invalid key before it becomes part of a path or URL.
 * @throws StorageError
 */
export function assertKey(text: string): void {
  if (!isKey(text))
    throw new StorageError('invalid_key', JSON.stringify(text.slice(0, MAX_LENGTH)));
}
