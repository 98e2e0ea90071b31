import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVER_FOLDER } from '../server/src/platform/process/server-folder.ts';

/** Returns a text file of this folder; a bundle does not contain it. */
export function readSample(path: string): string {
  return readFileSync(join(SERVER_FOLDER, '../demo', path), 'utf8');
}
