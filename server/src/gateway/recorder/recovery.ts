import { crc32 } from 'node:zlib';
import {
  BLOCK_HEAD_BYTES,
  BLOCK_MARK,
  type BlockHead,
  END_MARK,
  readBlockHead,
} from '@sallyport/contract';
import type {
  RecordingDigest,
  Recordings,
  UnfinishedRecording,
} from '../../platform/storage/recordings.ts';
import type { GatewayLog } from '../ports.ts';

const MAX_HEADER = 64 * 1024;
const END_BYTES = 12;
/** Last blocks to verify; they may not have reached the disk. */
const CHECKED_BLOCKS = 16;

/**
 * Returns the end of the last valid block of a truncated desktop recording: its whole size if
 * nothing is missing, undefined if the header is incomplete.
 */
async function wholeBlocks(
  recording: Pick<UnfinishedRecording, 'size' | 'read'>,
): Promise<number | undefined> {
  const header = (await recording.read(0, MAX_HEADER)).indexOf(0x0a);
  if (header < 0) return undefined;
  let from = header + 1;
  const latest: { readonly from: number; readonly head: BlockHead }[] = [];
  for (;;) {
    const head = readBlockHead(await recording.read(from, BLOCK_HEAD_BYTES));
    const end = head && from + BLOCK_HEAD_BYTES + head.length;
    if (!head || !end || end > recording.size) break;
    // The index is written last and counts only with its end marker. It is not rebuilt.
    if (head.mark !== BLOCK_MARK) {
      const mark = await recording.read(end, END_BYTES);
      return mark.length === END_BYTES &&
        mark.readUInt32LE(0) === END_MARK &&
        end + END_BYTES === recording.size
        ? recording.size
        : from;
    }
    latest.push({ from, head });
    if (latest.length > CHECKED_BLOCKS) latest.shift();
    from = end;
  }
  // A power failure can leave a hole of NUL bytes in the last writes.
  for (const block of latest) if (!(await isWhole(recording, block))) return block.from;
  return from;
}

async function isWhole(
  recording: Pick<UnfinishedRecording, 'read'>,
  { from, head }: { readonly from: number; readonly head: BlockHead },
): Promise<boolean> {
  const content = await recording.read(from + BLOCK_HEAD_BYTES, head.length);
  return content.length === head.length && crc32(content) === head.crc;
}

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

/** The recordings of a folder that a process completes at its start. By default, all of them. */
interface RecoveredFolder {
  /** Chooses among the sessions of the recordings. */
  readonly choose?: (sessionIds: readonly string[]) => Promise<readonly string[]>;
  /** True if other processes may be recording into the same folder. */
  readonly isShared?: boolean;
}

/**
 * Completes the recordings that an earlier process left. Run it once at startup, before any
 * recording starts.
 */
export async function recoverRecordings(
  recordings: Recordings,
  log: GatewayLog,
  { choose = async (ids) => ids, isShared = false }: RecoveredFolder = {},
): Promise<readonly Recovered[]> {
  const recovered: Recovered[] = [];
  const left = await recordings.unfinished({ isShared });
  const own = new Set(await choose(left.map(({ sessionId }) => sessionId)));
  for (const recording of left) {
    if (own.has(recording.sessionId)) recovered.push(await completeRecording(recording, log));
  }
  return recovered;
}

/** Completes a recording up to its last whole line or block. On failure its file stays. */
export async function completeRecording(
  recording: UnfinishedRecording,
  log: GatewayLog,
): Promise<Recovered> {
  const { sessionId, writtenAt: endedAt } = recording;
  try {
    return { sessionId, endedAt, ...(await complete(recording)) };
  } catch (error) {
    log.error({ session: sessionId, err: error }, 'an interrupted recording could not be finished');
    return { sessionId, endedAt, state: 'failed' };
  }
}

async function complete(
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
