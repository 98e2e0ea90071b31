import {
  escapeMisleading,
  linesWithoutMisleading,
  withoutMisleading,
} from '../../contract/src/index.ts';

/** Characters that take two columns in a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

/** Replaces control characters: names come from others and must not command the terminal. */
export const plain = (text: string): string => withoutMisleading(text);

const widthOf = (text: string): number =>
  [...text].reduce((width, letter) => width + (WIDE.test(letter) ? 2 : 1), 0);

export const line = (text = ''): void =>
  void process.stdout.write(`${linesWithoutMisleading(text)}\n`);
/** Says something outside of the output that programs read. */
export const note = (text: string): void =>
  void process.stderr.write(`${linesWithoutMisleading(text)}\n`);

/** Prints JSON. Characters that a terminal obeys are escaped, so the value stays the same. */
export const printJson = (value: unknown): void =>
  line(escapeMisleading(JSON.stringify(value, undefined, 2)));

/** Prints rows below their titles, in columns. */
export function printTable(titles: readonly string[], rows: readonly (readonly string[])[]): void {
  const cells = [titles, ...rows].map((row) => row.map(plain));
  const widths = titles.map((_title, column) =>
    Math.max(...cells.map((row) => widthOf(row[column] ?? ''))),
  );
  for (const row of cells)
    line(
      row
        .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - widthOf(text)))
        .join('  ')
        .trimEnd(),
    );
}
