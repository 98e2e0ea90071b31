import { linesOf } from '../../platform/text-lines.ts';
import { Emulator } from '../sessions/terminal/commands/emulator.ts';
import { textOfRows } from '../sessions/terminal/commands/screen-lines.ts';

/** A line, or a window title, with the millisecond at which it was first visible. */
export interface ScreenLine {
  readonly at: number;
  readonly text: string;
}

export interface ScreenText {
  readonly lines: readonly ScreenLine[];
  /** False if a limit cut the text off. */
  readonly isWhole: boolean;
}

/** Limits of one recording: characters of output, screens that are read, and text that is kept. */
export const SCREEN_LIMITS = {
  output: 16 * 1024 * 1024,
  samples: 50_000,
  lines: 20_000,
  text: 2 * 1024 * 1024,
} as const;

/**
 * A screen is read after this many seconds with output: a line that is visible for a second is on
 * one of them.
 */
const SAMPLE_SECONDS = 0.5;
/** Output between two readings. Lines that it scrolls away stay in the memory of the emulator. */
const PIECE = 16 * 1024;
const MAX_LINE = 1_000;
const LEAST_LINE = 2;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that sets a window title
const TITLE = /\u001b\][02];([^\u0007\u001b]{1,300})(?:\u0007|\u001b\\)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL stores no NUL
const NUL = /\u0000/g;

/** Collects the distinct lines of the screens. */
class Lines {
  readonly #lines: (ScreenLine | undefined)[] = [];
  readonly #places = new Map<string, number>();
  /** The line that a row showed last, by row. */
  readonly #rows = new Map<number, string>();
  #chars = 0;
  isFull = false;

  /** Adds the text of a row. A row that grows, as while a user types, is one line. */
  add(at: number, text: string, row?: number): void {
    const line = text.replace(NUL, '').trim().slice(0, MAX_LINE).toWellFormed();
    if (line.length < LEAST_LINE || this.isFull) return;
    const before = row === undefined ? undefined : this.#rows.get(row);
    if (row !== undefined) this.#rows.set(row, line);
    const place = before !== undefined && line.startsWith(before) && this.#places.get(before);
    if (this.#places.has(line)) {
      if (typeof place === 'number' && before !== line) this.#drop(before ?? '', place);
      return;
    }
    const first = typeof place === 'number' ? this.#lines[place]?.at : undefined;
    if (typeof place === 'number') this.#drop(before ?? '', place);
    this.#keep(typeof place === 'number' ? place : this.#lines.length, {
      at: first ?? at,
      text: line,
    });
  }

  #drop(text: string, place: number): void {
    this.#lines[place] = undefined;
    this.#places.delete(text);
    this.#chars -= text.length;
  }

  #keep(place: number, line: ScreenLine): void {
    this.#lines[place] = line;
    this.#places.set(line.text, place);
    this.#chars += line.text.length;
    this.isFull = this.#places.size >= SCREEN_LIMITS.lines || this.#chars >= SCREEN_LIMITS.text;
  }

  all(): readonly ScreenLine[] {
    return this.#lines.filter((line) => line !== undefined);
  }
}

/** Renders the output of a recording in pieces, between the work of live sessions. */
class Screens {
  readonly lines = new Lines();
  readonly #emulator: Emulator;
  #pending = '';
  #since = 0;
  #samples = 0;
  #output = 0;

  constructor(cols: number, rows: number) {
    this.#emulator = new Emulator(cols, rows, () => undefined);
  }

  get isFull(): boolean {
    const { output, samples } = SCREEN_LIMITS;
    return this.lines.isFull || this.#output >= output || this.#samples >= samples;
  }

  /** Takes output of a second of the recording. */
  async output(second: number, text: string): Promise<void> {
    if (second - this.#since >= SAMPLE_SECONDS) {
      await this.sample();
      this.#since = second;
    }
    this.#output += text.length;
    for (let from = 0; from < text.length; from += PIECE) {
      this.#pending += text.slice(from, from + PIECE);
      if (this.#pending.length >= PIECE) await this.sample();
    }
  }

  async resize(cols: number, rows: number): Promise<void> {
    await this.sample();
    this.#emulator.resize(cols, rows);
  }

  /** Draws the waiting output and reads the screen. */
  async sample(): Promise<void> {
    const output = this.#pending;
    if (output === '') return;
    this.#pending = '';
    this.#samples += 1;
    const at = Math.round(this.#since * 1_000);
    for (const [, title = ''] of output.matchAll(TITLE)) this.lines.add(at, title);
    await new Promise<void>((resolve) => this.#emulator.write(output, resolve));
    const buffer = this.#emulator.terminal.buffer.active;
    const scrolled = output.split('\n').length;
    const first = Math.max(0, buffer.baseY - scrolled);
    const last = buffer.baseY + this.#emulator.terminal.rows - 1;
    const rows = textOfRows(buffer, first, last, 'wrapped').split('\n');
    for (const [index, text] of rows.entries()) this.lines.add(at, text, first + index);
    this.#emulator.refresh(false);
  }

  dispose(): void {
    this.#emulator.dispose();
  }
}

const isSize = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1_000;

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Adds an event of the recording. */
async function addEvent(screens: Screens, event: unknown): Promise<void> {
  if (!Array.isArray(event)) return;
  const [second, code, data] = event as unknown[];
  if (typeof second !== 'number' || typeof data !== 'string') return;
  if (code === 'o') await screens.output(second, data);
  const [, cols, rows] = (code === 'r' && /^(\d{1,4})x(\d{1,4})$/.exec(data)) || [];
  if (isSize(Number(cols)) && isSize(Number(rows)))
    await screens.resize(Number(cols), Number(rows));
}

/**
 * Returns the text that a recording (asciicast v2) showed for a second or longer, each line once.
 * Text that scrolls by faster is included as far as the emulator remembers it.
 */
export async function screenTextOf(
  recording: AsyncIterable<string>,
  signal?: AbortSignal,
): Promise<ScreenText> {
  let screens: Screens | undefined;
  try {
    for await (const line of linesOf(recording)) {
      signal?.throwIfAborted();
      const value = parse(line);
      if (screens) await addEvent(screens, value);
      else {
        const { width, height } = (value ?? {}) as { width?: unknown; height?: unknown };
        screens = new Screens(isSize(width) ? width : 80, isSize(height) ? height : 24);
      }
      if (screens.isFull) return { lines: screens.lines.all(), isWhole: false };
    }
    await screens?.sample();
    return { lines: screens?.lines.all() ?? [], isWhole: true };
  } finally {
    screens?.dispose();
  }
}
