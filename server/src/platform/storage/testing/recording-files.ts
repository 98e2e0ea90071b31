import { join } from 'node:path';
import type { RecordedSession, RecordingKind } from '../recordings.ts';

export interface RecordingFiles {
  readonly folder: string;
  readonly running: string;
  readonly finished: string;
}

/** Returns the paths of a session's local recording, for tests that inspect or damage its file. */
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
