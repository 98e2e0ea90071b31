import { join } from 'node:path';
import type { RecordedSession } from '../recordings.ts';

/** The files of one recording. */
export interface RecordingFiles {
  readonly folder: string;
  readonly running: string;
  readonly finished: string;
}

/** Where local recordings keep the recording of a session, for tests that look at its file or damage it. */
export function recordingFiles(recordings: string, { id, startedAt }: RecordedSession): RecordingFiles {
  const folder = join(recordings, startedAt.toISOString().slice(0, 10));
  const running = join(folder, `${id}.cast`);
  return { folder, running, finished: `${running}.gz` };
}
