import { EventStore, type RecordingEvent } from './event-store.ts';
import type { KeyFrame, Playable } from './playable.ts';

export type { RecordingEvent };

/** A terminal recording. It grows while it loads. */
export interface Recording extends Playable<string> {
  /** Users who typed, with the second from which they did; recorded only with guests. */
  readonly typists: readonly { readonly at: number; readonly name: string }[];
  /** Screens in the order of their events, for short seeks in a long recording. */
  readonly keyFrames: KeyFrame<string>[];
}

/** A recording that cannot be played, with the reason. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
  readonly reason: 'format' | 'empty' | 'too_large';

  constructor(reason: RecordingError['reason']) {
    super(reason);
    this.reason = reason;
  }
}

/** Maximum characters of a recording. Its times and lengths are in memory. */
export const RECORDING_LIMIT = 1024 * 1024 * 1024;

/** The marker written when another user starts to type. */
const TYPING = /^typing: (.{1,300})$/u;
const SIZE = /^(\d{1,4})x(\d{1,4})$/;
/** Milliseconds of reading after which the page gets a turn, to draw and to take input. */
const TURN_MS = 12;
/** The longest time that a busy page keeps the reading waiting. */
const MOST_REST_MS = 30;
/** The longest time at the first turn, in which the page draws its first picture. */
const FIRST_REST_MS = 300;

/** Resolves when the page has nothing to draw. Not all browsers tell. */
const pageRests = (timeout: number): Promise<void> =>
  new Promise((rests) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => rests(), { timeout });
    else setTimeout(rests);
  });

function bounded(value: unknown, usual: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1000
    ? value
    : usual;
}

/**
 * Reads an asciicast v2 recording line by line. A torn last line, as after a crash, ends the
 * recording without an error.
 */
export class RecordingReader {
  #rest = '';
  #recording: Recording | null = null;
  readonly #store = new EventStore();
  readonly #typists: { at: number; name: string }[] = [];
  #length = 0;
  #isComplete = false;

  /** The recording so far; null before its header. */
  get recording(): Recording | null {
    return this.#recording;
  }

  /** Takes the next chunk of the file. */
  push(text: string): void {
    this.#length += text.length;
    if (this.#length > RECORDING_LIMIT) throw new RecordingError('too_large');
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line.trim() === '') return;
    const value = parse(line);
    if (!this.#recording) {
      this.#recording = this.#begin(readHeader(value));
      return;
    }
    if (!Array.isArray(value)) return;
    const [time, code, data] = value as unknown[];
    if (typeof time !== 'number' || !Number.isFinite(time) || typeof data !== 'string') return;
    const name = code === 'm' ? TYPING.exec(data)?.[1] : undefined;
    if (name !== undefined) this.#typists.push({ at: time, name });
    const event = readEvent(code, data);
    if (!event) return;
    // Time never decreases, even if the clock of the recording machine jumped.
    this.#store.add(Math.max(time, this.#store.times.at(-1) ?? 0), event);
  }

  #begin(size: { readonly cols: number; readonly rows: number }): Recording {
    const { times, lengths, events } = this.#store;
    const keyFrames: KeyFrame<string>[] = [];
    const isComplete = () => this.#isComplete;
    return {
      ...size,
      times,
      lengths,
      events,
      read: (index) => this.#store.read(index),
      keyFrames,
      keyFrame: (until) => keyFrames.findLast(({ next }) => next <= until),
      typists: this.#typists,
      get duration() {
        return times.at(-1) ?? 0;
      },
      get isComplete() {
        return isComplete();
      },
    };
  }

  /** Returns the recording after the last chunk. */
  end(): Recording {
    if (this.#rest) this.#line(this.#rest);
    if (!this.#recording) throw new RecordingError(this.#length === 0 ? 'empty' : 'format');
    this.#isComplete = true;
    return this.#recording;
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function readHeader(value: unknown): { readonly cols: number; readonly rows: number } {
  if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== 2)
    throw new RecordingError('format');
  const { width, height } = value as { readonly width?: unknown; readonly height?: unknown };
  return { cols: bounded(width, 80), rows: bounded(height, 24) };
}

function readEvent(code: unknown, data: string): RecordingEvent | undefined {
  if (code === 'o') return { kind: 'output', text: data };
  if (code !== 'r') return undefined;
  const [, cols, rows] = SIZE.exec(data) ?? [];
  return cols && rows
    ? { kind: 'resize', cols: bounded(Number(cols), 80), rows: bounded(Number(rows), 24) }
    : undefined;
}

/**
 * Reads a recording while it downloads; `progress` receives the number of bytes and the recording
 * so far.
 */
export async function loadRecording(
  download: Promise<Response>,
  progress: (bytes: number, recording: Recording | null) => void,
): Promise<Recording> {
  const response = await download;
  if (!response.ok || !response.body) throw new RecordingError(response.ok ? 'empty' : 'format');
  const reader = new RecordingReader();
  const decoder = new TextDecoder();
  const stream = response.body.getReader();
  let turn = performance.now();
  let rest = FIRST_REST_MS;
  for (let bytes = 0; ; ) {
    const { done, value } = await stream.read();
    if (done) break;
    bytes += value.byteLength;
    reader.push(decoder.decode(value, { stream: true }));
    progress(bytes, reader.recording);
    // A fast network always has the next bytes ready: without a pause, nothing else runs.
    if (performance.now() - turn < TURN_MS) continue;
    await pageRests(rest);
    rest = MOST_REST_MS;
    turn = performance.now();
  }
  reader.push(decoder.decode());
  return reader.end();
}
