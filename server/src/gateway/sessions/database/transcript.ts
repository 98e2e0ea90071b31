import { RECORDED_RESULT, RECORDED_ROWS, RECORDED_STATEMENT } from '../../limits.ts';

/** How wide a column of a result is drawn at most. */
const WIDEST = 40;
/** Columns of a result that are drawn. */
const MOST_COLUMNS = 12;

/** The beginning of a result, as text. Null is a value that the database does not have. */
export interface ResultPreview {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a database must not draw on the screen of those who watch
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A text of a database or a person that is safe to draw. */
export const shown = (text: string): string => text.replace(/\r\n?/g, '\n').replace(CONTROLS, '·');

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
const cell = (value: string | null): string =>
  value === null ? 'NULL' : cut(shown(value).replaceAll('\n', '↵').replaceAll('\t', ' '), WIDEST);

/** What a statement looks like behind its prompt. */
export function drawStatement(prompt: string, statement: string): string {
  const lines = shown(cut(statement, RECORDED_STATEMENT)).split('\n');
  return `\u001b[36m${prompt}>\u001b[0m ${lines.join(`\n${' '.repeat(prompt.length)}  `)}\n`;
}

/** A result as a small table: its first rows and columns. Its length is bounded whatever the database answers. */
export function drawResult({ columns, rows }: ResultPreview): string {
  if (columns.length === 0) return '';
  const names = columns.slice(0, MOST_COLUMNS).map(cell);
  const lines = rows
    .slice(0, RECORDED_ROWS)
    .map((row) => names.map((_name, at) => cell(row[at] ?? null)));
  const widths = names.map((name, at) =>
    Math.max(name.length, ...lines.map((line) => line[at]?.length ?? 0)),
  );
  const draw = (line: readonly string[]) =>
    line
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join(' │ ')
      .trimEnd();
  const more = columns.length > MOST_COLUMNS ? ' …' : '';
  const table = [`\u001b[1m${draw(names)}\u001b[0m${more}`, ...lines.map(draw)].join('\n');
  return `${table.slice(0, RECORDED_RESULT)}\n`;
}

/** How a statement ended. */
export function drawEnd({
  rows,
  milliseconds,
  error,
  message,
}: {
  readonly rows?: number | undefined;
  readonly milliseconds?: number | undefined;
  readonly error?: string | undefined;
  readonly message?: string | undefined;
}): string {
  const took = milliseconds === undefined ? '' : `${Math.round(milliseconds)} ms`;
  if (error !== undefined || message !== undefined)
    return `\u001b[31m${cut(shown(error ?? message ?? ''), RECORDED_RESULT)}\u001b[0m${took && ` (${took})`}\n`;
  const count = rows === undefined ? '' : rows === 1 ? '1 row' : `${rows} rows`;
  return `\u001b[2m(${[count, took].filter(Boolean).join(', ') || 'ok'})\u001b[0m\n`;
}

/** The same without colors, for the log of commands. */
export function resultText(preview: ResultPreview | undefined, most: number): string {
  if (!preview || preview.columns.length === 0) return '';
  const lines = [preview.columns, ...preview.rows.slice(0, RECORDED_ROWS)].map((line) =>
    line.slice(0, MOST_COLUMNS).map(cell).join('\t'),
  );
  return lines.join('\n').slice(0, most);
}
