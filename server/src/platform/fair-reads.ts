import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Rest, sessionTurns } from './fair-turns.ts';

/** Bytes read between two checks of the memory. */
const LOOK_AFTER = 1024 * 1024;
/** Growth of buffer memory that triggers a collection: a fraction of V8's own threshold. */
const COLLECT_AFTER = 8 * 1024 * 1024;

/** Time in milliseconds in which `LOOK_AFTER` bytes arrive during a flood. */
const FLOOD_MS = 500;
/** Growth of the heap between full collections, in percent: as the server starts, and in floods. */
const [ORDINARY_GROWTH, FLOOD_GROWTH] = [100, 30] as const;

/** Growth of buffer memory after which V8 marks the heap. */
const BEGIN_MARKING = 64 * 1024 * 1024;

type Collect = (options: { type: 'minor' }) => void;

let collect: Collect | undefined;
let bytesRead = 0;
/** Minimum buffer memory since the last collection. */
let least = Number.POSITIVE_INFINITY;

/** V8 exposes `gc` only to contexts created after the flag, so no other code gets it. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return gc;
}

/**
 * Counts bytes read by streams and collects short-lived buffers with a minor collection (about 1
 * ms). V8 alone triggers minor collections by allocated objects, of which bulk data creates few. It
 * then collects the whole heap every 64 MiB of buffers, which takes a third of the time of a
 * download.
 */
function countBuffers(bytes: number): void {
  bytesRead += bytes;
  if (bytesRead < LOOK_AFTER) return;
  bytesRead = 0;
  noteFlood();
  const now = getHeapStatistics().external_memory;
  least = Math.min(least, now);
  if (now - least < COLLECT_AFTER) return;
  collect ??= collector();
  collect({ type: 'minor' });
  least = getHeapStatistics().external_memory;
}

let floodEnd: NodeJS.Timeout | undefined;
let lookedAt = 0;

/**
 * Makes V8 collect the heap earlier while sessions read much, until they have read little for ten
 * times `FLOOD_MS`. The garbage of floods would otherwise grow to the size of all sessions.
 */
function noteFlood(): void {
  const now = performance.now();
  const isFlood = now - lookedAt < FLOOD_MS;
  lookedAt = now;
  if (!isFlood) return;
  if (floodEnd) {
    floodEnd.refresh();
    return;
  }
  growBy(FLOOD_GROWTH);
  // Never used, so it takes no memory: its size makes V8 begin to mark the heap, in small steps.
  Buffer.allocUnsafeSlow(BEGIN_MARKING);
  floodEnd = setTimeout(() => {
    floodEnd = undefined;
    growBy(ORDINARY_GROWTH);
  }, 10 * FLOOD_MS).unref();
}

const growBy = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`);

/** Chunks up to this size never wait: keystrokes and their echo. */
const SMALL = 1024;
/**
 * Growth of buffer memory since the last full collection above which connections wait between turns
 * to let the garbage collector catch up.
 */
const MANY_BUFFERS = 96 * 1024 * 1024;
const COLLECT_MS = 20;

/** Bytes read in this turn. */
let read = 0;
const turns = sessionTurns.lane({ onTurn: beginTurn });
/** Buffer memory after the last full collection: that of open sessions, which no wait releases. */
let inUse = 0;

new PerformanceObserver((list) => {
  if (list.getEntries().some(isFullCollection)) inUse = getHeapStatistics().external_memory;
}).observe({ entryTypes: ['gc'] });

/**
 * Limits the share of a connection in each turn of the event loop. A socket read may hold thousands
 * of tiny packets, and Node performs up to thirty reads before other events. Many such connections
 * would block others for seconds. Beyond its share, a socket is not read, so the peer has to wait
 * (back pressure).
 */
export function readFairly(stream: Readable): void {
  const push = stream.push.bind(stream);
  let held: { readonly chunk: unknown; readonly encoding: BufferEncoding | undefined }[] = [];
  const rest = new Rest();
  const deliver = () => {
    rest.interrupt(turns.now());
    const pieces = held;
    held = [];
    if (!stream.destroyed) for (const { chunk, encoding } of pieces) push(chunk, encoding);
  };
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    read += sizeOf(chunk);
    if (held.length === 0) {
      const isUrgent = rest.interrupt(turns.now());
      if (sizeOf(chunk) <= SMALL || turns.isFree) return turns.measure(() => push(chunk, encoding));
      turns.request(deliver, isUrgent);
    }
    // The socket may read into the memory of this chunk again.
    held.push({ chunk: chunk instanceof Uint8Array ? Buffer.from(chunk) : chunk, encoding });
    return false;
  };
}

/** Collects garbage between turns. Returns the delay of waiting reads, in milliseconds. */
function beginTurn(isWaiting: boolean): number {
  countBuffers(read);
  read = 0;
  return isWaiting && getHeapStatistics().external_memory - inUse > MANY_BUFFERS ? COLLECT_MS : 0;
}

function isFullCollection(entry: PerformanceEntry): boolean {
  return (
    (entry as PerformanceEntry & { detail?: { kind?: number } }).detail?.kind ===
    constants.NODE_PERFORMANCE_GC_MAJOR
  );
}

function sizeOf(chunk: unknown): number {
  return chunk instanceof Uint8Array ? chunk.length : 0;
}
