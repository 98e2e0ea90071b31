import type { TerminalSize } from '../../../gateway/protocols/connector.ts';
import { LineTooLong, linesOf } from '../../../platform/text-lines.ts';

/** A moment of a recorded terminal, in milliseconds since its beginning. */
export type ReplayEvent =
  | { readonly at: number; readonly output: string }
  | { readonly at: number; readonly size: TerminalSize };

/** A recording that is no terminal, or that does not have the format of its beginning. */
export class UnreadableReplay extends Error {
  override readonly name = 'UnreadableReplay';
}

const DAMAGED = 'is damaged';
/** Characters of the longest line or text; those of the product have at most 32 KiB of output. */
const MOST_TEXT = 1024 * 1024;

const OBJECT_OF_TIMES = /^\s*\{\s*(?:"[\d.]|\}|$)/;
const CAST_HEADER = /^\s*\{[^\n]{0,4000}?"version"\s*:\s*2\b/;

/**
 * Reads the events of a recording: asciicast version 2, or the object of times and texts that
 * JumpServer wrote before. @throws UnreadableReplay
 */
export async function* replayEvents(text: AsyncIterable<string>): AsyncGenerator<ReplayEvent> {
  const pieces = text[Symbol.asyncIterator]();
  try {
    const first = await pieces.next();
    const beginning = first.done === true ? '' : first.value;
    const whole = (async function* () {
      yield beginning;
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next())
        yield next.value;
    })();
    if (CAST_HEADER.test(beginning)) yield* castEvents(whole);
    else if (OBJECT_OF_TIMES.test(beginning)) yield* timedTexts(whole);
    else throw new UnreadableReplay('has no terminal');
  } finally {
    // Closes the file, also when the rest of it is not wanted.
    await pieces.return?.();
  }
}

async function* castEvents(pieces: AsyncIterable<string>): AsyncGenerator<ReplayEvent> {
  let isHeader = true;
  let isBroken = false;
  try {
    for await (const line of linesOf(pieces, MOST_TEXT)) {
      if (line.trim() === '') continue;
      if (isBroken) throw new UnreadableReplay(DAMAGED);
      const value = parsed(line);
      // The last line of a crashed recorder may lack its end.
      isBroken = value === undefined;
      if (isBroken) continue;
      const event = isHeader ? sizeIn(value) : castEvent(value);
      isHeader = false;
      if (event) yield event;
    }
  } catch (error) {
    throw error instanceof LineTooLong ? new UnreadableReplay(DAMAGED) : error;
  }
}

function sizeIn(header: unknown): ReplayEvent {
  const { width, height } = header as { readonly width?: unknown; readonly height?: unknown };
  return { at: 0, size: sizeOf(Number(width), Number(height)) };
}

function castEvent(value: unknown): ReplayEvent | undefined {
  const [seconds, code, data] = Array.isArray(value) ? value : [];
  if (typeof data !== 'string') throw new UnreadableReplay(DAMAGED);
  const at = millisecondsOf(seconds);
  if (code === 'o') return { at, output: data };
  const [, cols, rows] = /^(\d{1,5})x(\d{1,5})$/.exec(data) ?? [];
  // Input and markers of other programs are not shown.
  return code === 'r' ? { at, size: sizeOf(Number(cols), Number(rows)) } : undefined;
}

/** Reads `{"0.5":"text","1.25":"more"}` in pieces; keys are seconds. */
async function* timedTexts(pieces: AsyncIterable<string>): AsyncGenerator<ReplayEvent> {
  let at: number | undefined;
  for await (const text of stringsOf(pieces)) {
    if (at === undefined) at = millisecondsOf(Number(text));
    else {
      if (text !== '') yield { at, output: text };
      at = undefined;
    }
  }
}

/** Returns the JSON strings of a text, which may be one long line. */
async function* stringsOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    rest += piece;
    let begin = rest.indexOf('"');
    while (begin >= 0) {
      // Sticky: a search for another beginning would read the rest once for each quote in it.
      STRING.lastIndex = begin;
      const [found] = STRING.exec(rest) ?? [];
      if (found === undefined) break;
      yield stringIn(found);
      rest = rest.slice(begin + found.length);
      begin = rest.indexOf('"');
    }
    if (rest.length > MOST_TEXT) throw new UnreadableReplay(DAMAGED);
  }
}

function stringIn(text: string): string {
  const value = parsed(text);
  if (typeof value !== 'string') throw new UnreadableReplay(DAMAGED);
  return value;
}

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function millisecondsOf(seconds: unknown): number {
  const at = Number(seconds) * 1000;
  if (!Number.isFinite(at)) throw new UnreadableReplay(DAMAGED);
  return Math.max(0, at);
}

function sizeOf(cols: number, rows: number): TerminalSize {
  const within = (count: number) => Number.isInteger(count) && count > 0 && count <= 1000;
  if (!within(cols) || !within(rows)) throw new UnreadableReplay(DAMAGED);
  return { cols, rows };
}
