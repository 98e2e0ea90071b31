import { limitRepeats } from '@sallyport/contract';
import type xterm from '@xterm/headless';
import { EMULATOR_PIECE } from '../../../limits.ts';

/** Operating system commands of the library: titles, colors, links. */
const COMMANDS = [0, 1, 2, 4, 8, 10, 11, 12, 104, 110, 111, 112] as const;

/** Cells worked on between two clock reads, if each control sequence touches all of the screen. */
const CELLS_AT_ONCE = 100_000;
const MIN_SEQUENCES = 4;
const ESCAPE = 0x1b;
/** First byte of a C1 control in UTF-8. */
const C1_LEAD = 0xc2;

/** Parameters after 38 and 48, by the next one: a color of a table, or of three parts. */
const COLOR_PARTS: ReadonlyMap<unknown, number> = new Map([
  [5, 2],
  [2, 4],
]);

/** Returns true if the parameters only reset attributes, or set colors and their brightness. */
function areColors(parameters: readonly (number | number[])[]): boolean {
  for (let at = 0; at < parameters.length; at++) {
    const one = parameters[at];
    if (typeof one !== 'number') return false;
    const isColor = (one >= 30 && one <= 49) || (one >= 90 && one <= 107);
    if (!isColor && ![0, 1, 2, 22].includes(one)) return false;
    if (one === 38 || one === 48) at += COLOR_PARTS.get(parameters[at + 1]) ?? 0;
  }
  return true;
}

/** The members of private classes that are used here. */
interface Parser {
  clearOscHandler(command: number): void;
  clearDcsHandler(id: { intermediates: string; final: string }): void;
}

interface WriteBuffer {
  writeSync(data: Uint8Array | string): void;
}

/**
 * Makes a terminal drop what a hostile program could fill memory or time with: counts beyond the
 * screen, strings and attributes but colors. The library keeps up to 10 MB of each string, every
 * link of a row, and an object for each underlined cell.
 * @throws Error if an update of the library has changed its private fields
 */
export function limitTerminal(terminal: xterm.Terminal): void {
  limitRepeats(terminal, (side) => terminal[side]);
  terminal.parser.registerCsiHandler({ final: 'm' }, (parameters) => !areColors(parameters));
  const parser = field(field(coreOf(terminal), '_inputHandler'), '_parser');
  if (!isParser(parser)) throw changed();
  for (const command of COMMANDS) parser.clearOscHandler(command);
  parser.clearDcsHandler({ intermediates: '$', final: 'q' });
}

/**
 * Returns the next part of output to interpret: at most `EMULATOR_PIECE` bytes with few control
 * sequences, each whole. Their cost grows with the number of cells.
 */
export function partOf<Data extends Buffer | string>(data: Data, from: number, cells: number): Data;
export function partOf(data: Buffer | string, from: number, cells: number): Buffer | string {
  const most = Math.max(MIN_SEQUENCES, Math.floor(CELLS_AT_ONCE / cells));
  const isText = typeof data === 'string';
  let sequences = 0;
  let end = Math.min(data.length, from + EMULATOR_PIECE);
  for (let at = from; at < end; at++) {
    const code = isText ? data.charCodeAt(at) : (data[at] ?? 0);
    const isC1 = isText ? code >= 0x80 && code < 0xa0 : code === C1_LEAD;
    if ((code === ESCAPE || isC1) && ++sequences > most) end = at;
  }
  if (from === 0 && end === data.length) return data;
  return isText ? data.slice(from, end) : data.subarray(from, end);
}

/**
 * Interprets output synchronously. The public `write` sets a timer for each piece, and the
 * library's own synchronous function writes to its log, so this uses a private field.
 * @throws Error if an update of the library has changed the field
 */
export function writeAtOnce(terminal: xterm.Terminal, data: Uint8Array | string): void {
  const buffer = field(coreOf(terminal), '_writeBuffer');
  if (!isWriteBuffer(buffer)) throw changed();
  buffer.writeSync(data);
}

/** The error when an update of the library has changed its private fields. */
export const changed = () => new Error('@xterm/headless has changed inside');

/** Returns the private part of a terminal. */
export const coreOf = (terminal: xterm.Terminal): unknown => Reflect.get(terminal, '_core');

const isParser = (value: unknown): value is Parser =>
  has(value, 'clearOscHandler') &&
  typeof value.clearOscHandler === 'function' &&
  has(value, 'clearDcsHandler') &&
  typeof value.clearDcsHandler === 'function';

const isWriteBuffer = (value: unknown): value is WriteBuffer =>
  has(value, 'writeSync') && typeof value.writeSync === 'function';

const field = (value: unknown, name: string): unknown =>
  has(value, name) ? value[name] : undefined;

/** Returns true if a value is an object with these properties. */
export function has<Name extends string>(
  value: unknown,
  ...names: readonly Name[]
): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}
