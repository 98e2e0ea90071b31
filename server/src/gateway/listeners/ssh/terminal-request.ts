import type { PseudoTtyInfo } from '@sallyport/ssh';
import { MAX_TERMINAL_CELLS, MAX_TERMINAL_SIDE, MIN_TERMINAL_SIDE } from '../../limits.ts';
import type { TerminalSize } from '../../protocols/connector.ts';

/** The terminal that a client requested. */
export interface Pty extends TerminalSize {
  readonly term: string;
  readonly modes: Readonly<Record<string, number>>;
}

const DEFAULT_SIZE: TerminalSize = { cols: 80, rows: 24 };
const TERM = /^[\w.+-]{1,64}$/;

/** Clamps the terminal size; defaults to 80×24. RFC 4254, section 6.2. */
export function sizeOf({ cols, rows }: TerminalSize): TerminalSize {
  if (!(cols > 0) || !(rows > 0)) return DEFAULT_SIZE;
  const within = (side: number) =>
    Math.min(Math.max(Math.trunc(side), MIN_TERMINAL_SIDE), MAX_TERMINAL_SIDE);
  const width = within(cols);
  return { cols: width, rows: Math.min(within(rows), Math.floor(MAX_TERMINAL_CELLS / width)) };
}

/** Parses a terminal request: type, size and modes. */
export function readPty({ term, cols, rows, modes }: PseudoTtyInfo): Pty {
  const kept = Object.entries(modes ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return {
    term: TERM.test(term) ? term : 'xterm-256color',
    modes: Object.fromEntries(kept),
    ...sizeOf({ cols, rows }),
  };
}
