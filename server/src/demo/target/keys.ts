import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateHostKey } from './server.ts';

const FILE = 'demo-target.key';

/**
 * Returns the host key of the sandboxed SSH server, created on the first start and stored, so the
 * pinned key stays valid.
 */
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
