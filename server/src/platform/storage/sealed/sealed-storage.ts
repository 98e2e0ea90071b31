import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { asStorageError } from '../files.ts';
import {
  type ByteRange,
  type ObjectFacts,
  type OpenObject,
  type Storage,
  StorageError,
} from '../storage.ts';
import { ChunkOpener, sealFile } from './chunks.ts';
import {
  CHUNK,
  chunksOf,
  type FileSealer,
  isSealed,
  MAX_HEADER,
  openPart,
  readHeader,
  TAG,
} from './format.ts';

/** One request gets a small object completely. */
const PEEK = MAX_HEADER + CHUNK + TAG;

/**
 * Seals objects of a storage while the sealer is on. Opens sealed and plain objects, whose sizes
 * and ranges are those of the plain content.
 */
export function sealedStorage(storage: Storage, sealer: FileSealer): Storage {
  return {
    ...storage,
    put: (key, content) =>
      storage.put(key, sealer.isOn() ? sealFile(content, key, sealer) : content),
    async open(key, range = { start: 0 }) {
      const peeked = await peek(storage, key, PEEK);
      const { size, modifiedAt, beginning } = peeked;
      if (isSealed(beginning)) return openSealed(storage, sealer, peeked, range);
      if (size > beginning.length) return storage.open(key, range);
      const { start, end } = within(range, size);
      return { size, modifiedAt, stream: streamOf(beginning.subarray(start, end)) };
    },
    async stat(key) {
      const peeked = await peek(storage, key, MAX_HEADER).catch((error: unknown) => {
        if (error instanceof StorageError && error.code === 'missing') return undefined;
        throw error;
      });
      if (!peeked) return undefined;
      const { size, modifiedAt, beginning } = peeked;
      if (!isSealed(beginning)) return { size, modifiedAt };
      const header = readHeader(sealer, key, beginning);
      return { size: chunksOf(header, size, key).size, modifiedAt };
    },
  };
}

/** An object and the beginning of its bytes. */
interface Peeked extends ObjectFacts {
  readonly key: string;
  readonly beginning: Buffer;
}

async function peek(storage: Storage, key: string, length: number): Promise<Peeked> {
  const { size, modifiedAt, stream } = await storage.open(key, { start: 0, length });
  return { key, size, modifiedAt, beginning: await readAll(stream) };
}

const readAll = (stream: Readable): Promise<Buffer> =>
  buffer(stream).catch((error: unknown) => {
    throw asStorageError(error);
  });

/**
 * Opens a range of a sealed object. Opens its last chunk first: an object that lost its end is
 * found whatever the range.
 */
async function openSealed(
  storage: Storage,
  sealer: FileSealer,
  { key, size: sealedSize, modifiedAt, beginning }: Peeked,
  range: ByteRange,
): Promise<OpenObject> {
  const header = readHeader(sealer, key, beginning);
  const chunks = chunksOf(header, sealedSize, key);
  const { size, last } = chunks;
  const { start, end } = within(range, size);
  /** Reads sealed bytes, from memory if the peek has all of the object. */
  const read = async (from: number, until: number): Promise<Readable> =>
    sealedSize <= beginning.length
      ? streamOf(beginning.subarray(from, until))
      : (await storage.open(key, { start: from, length: until - from })).stream;
  const ending = await readAll(await read(chunks.position(last), sealedSize));
  openPart(header.key, ending, { number: last, isLast: true }, key);
  const facts = { size, modifiedAt, isSealed: true };
  if (start === end) return { ...facts, stream: streamOf(Buffer.alloc(0)) };
  const first = Math.floor(start / header.chunk);
  const source = await read(
    chunks.position(first),
    Math.min(sealedSize, chunks.position(Math.floor((end - 1) / header.chunk) + 1)),
  );
  const opener = new ChunkOpener({
    header,
    name: key,
    first,
    last,
    skip: start - first * header.chunk,
    take: end - start,
  });
  // An error of the source destroys the returned stream.
  return { ...facts, stream: pipeline(source, opener, () => undefined) };
}

const streamOf = (content: Buffer): Readable => Readable.from(content.length > 0 ? [content] : []);
const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

/** Limits a range to the content. @throws StorageError */
function within({ start, length }: ByteRange, size: number) {
  if (!isCount(start) || !isCount(length ?? 0) || start > size)
    throw new StorageError('range', `${start} of ${size} bytes`);
  return { start, end: Math.min(size, start + (length ?? size)) };
}
