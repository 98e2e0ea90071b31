import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { StartError } from '../../config.ts';
import { inFolderOf } from '../../platform/storage/files.ts';
import type { KeptFile } from './manifest.ts';

/** This level compresses rows well, and faster than most disks write. */
const LEVEL = 5;

/** Returns a stream that counts and digests bytes. */
function counting() {
  const hash = createHash('sha256');
  let bytes = 0;
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { through, facts: () => ({ bytes, sha256: hash.digest('hex') }) };
}

interface KeepOptions {
  readonly compress?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Writes a new file, readable by its owner only and durable on return; creates parent folders. */
export async function keepFile(
  folder: string,
  file: string,
  content: AsyncIterable<Uint8Array | string>,
  { compress = false, signal }: KeepOptions = {},
): Promise<KeptFile> {
  const path = join(folder, file);
  const { through, facts } = counting();
  const opened = await inFolderOf(path, () => open(path, 'wx', 0o600));
  const target = opened.createWriteStream({ flush: true });
  const options = signal ? { signal } : {};
  await (compress
    ? pipeline(content, createGzip({ level: LEVEL }), through, target, options)
    : pipeline(content, through, target, options));
  return { file, ...facts() };
}

/**
 * Reads a backup file and compares size and digest. @throws StartError if it is missing or
 * different
 */
export async function assertWhole(
  folder: string,
  { file, bytes, sha256 }: KeptFile,
): Promise<void> {
  const { through, facts } = counting();
  try {
    await pipeline(createReadStream(join(folder, file)), through, async (source) => {
      for await (const _chunk of source);
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The backup is not whole: ${file} ${code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`}. Nothing was restored.`,
    );
  }
  const actual = facts();
  if (actual.bytes !== bytes || actual.sha256 !== sha256)
    throw new StartError(
      `The backup is not whole: ${file} is not as it was written. Nothing was restored.`,
    );
}
