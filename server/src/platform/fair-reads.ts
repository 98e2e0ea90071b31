import type { Readable } from 'node:stream';
import { getHeapStatistics } from 'node:v8';
import { countBuffers } from './collect-buffers.ts';

/** What connections may do with their pieces in one turn of the event loop; the piece that goes beyond it is the last. */
const TURN_MS = 10;
/** A piece this small never waits: keys, and what a server shows for them. */
const SMALL = 1024;
/** Memory of buffers, in use or not collected yet, above which connections wait between their turns, so that the collector can catch up. */
const MANY_BUFFERS = 96 * 1024 * 1024;
const COLLECT_MS = 20;

const waiting: (() => void)[] = [];
let spent = 0;
let isTurnCounted = false;
/** Bytes of this turn. */
let read = 0;

/**
 * Lets a connection have a share of each turn of the event loop only. One read of a socket may hold thousands of tiny packets, and Node reads
 * thirty times before it looks after anything else; many such connections would stop all others for seconds. What is beyond the share is not
 * read from the socket, so the other end has to wait as well.
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

/** What is spent is forgotten when the turn is over. */
function countTurn(): void {
  if (isTurnCounted) return;
  isTurnCounted = true;
  setImmediate(endTurn);
}

function endTurn(): void {
  countBuffers(read);
  read = 0;
  if (waiting.length > 0 && getHeapStatistics().external_memory > MANY_BUFFERS)
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

function sizeOf(chunk: unknown): number {
  return chunk instanceof Uint8Array ? chunk.length : 0;
}
