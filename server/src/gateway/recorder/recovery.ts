import type {
  RecordingDigest,
  Recordings,
  UnfinishedRecording,
} from '../../platform/storage/recordings.ts';
import type { GatewayLog } from '../ports.ts';
import { wholeBlocks } from './whole-blocks.ts';

/** The result for a recording that a crash interrupted. */
export interface Recovered {
  readonly sessionId: string;
  readonly state: 'recovered' | 'failed';
  /** Time of the last write. */
  readonly endedAt: Date;
  /** Digest of the recording, if it is complete now. */
  readonly digest?: RecordingDigest;
}

/** Longer than any line of a recording. */
const TAIL = 1024 * 1024;

/**
 * Completes all recordings that an earlier process left. Run it once at startup, before any
 * recording starts.
 */
export async function recoverRecordings(
  recordings: Recordings,
  log: GatewayLog,
): Promise<readonly Recovered[]> {
  const recovered: Recovered[] = [];
  for (const recording of await recordings.unfinished()) {
    const { sessionId, writtenAt: endedAt } = recording;
    try {
      recovered.push({ sessionId, endedAt, ...(await recoverOne(recording)) });
    } catch (error) {
      // Keep it; the next start tries again.
      log.error(
        { session: sessionId, err: error },
        'an interrupted recording could not be finished',
      );
      recovered.push({ sessionId, endedAt, state: 'failed' });
    }
  }
  return recovered;
}

async function recoverOne(
  recording: UnfinishedRecording,
): Promise<Pick<Recovered, 'state' | 'digest'>> {
  const length =
    recording.kind === 'desktop'
      ? await wholeBlocks(recording)
      : wholeLength(await recording.tail(TAIL), recording.size);
  if (length === undefined) return { state: 'failed' };
  return { state: 'recovered', digest: await recording.keep(length) };
}

/**
 * Returns the end of the last valid line, searching from the end; undefined if not even the header
 * is valid.
 */
function wholeLength(tail: Buffer, size: number): number | undefined {
  const from = size - tail.length;
  let end = tail.lastIndexOf(0x0a);
  while (end >= 0) {
    const start = end === 0 ? -1 : tail.lastIndexOf(0x0a, end - 1);
    // A power failure can leave a hole of NUL bytes, so only valid JSON counts as a line.
    if ((start >= 0 || from === 0) && isLine(tail.subarray(start + 1, end))) return from + end + 1;
    end = start;
  }
  return undefined;
}

function isLine(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
