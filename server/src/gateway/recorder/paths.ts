import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Where a session is recorded while it runs, and where its recording lies afterwards. */
export interface RecordingPaths {
  readonly folder: string;
  readonly running: string;
  readonly finished: string;
}

/** The paths of a session's recording: by the day on which it began (UTC), so that no folder grows without end. */
export function recordingPaths(directory: string, sessionId: string, startedAt: Date): RecordingPaths {
  if (!SESSION_ID.test(sessionId)) throw new Error('a recording needs the id of a session');
  const folder = join(directory, startedAt.toISOString().slice(0, 10));
  const running = join(folder, `${sessionId}.cast`);
  return { folder, running, finished: `${running}.gz` };
}

/** Makes the folder of a recording; only the server's own account may look inside. */
export async function makeRecordingFolder(paths: RecordingPaths): Promise<void> {
  await mkdir(paths.folder, { recursive: true, mode: 0o700 });
}

/** Makes a rename or a new name in a folder survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A file that a recording left in the day folders. */
export interface RecordingFile {
  readonly sessionId: string;
  readonly folder: string;
  readonly path: string;
  readonly kind: 'running' | 'part';
}

/** Recordings that were not finished, and half-written archives. */
export async function leftovers(directory: string): Promise<readonly RecordingFile[]> {
  const found: RecordingFile[] = [];
  for (const day of await namesIn(directory)) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) continue;
    const folder = join(directory, day);
    for (const name of await namesIn(folder)) {
      const sessionId = name.slice(0, 36);
      const ending = name.slice(36);
      if (!SESSION_ID.test(sessionId)) continue;
      if (ending === '.cast') found.push({ sessionId, folder, path: join(folder, name), kind: 'running' });
      if (ending === '.cast.gz.part') found.push({ sessionId, folder, path: join(folder, name), kind: 'part' });
    }
  }
  return found;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}
