import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { archiveRecording } from './archive.ts';
import { leftovers, type RecordingFile } from './paths.ts';

/** What became of a recording that a crash interrupted. */
export interface Recovered {
  readonly sessionId: string;
  readonly state: 'recovered' | 'failed';
  /** When something was last written to it. */
  readonly endedAt: Date;
}

/** Longer than any line that the recorder writes. */
const TAIL = 1024 * 1024;

/** Finishes every recording that an earlier process left behind. Run once at the start, before anything records. */
export async function recoverRecordings(directory: string): Promise<readonly Recovered[]> {
  const files = await leftovers(directory);
  for (const file of files) if (file.kind === 'part') await rm(file.path, { force: true });
  const recovered: Recovered[] = [];
  for (const file of files) if (file.kind === 'running') recovered.push(await recoverOne(file));
  return recovered;
}

async function recoverOne(file: RecordingFile): Promise<Recovered> {
  const { mtime } = await stat(file.path);
  const result = { sessionId: file.sessionId, endedAt: mtime };
  const handle = await open(file.path, 'r+');
  let usable: boolean;
  try {
    usable = await cutTornEnd(handle);
  } finally {
    await handle.close();
  }
  if (!usable) return { ...result, state: 'failed' };
  await archiveRecording(file.path, `${file.path}.gz`);
  return { ...result, state: 'recovered' };
}

/** Cuts the file behind its last whole line; false when not even the header is whole. */
async function cutTornEnd(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  const from = Math.max(0, size - TAIL);
  const tail = Buffer.alloc(size - from);
  await handle.read(tail, 0, tail.length, from);
  let end = tail.lastIndexOf(0x0a);
  while (end >= 0) {
    const start = end === 0 ? -1 : tail.lastIndexOf(0x0a, end - 1);
    // A power failure can leave a hole of NUL bytes, so a line counts only when it reads as one.
    if ((start >= 0 || from === 0) && isLine(tail.subarray(start + 1, end))) {
      await handle.truncate(from + end + 1);
      await handle.sync();
      return true;
    }
    end = start;
  }
  return false;
}

function isLine(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
