import type { ScreenLine } from './screen-line.ts';

const MAX_TABS = 32;

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
  J: erase,
  K: erase,
  P: (line, { count, at }) => line.shift('remove', count, at),
  '@': (line, { count, at }) => line.shift('insert', count, at),
  X: (line, { count, at }) => line.shift('blank', count, at),
  s: (line) => line.save(),
  u: (line, { at }) => line.restore(at),
};
