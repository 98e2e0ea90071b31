import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The texts of the terminals and queries that are being recorded in a folder of recordings, as far as they are on the disk: what is shown gets there a moment later. */
export async function runningRecordings(recordings: string): Promise<readonly string[]> {
  const files = (await readdir(recordings, { recursive: true }).catch(() => [])).filter((name) =>
    name.endsWith('.cast'),
  );
  // One that ends meanwhile is no running one any more.
  return Promise.all(files.map((name) => readFile(join(recordings, name), 'utf8').catch(() => '')));
}
