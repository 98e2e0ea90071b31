import type { Recordings } from '../../platform/storage/recordings.ts';
import type { RecordingOptions } from '../recorder/recording-pace.ts';
import { Refusal } from '../refusal.ts';
import type { Session, SessionParts } from './session.ts';

const MEBIBYTE = 1024 * 1024;

/** A session that pauses its target while the recording falls behind. */
interface Recorded extends Session {
  /** Resumes the target: the recording has caught up. Absent for kinds that never pause. */
  recorderDrained?(): void;
}

/**
 * Starts a session together with its recording, and ends the session if the recording fails. `make`
 * starts the recorder and builds the session.
 * @throws Refusal when the recording cannot be created
 */
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
