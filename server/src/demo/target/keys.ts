import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateHostKey } from './server.ts';

const FILE = 'demo-target.key';

/** The host key of the sandboxed SSH server: made at the first start and kept, so that the pinned key stays the right one. */
export async function targetHostKey(dataDirectory: string): Promise<string> {
  const file = join(dataDirectory, FILE);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const key = generateHostKey();
  await writeFile(file, key, { mode: 0o600, flag: 'wx' });
  return key;
}
