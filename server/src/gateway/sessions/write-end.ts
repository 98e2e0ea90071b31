import type { Problem } from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import type { RecordingDigest } from '../../platform/storage/recordings.ts';
import type { ReplayState } from '../ports/records.ts';
import type { GatewayPorts } from '../ports.ts';

/** The end of a session, with the work that completes its data. */
export interface Ending {
  readonly reason: Problem['code'];
  readonly wasOpen: boolean;
  readonly finish: () => Promise<ReplayState>;
  /** Digest of the finished recording; undefined if there is none. */
  readonly kept: () => RecordingDigest | undefined;
}

/** Writes all pending data of a session, then its end. */
export async function writeEnd(
  { sessions, log }: Pick<GatewayPorts, 'sessions' | 'log'>,
  id: string,
  { reason, wasOpen, finish, kept }: Ending,
): Promise<void> {
  const dateEnd = databaseClock.date();
  try {
    const replayState = await finish();
    await sessions.finish(id, {
      dateEnd,
      reason,
      success: wasOpen,
      replayState,
      recording: kept(),
    });
  } catch (error) {
    // The store retries the write. If that fails too, the next start finds the row still open.
    log.error({ session: id, err: error }, 'the end of a session could not be written');
  }
}
