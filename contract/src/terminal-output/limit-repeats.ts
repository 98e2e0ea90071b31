/**
 * Sequences with a repeat count: repeat, insert and delete lines, scroll, tabs. An unchecked count
 * can run for an hour.
 */
const REPEATING = { rows: ['L', 'M', 'S', 'T'], cols: ['b', 'I', 'Z'] } as const;

/** A terminal emulator of xterm.js. */
interface Repeating {
  readonly parser: {
    registerCsiHandler(
      id: { readonly final: string },
      handle: (numbers: readonly (number | number[])[]) => boolean,
    ): unknown;
  };
}

/** Makes a terminal drop repeat counts beyond `mostOf` its side. */
export function limitRepeats(terminal: Repeating, mostOf: (side: 'rows' | 'cols') => number): void {
  // A handler that returns true consumes the sequence.
  for (const side of ['rows', 'cols'] as const)
    for (const final of REPEATING[side])
      terminal.parser.registerCsiHandler({ final }, ([count]) => Number(count) > mostOf(side));
}
