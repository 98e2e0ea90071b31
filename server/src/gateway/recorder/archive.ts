import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { syncFolder } from './paths.ts';

/** Compresses a complete recording; at every moment either the plain file or the whole archive exists under its name. */
export async function archiveRecording(running: string, finished: string): Promise<void> {
  const part = `${finished}.part`;
  try {
    await pipeline(
      createReadStream(running, { highWaterMark: 256 * 1024 }),
      createGzip({ level: 5 }),
      // `flush` makes the bytes durable before the file is closed.
      createWriteStream(part, { mode: 0o600, flush: true }),
    );
    await rename(part, finished);
    await syncFolder(dirname(finished));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await rm(running, { force: true });
}
