import { readFile, stat } from 'node:fs/promises';
import { StartError } from '../../config.ts';

/** Bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads a text file that the operator named. @throws StartError */
export async function readNamed(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw new StartError(`${path} is larger than ${MAX_BYTES} bytes.`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${path} cannot be read: ${(error as Error).message}`);
  }
}
