import type { Readable } from 'node:stream';

/** A part of an object. */
export interface ByteRange {
  /** The first byte, counted from 0. */
  readonly start: number;
  /** How many; to the end of the object without it. What would be behind the end is left out. */
  readonly length?: number;
}

/** What is known of an object without reading it. */
export interface ObjectFacts {
  readonly size: number;
  readonly modifiedAt: Date;
}

/** An object that is open. Who opened it reads the stream to its end or destroys it. */
export interface OpenObject extends ObjectFacts {
  readonly stream: Readable;
}

/**
 * Keeps complete objects under keys (see `keys.ts`): a folder of this server, or later an object store. An implementation is one file; its test
 * calls `describeStorage` of `testing/storage-contract.ts`, which is the exact meaning of this interface. Each method throws `StorageError` only,
 * and limits by itself how long it waits for another server.
 */
export interface Storage {
  /**
   * Keeps an object, whole or not at all; durable when it returns. An object that has the key already is replaced, and those who read it read the
   * old one. Without success nothing changes.
   */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Opens an object, or a part of it; `size` is that of the whole. A reader never gets a mix of two objects, nor a part that looks whole. */
  open(key: string, range?: ByteRange): Promise<OpenObject>;
  /** Undefined when there is no such object. */
  stat(key: string): Promise<ObjectFacts | undefined>;
  /** Deletes an object; one that is not there is deleted already. */
  delete(key: string): Promise<void>;
  /** All keys in their order, read piece by piece. What is put or deleted meanwhile may be among them or not. */
  list(): AsyncIterable<string>;
  /** Removes what puts of an earlier process left behind; called once, before the first put. */
  removeRemains(): Promise<void>;
  /** Whether objects can be put at this moment. */
  isWritable(): Promise<boolean>;
}
