import type { Readable } from 'node:stream';

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
  readonly stream: Readable;
}

/**
 * Stores complete objects under keys (see `keys.ts`) in a folder or an object store. The test of
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
   * Yields all keys in order, page by page. Objects put or deleted at the same time may be missing.
   */
  list(): AsyncIterable<string>;
  /** Removes incomplete data of an earlier process. Call once, before the first put. */
  removeRemains(): Promise<void>;
  /** Returns true if objects can be put now. */
  isWritable(): Promise<boolean>;
}
