import { join } from 'node:path';
import type { RecordedSession, RecordingKind } from '../recordings.ts';

/** The files of one recording. */
export interface RecordingFiles {
  readonly folder: string;
  readonly running: string;
  readonly finished: string;
}

/** Where local recordings keep the recording of a session, for tests that look at its file or damage it. */
export function recordingFiles(
  recordings: string,
  { id, startedAt }: RecordedSession,
  kind: RecordingKind = 'terminal',
): RecordingFiles {
  const folder = join(recordings, startedAt.toISOString().slice(0, 10));
  if (kind === 'desktop')
    return {
      folder,
      running: join(folder, `${id}.desktop`),
      finished: join(folder, `${id}.desktop.z`),
    };
  const running = join(folder, `${id}.cast`);
  return { folder, running, finished: `${running}.gz` };
}
