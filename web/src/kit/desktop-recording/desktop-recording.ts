import {
  BLOCK_HEAD_BYTES,
  BLOCK_MARK,
  type DesktopFacts,
  MAX_DESKTOP_SIDE,
  RECORD,
  RECORDING_FORMAT,
  type RecordedKey,
  readBlockHead,
  readKey,
  readRecords,
} from '@sallyport/contract';
import type { Playable } from '../recording/playable.ts';
import { RecordingError } from '../recording/recording.ts';
import { type Effect, effectOf } from './effects.ts';
import { neededPieces, piecesAcross, piecesBetween } from './needed-pieces.ts';
import type { PicturePart } from './recorded-picture.ts';

/** Cache size in bytes for opened blocks: seeking back often needs recent ones. */
const OPENED_MOST = 64 * 1024 * 1024;

/** Opens blocks of a recording, with an LRU cache. */
export class OpenedBlocks {
  readonly #open: (block: number) => Promise<Uint8Array<ArrayBuffer>>;
  /** In the order of last use. */
  readonly #opened = new Map<number, Uint8Array<ArrayBuffer>>();
  #bytes = 0;

  constructor(open: (block: number) => Promise<Uint8Array<ArrayBuffer>>) {
    this.#open = open;
  }

  /** Opens all given blocks in parallel. @throws RecordingError for a damaged block */
  async open(wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, Uint8Array<ArrayBuffer>>> {
    const blocks = new Map(
      await Promise.all(
        [...wanted].map(
          async (block) => [block, this.#opened.get(block) ?? (await this.#open(block))] as const,
        ),
      ),
    );
    for (const [block, bytes] of blocks) {
      // Another call may have opened the same block concurrently.
      const before = this.#opened.get(block);
      if (before) this.#bytes -= before.length;
      this.#opened.delete(block);
      this.#opened.set(block, bytes);
      this.#bytes += bytes.length;
    }
    for (const [block, bytes] of this.#opened) {
      if (this.#bytes <= OPENED_MOST) break;
      this.#opened.delete(block);
      this.#bytes -= bytes.length;
    }
    return blocks;
  }
}

/** Maximum file size in bytes: a browser tab may run out of memory beyond it. */
const FILE_LIMIT = 1024 * 1024 * 1024;

/** A record of a desktop recording, opened when it is played. */
export interface DesktopPiece {
  readonly kind: number;
  readonly length: number;
  /** The block that contains the record, and its byte range in the opened block. */
  readonly block: number;
  readonly from: number;
  /** The effect on the picture of the message that starts here. */
  readonly effect?: Effect | undefined;
}

/** A desktop recording: its blocks as stored, and an index of their content. */
export interface DesktopRecording extends Playable<DesktopPiece> {
  readonly facts: DesktopFacts;
  /** Pressed and released keys with their time in seconds; undefined if not recorded. */
  readonly keys: readonly (RecordedKey & { readonly at: number })[] | undefined;
  /** Opened blocks, shared by all players. */
  readonly opened: OpenedBlocks;
  readonly shortcut: (until: number) => readonly number[];
  readonly across: (from: number, until: number) => readonly number[] | undefined;
  readonly between: (from: number, until: number) => readonly number[];
}

async function inflate(
  content: Uint8Array<ArrayBuffer>,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const stream = new Blob([content]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const plain = new Uint8Array(await new Response(stream).arrayBuffer());
    if (plain.length === length) return plain;
  } catch {
    // Damaged; reported below.
  }
  throw new RecordingError('format');
}

async function download(
  address: string,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(address, { credentials: 'same-origin', signal });
  if (!response.ok || !response.body) throw new RecordingError(response.ok ? 'empty' : 'format');
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body.getReader();
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > FILE_LIMIT) throw new RecordingError('too_large');
    parts.push(value);
    progress(bytes);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function isFacts(value: unknown): value is DesktopFacts & { readonly type: string } {
  if (typeof value !== 'object' || value === null || !('type' in value) || value.type !== 'start')
    return false;
  const { width, height, name } = value as Readonly<Record<string, unknown>>;
  const isSide = (side: unknown) =>
    typeof side === 'number' && Number.isInteger(side) && side > 0 && side <= MAX_DESKTOP_SIDE;
  return isSide(width) && isSide(height) && typeof name === 'string';
}

/**
 * Downloads and indexes a desktop recording. A torn end, as after a crash, ends the recording
 * without an error.
 */
export async function loadDesktopRecording(
  address: string,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<DesktopRecording> {
  const file = await download(address, signal, progress);
  const decoder = new TextDecoder();
  const headerEnd = file.indexOf(0x0a);
  if (headerEnd < 0 || !decoder.decode(file.subarray(0, headerEnd)).includes(RECORDING_FORMAT))
    throw new RecordingError('format');
  const blocks: { readonly content: Uint8Array<ArrayBuffer>; readonly length: number }[] = [];
  const times: number[] = [];
  const events: DesktopRecording['events'][number][] = [];
  const pieces: DesktopPiece[] = [];
  let facts: DesktopFacts | null = null;
  const keys: (RecordedKey & { readonly at: number })[] = [];
  let hasKeys = false;
  let isWhole = true;
  for (let at = headerEnd + 1; ; ) {
    const head = readBlockHead(file.subarray(at, at + BLOCK_HEAD_BYTES));
    const from = at + BLOCK_HEAD_BYTES;
    if (head?.mark !== BLOCK_MARK || from + head.length > file.length) break;
    at = from + head.length;
    const content = file.subarray(from, at);
    const plain = await inflate(content, head.plainLength);
    signal.throwIfAborted();
    for (const { kind, at: time, bytes } of readRecords(plain)) {
      if (kind === RECORD.note) {
        const note: unknown = JSON.parse(decoder.decode(bytes));
        if (isFacts(note)) hasKeys = 'keys' in note && note.keys === true;
        if (isFacts(note))
          facts = {
            protocol: note.protocol,
            width: note.width,
            height: note.height,
            name: note.name,
          };
      }
      // Notes count as events, so a session that ends idle keeps its full length.
      times.push(Math.max(time / 1000, times.at(-1) ?? 0));
      const key = kind === RECORD.key ? readKey(bytes) : undefined;
      if (key) keys.push({ ...key, at: times.at(-1) ?? 0 });
      const isPicture = kind === RECORD.picture || kind === RECORD.part;
      const effect = isPicture && isWhole ? effectOf(facts?.protocol ?? 'vnc', bytes) : undefined;
      if (isPicture) isWhole = kind === RECORD.picture;
      const piece = {
        kind,
        length: bytes.length,
        block: blocks.length,
        from: bytes.byteOffset,
        ...(effect && { effect }),
      };
      pieces.push(piece);
      events.push({ kind: 'output', text: piece });
    }
    blocks.push({ content, length: head.plainLength });
  }
  if (!facts) throw new RecordingError('empty');
  const open = (index: number) => {
    const block = blocks[index];
    return block
      ? inflate(block.content, block.length)
      : Promise.reject(new RecordingError('format'));
  };
  const begun = facts;
  const shortcut = (until: number) => neededPieces(pieces, until, begun);
  const across = (from: number, until: number) => piecesAcross(pieces, from, until, begun);
  const between = (from: number, until: number) => piecesBetween(pieces, from, until);
  const opened = new OpenedBlocks(open);
  return {
    facts,
    keys: hasKeys ? keys : undefined,
    cols: facts.width,
    rows: facts.height,
    times,
    events,
    lengths: events.map((event) => (event?.kind === 'output' ? event.text.length : 0)),
    isComplete: true,
    duration: times.at(-1) ?? 0,
    opened,
    shortcut,
    across,
    between,
  };
}

/** Returns the picture parts of pieces, and the last pointer position if the pointer moved. */
export async function partsOf(
  pieces: readonly DesktopPiece[],
  opened: OpenedBlocks,
): Promise<{ readonly parts: readonly PicturePart[]; readonly pointer?: Uint8Array }> {
  const blocks = await opened.open(new Set(pieces.map(({ block }) => block)));
  const parts: PicturePart[] = [];
  let pointer: Uint8Array | undefined;
  for (const { kind, block, from, length } of pieces) {
    const bytes = blocks.get(block)?.subarray(from, from + length);
    if (!bytes) continue;
    if (kind === RECORD.pointer && length >= 4) pointer = bytes;
    else if (kind === RECORD.picture || kind === RECORD.part)
      parts.push({ bytes, isWhole: kind === RECORD.picture });
  }
  return { parts, ...(pointer && { pointer }) };
}
