import type {
  RecordingDigest,
  Recordings,
  UnfinishedRecording,
} from '../../platform/storage/recordings.ts';
import type { GatewayLog } from '../ports.ts';
import { wholeBlocks } from './whole-blocks.ts';

/** What became of a recording that a crash interrupted. */
export interface Recovered {
  readonly sessionId: string;
  readonly state: 'recovered' | 'failed';
  /** When something was last written to it. */
  readonly endedAt: Date;
  /** Of the recording, when it is whole now. */
  readonly digest?: RecordingDigest;
}

/** Longer than any line that the recorder writes. */
const TAIL = 1024 * 1024;

/** Finishes every recording that an earlier process left behind. Run once at the start, before anything records. */
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
      // It stays, and the next start tries again.
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

/** Where the last whole line ends, found in the last bytes of a recording; undefined when not even the header is whole. */
function wholeLength(tail: Buffer, size: number): number | undefined {
  const from = size - tail.length;
  let end = tail.lastIndexOf(0x0a);
  while (end >= 0) {
    const start = end === 0 ? -1 : tail.lastIndexOf(0x0a, end - 1);
    // A power failure can leave a hole of NUL bytes, so a line counts only when it reads as one.
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
