import { createHash, randomBytes } from 'node:crypto';
import { addAbortSignal } from 'node:stream';
import type { Bucket } from './bucket.ts';
import { asStorageError } from './files.ts';
import {
  type ByteRange,
  type KeptContent,
  type OpenObject,
  type Storage,
  StorageError,
} from './storage.ts';

/** Digest of a finished recording's stored (compressed) file. */
export interface RecordingDigest {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Passes content through; `digest` is complete when all content has passed. */
export function digesting(content: AsyncIterable<Uint8Array>): {
  readonly passed: AsyncIterable<Uint8Array>;
  readonly digest: () => RecordingDigest;
} {
  const hash = createHash('sha256');
  let size = 0;
  async function* passing(): AsyncIterable<Uint8Array> {
    for await (const part of content) {
      hash.update(part);
      size += part.length;
      yield part;
    }
  }
  return { passed: passing(), digest: () => ({ size, sha256: hash.digest('hex') }) };
}

/** Computes the digest of content. */
export async function digestOf(content: AsyncIterable<Uint8Array>): Promise<RecordingDigest> {
  const { passed, digest } = digesting(content);
  for await (const _part of passed);
  return digest();
}

/**
 * Opens an object; undefined if the object or the storage does not exist.
 * @throws StorageError
 */
export async function openIn(
  storage: Storage | undefined,
  key: string,
  range?: ByteRange,
): Promise<OpenObject | undefined> {
  return storage?.open(key, range).catch((error: unknown) => {
    if (error instanceof StorageError && error.code === 'missing') return undefined;
    throw error;
  });
}

/** Opens each bucket once, because a client keeps its connections. */
export function createBuckets(openBucket: (bucket: Bucket) => Storage) {
  const opened = new Map<string, Storage>();
  const open = ({ second: _second, ...bucket }: Bucket): Storage => {
    const key = createHash('sha256').update(JSON.stringify(bucket)).digest('hex');
    const storage = opened.get(key) ?? openBucket(bucket);
    opened.set(key, storage);
    return storage;
  };
  return {
    /** Opens a bucket without its second one. */
    open,
    /** Opens a bucket, and its second one after it. */
    each: (bucket: Bucket): readonly Storage[] =>
      [bucket, ...(bucket.second ? [bucket.second] : [])].map(open),
  };
}

const DIFFERENT = 'the storage does not give back what it was given';

/**
 * Puts content into a storage, reads it back and compares size and content. Deletes an object that
 * was not verified.
 * @throws StorageError; `damaged` if the storage returns other content
 */
export async function putVerified(
  to: Storage,
  key: string,
  content: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<RecordingDigest> {
  const { passed, digest } = digesting(content);
  await to.put(key, passed);
  try {
    const { stream } = await to.open(key);
    if (signal) addAbortSignal(signal, stream);
    const [sent, back] = [digest(), await digestOf(stream)];
    if (sent.size === back.size && sent.sha256 === back.sha256) return sent;
  } catch (error) {
    await to.delete(key).catch(() => undefined);
    throw asStorageError(error);
  }
  // A retention lock may keep the object.
  await to.delete(key).catch(() => undefined);
  throw new StorageError('damaged', DIFFERENT);
}

/** Returns true if an error says that an object cannot be replaced. */
const isKept = (error: unknown): boolean =>
  error instanceof StorageError && (error.code === 'retained' || error.code === 'refused');

/**
 * Puts an object, unless the storage keeps an object that `isSame` accepts. The answer to an
 * earlier put may have been lost, and a retention lock then refuses the next one.
 * @throws StorageError
 */
export async function putOrKept(
  put: () => Promise<unknown>,
  isSame: () => Promise<boolean>,
): Promise<void> {
  try {
    await put();
  } catch (error) {
    if (!isKept(error) || !(await isSame().catch(() => false))) throw error;
  }
}

/**
 * Copies an object to another storage, reads it back and compares size and content.
 * @throws StorageError
 */
export const copy = (key: string, from: Storage, to: Storage): Promise<void> =>
  putOrKept(
    async () => putVerified(to, key, (await from.open(key)).stream),
    async () => {
      const [sent, back] = await Promise.all(
        [from, to].map(async (place) => digestOf((await place.open(key)).stream)),
      );
      return sent?.sha256 === back?.sha256;
    },
  );

/** Runs a step of the test. @throws StorageError that names the step */
async function step<Result>(verb: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, message, cause } = asStorageError(error);
    const detail = message.slice(message.indexOf(': ', 'storage: '.length) + 2);
    throw new StorageError(code, `the test object could not be ${verb}: ${detail}`, cause);
  }
}

async function isListed(storage: Storage, folder: string, key: string): Promise<boolean> {
  for await (const name of storage.list(folder)) if (name === key) return true;
  return false;
}

/** The result of a test that did not fail. */
export interface TriedStorage extends KeptContent {
  /** True if a lock kept the object of the test. */
  readonly isRetained: boolean;
}

/**
 * Writes, reads, lists and deletes a small object: the steps that recordings, their retention and
 * the verification need.
 * @throws StorageError with the step that fails
 */
export async function tryOut(storage: Storage): Promise<TriedStorage> {
  const folder = 'sallyport-test';
  const [key, content] = [`${folder}/${randomBytes(8).toString('hex')}`, randomBytes(64)];
  await step('written', () => storage.put(key, one(content)));
  try {
    const back = await step('read', async () => digestOf((await storage.open(key)).stream));
    if (back.sha256 !== createHash('sha256').update(content).digest('hex'))
      throw new StorageError('damaged', DIFFERENT);
    if (!(await step('listed', () => isListed(storage, folder, key))))
      throw new StorageError('damaged', 'the storage does not list the test object');
  } catch (error) {
    await storage.delete(key).catch(() => undefined);
    throw error;
  }
  const isRetained = await step('deleted', () => storage.delete(key)).then(
    () => false,
    (error: StorageError) => {
      if (error.code === 'retained') return true;
      throw error;
    },
  );
  const kept = await storage.keptContent?.();
  return { keepsVersions: false, lock: '', ...kept, isRetained };
}

/** Returns content in memory as a stream. */
export async function* one(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}
