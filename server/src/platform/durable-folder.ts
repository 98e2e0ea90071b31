import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder that only the server's own account can read. Its name survives a power failure.
 */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let path = folder; path.length >= first.length; path = dirname(path))
    await syncFolder(dirname(path));
}

/** Makes renames and new names in a folder survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
