import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGzip, gzip, gzipSync } from 'node:zlib';
import { one } from './buckets.ts';
import { onFiles } from './files.ts';
import { nameOf } from './recording-names.ts';
import type { Spool } from './spool.ts';

/**
 * Gzip level. Level 5 makes recordings of text 4 % smaller, but takes 1.4 times as long for text
 * and twice as long for binary output.
 */
const LEVEL = 4;
const compress = promisify(gzip);
/** Up to this size, compressing takes less than a millisecond, less than a thread costs. */
const SMALL = 64 * 1024;

/** A file of a spool, of which the first `length` bytes are a recording. */
interface SpooledRecording {
  readonly spool: Spool;
  readonly key: string;
  readonly length: number;
}

/** Returns the content of a finished recording. `brief` has the bytes of a small file. */
export async function contentOf({ spool, key, length }: SpooledRecording, brief?: Buffer) {
  if (nameOf(key)?.kind === 'desktop') return whenRead(() => spool.read(key, length));
  if (length > SMALL) return gzipped(spool.read(key, length));
  const content = brief ?? (await onFiles(() => buffer(spool.read(key, length))));
  return one(gzipSync(content, { level: LEVEL }));
}

/** Compresses the content of a terminal. */
export async function compressed(
  content: string | AsyncIterable<string>,
): Promise<AsyncIterable<Uint8Array>> {
  return typeof content === 'string'
    ? one(await compress(content, { level: LEVEL }))
    : gzipped(Readable.from(content, { objectMode: false }));
}

/** Opens a stream when it is first read: before that, its error would have no listener. */
async function* whenRead(open: () => Readable): AsyncIterable<Uint8Array> {
  yield* open();
}

/** An error of the source destroys the compressed stream, and so fails the put. */
function gzipped(stream: Readable): AsyncIterable<Uint8Array> {
  return pipeline(stream, createGzip({ level: LEVEL }), () => undefined);
}
