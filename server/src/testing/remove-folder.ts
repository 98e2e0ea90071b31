import { rm } from 'node:fs/promises';

/**
 * Removes a folder with everything in it. A foreign server that has ended may leave processes
 * that still write for a moment: tries again for about ten seconds.
 */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
