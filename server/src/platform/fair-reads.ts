import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { getHeapStatistics } from 'node:v8';
import { countBuffers } from './collect-buffers.ts';

/**
 * Time budget of all connections per turn of the event loop. The chunk that exceeds it is the last
 * of the turn.
 */
const TURN_MS = 10;
/** Chunks up to this size never wait: keystrokes and their echo. */
const SMALL = 1024;
/**
 * Growth of buffer memory since the last full collection above which connections wait between turns
 * to let the garbage collector catch up.
 */
const MANY_BUFFERS = 96 * 1024 * 1024;
const COLLECT_MS = 20;

const waiting: (() => void)[] = [];
let spent = 0;
let isTurnCounted = false;
/** Bytes read in this turn. */
let read = 0;
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
  const deliver = () => {
    const pieces = held;
    held = [];
    if (!stream.destroyed) for (const { chunk, encoding } of pieces) push(chunk, encoding);
  };
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    read += sizeOf(chunk);
    const mayPass = held.length === 0 && (spent < TURN_MS || sizeOf(chunk) <= SMALL);
    if (mayPass) return measured(() => push(chunk, encoding));
    if (held.length === 0) waiting.push(deliver);
    held.push({ chunk, encoding });
    countTurn();
    return false;
  };
}

/** Resets the budget when the turn ends. */
function countTurn(): void {
  if (isTurnCounted) return;
  isTurnCounted = true;
  setImmediate(endTurn);
}

function endTurn(): void {
  countBuffers(read);
  read = 0;
  if (waiting.length > 0 && getHeapStatistics().external_memory - inUse > MANY_BUFFERS)
    setTimeout(beginTurn, COLLECT_MS);
  else beginTurn();
}

function beginTurn(): void {
  isTurnCounted = false;
  spent = 0;
  while (spent < TURN_MS) {
    const deliver = waiting.shift();
    if (!deliver) return;
    measured(deliver);
  }
}

function measured<Result>(work: () => Result): Result {
  countTurn();
  const began = performance.now();
  try {
    return work();
  } finally {
    spent += performance.now() - began;
  }
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
