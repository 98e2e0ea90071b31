import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the texts of running terminal and query recordings in a folder. Output reaches the disk a
 * moment after it was shown.
 */
export async function runningRecordings(recordings: string): Promise<readonly string[]> {
  const files = (await readdir(recordings, { recursive: true }).catch(() => [])).filter((name) =>
    name.endsWith('.cast'),
  );
  // A recording may end during the read.
  return Promise.all(files.map((name) => readFile(join(recordings, name), 'utf8').catch(() => '')));
}
