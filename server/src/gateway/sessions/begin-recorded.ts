import type { Recordings } from '../../platform/storage/recordings.ts';
import type { RecordingOptions } from '../recorder/recording-options.ts';
import { Refusal } from '../refusal.ts';
import type { Session, SessionParts } from './session.ts';

const MEBIBYTE = 1024 * 1024;

/** A session that follows its recorder. */
interface Recorded extends Session {
  /** The recording has caught up; absent where it is never behind. */
  recorderDrained?(): void;
}

/** Begins a session with its recording, which ends the session when it cannot go on. `make` starts the recorder and builds the session. @throws Refusal when nothing can be recorded */
export async function beginRecorded<Begun extends Recorded>(
  { row, ports, limits }: SessionParts,
  recordings: Recordings,
  make: (options: RecordingOptions) => Promise<Begun>,
): Promise<Begun> {
  let session: Begun | undefined;
  try {
    session = await make({
      recordings,
      sessionId: row.id,
      startedAt: row.dateStart,
      title: `${row.account}@${row.grant.asset.hostname}`,
      onFailure: (error) => {
        ports.log.error(
          { session: row.id, err: error },
          'a recording could not be written; the session ends',
        );
        session?.end('session_recording_failed');
      },
      onDrain: () => session?.recorderDrained?.(),
      onFull: () =>
        session?.end('session_recording_full', {
          megabytes: Math.round(limits.recordingBytes / MEBIBYTE),
        }),
      maxBytes: limits.recordingBytes,
      bytesPerSecond: limits.recordingBytesPerSecond,
      burstBytes: limits.recordingBurstBytes,
    });
    return session;
  } catch (error) {
    ports.log.error(
      { session: row.id, err: error },
      'a recording could not be created; the session is refused',
    );
    throw new Refusal('session_recording_failed');
  }
}
