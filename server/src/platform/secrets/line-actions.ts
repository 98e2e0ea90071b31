import type { ScreenLine } from './screen-line.ts';

const MAX_TABS = 32;
const INSERT = 4;

interface Parameters {
  readonly first: number;
  readonly second: number;
  /** The first one, at least 1. */
  readonly count: number;
  readonly at: number;
}
type Action = (line: ScreenLine, parameters: Parameters) => void;

const forward: Action = (line, { count }) => line.move(count);
const toColumn: Action = (line, { count }) => line.moveToColumn(count - 1);
const toPlace: Action = (line, { count, second, at }) =>
  line.jump(count, Math.max(1, second) - 1, at);
const up: Action = (line, { count, at }) => line.jumpRow(-count, at);
const down: Action = (line, { count, at }) => line.jumpRow(count, at);
const erase: Action = (line, { first, at }) => line.erase(first > 0, at);
/** Changes of the line by control sequences, by the last byte of the sequence. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  C: forward,
  a: forward,
  D: (line, { count }) => line.move(-count),
  G: toColumn,
  '`': toColumn,
  H: toPlace,
  f: toPlace,
  A: up,
  B: down,
  d: (line, { count, at }) => line.jump(count, line.columnInRow, at),
  e: down,
  E: (line, { count, at }) => line.jumpRow(count, at, 0),
  F: (line, { count, at }) => line.jumpRow(-count, at, 0),
  I: (line, { count, at }) => {
    for (let tab = Math.min(count, MAX_TABS); tab > 0; tab--) line.tab(at);
  },
  // The mode in which printed text moves the text after it.
  h: (line, { first }) => {
    if (first === INSERT) line.isInserting = true;
  },
  l: (line, { first }) => {
    if (first === INSERT) line.isInserting = false;
  },
  J: erase,
  K: erase,
  P: (line, { count, at }) => line.shift('remove', count, at),
  '@': (line, { count, at }) => line.shift('insert', count, at),
  X: (line, { count, at }) => line.shift('blank', count, at),
  s: (line) => line.save(),
  u: (line, { at }) => line.restore(at),
};

/** Modes that save and restore the place of the cursor. */
const SAVING: ReadonlySet<number> = new Set([1048, 1049]);
const [SET, RESET] = [0x68, 0x6c] as const;

/** Switches a private mode by the last byte of its sequence. */
export function switchMode(line: ScreenLine, mode: number, final: number, at: number): void {
  if (!SAVING.has(mode)) return;
  if (final === SET) line.save();
  else if (final === RESET) line.restore(at);
}
