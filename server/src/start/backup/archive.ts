import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { StartError } from '../../config.ts';
import { keepFile } from './files.ts';
import { MANIFEST, RECORDINGS, RECORDINGS_INDEX, SEALS } from './manifest.ts';
import { RECORDING_KEY } from './recordings.ts';
import { TABLE_FILE } from './tables.ts';

/**
 * The files of a backup as one stream. Each file is a header and its bytes:
 *
 *     u32 length | {"file", "bytes"} | bytes
 *
 * A header of length 0 ends the stream. Integers are little-endian.
 */
interface Entry {
  readonly file: string;
  readonly bytes: number;
}

const MAX_HEADER = 1024;

const isOfBackup = (file: string) =>
  [MANIFEST, SEALS, RECORDINGS_INDEX].includes(file) ||
  TABLE_FILE.test(file) ||
  (file.startsWith(`${RECORDINGS}/`) && RECORDING_KEY.test(file.slice(RECORDINGS.length + 1)));

function headerOf(entry: Entry | undefined): Buffer {
  const text = Buffer.from(entry ? JSON.stringify(entry) : '');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text]);
}

/** Yields the files of a complete backup folder. Stops with the reason of an aborted signal. */
export async function* packBackup(
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  for (const child of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!child.isFile()) continue;
    const path = join(child.parentPath, child.name);
    const file = relative(folder, path).replaceAll(sep, '/');
    const { size: bytes } = await stat(path);
    yield headerOf({ file, bytes });
    if (bytes === 0) continue;
    let left = bytes;
    for await (const part of createReadStream(path, { end: bytes - 1, signal })) {
      left -= (part as Buffer).length;
      yield part as Buffer;
    }
    if (left > 0) throw new Error(`${file} became shorter`);
  }
  yield headerOf(undefined);
}

/** Reads exact numbers of bytes from a stream. */
class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Yields the next bytes in parts. @throws StartError if the stream ends before */
  async *stream(bytes: number): AsyncGenerator<Buffer, void> {
    for (let left = bytes; left > 0; ) {
      if (this.#held.length === 0) {
        const { done, value } = await this.#source.next();
        if (done) throw new StartError('The file of the backup ends too early.');
        this.#held = value;
      }
      const part = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async take(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(bytes)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Reads to the end, where errors of the source may still come. */
  async finish(): Promise<void> {
    if (this.#held.length > 0 || !(await this.#source.next()).done)
      throw new StartError('The file of the backup has more than a backup.');
  }
}

async function nextEntry(reader: ByteReader): Promise<Entry | undefined> {
  const length = (await reader.take(4)).readUInt32LE();
  if (length === 0) return undefined;
  const text = length > MAX_HEADER ? '' : (await reader.take(length)).toString();
  const { file = '', bytes = -1 } = JSON.parse(text || '{}') as Partial<Entry>;
  if (!isOfBackup(file) || !Number.isSafeInteger(bytes) || bytes < 0)
    throw new StartError('The file of the backup names a file that no backup has.');
  return { file, bytes };
}

/** Writes the files of a stream into an empty folder. @throws StartError for another stream */
export async function unpackBackup(source: AsyncIterable<Buffer>, folder: string): Promise<void> {
  const reader = new ByteReader(source);
  for (;;) {
    const entry = await nextEntry(reader);
    if (!entry) break;
    await keepFile(folder, entry.file, reader.stream(entry.bytes));
  }
  await reader.finish();
}
