import { COMMAND_VERDICTS, type CommandVerdict, type Language } from '@sallyport/contract';
import { DATABASE_TAIL, RECORDED_RESULT, RECORDED_ROWS, RECORDED_STATEMENT } from '../../limits.ts';

/** Size of the recording; database sessions have no terminal. */
export const DATABASE_SCREEN = { cols: 120, rows: 30 } as const;
const CLEAR = '\u001bc';
/** Maximum width of a drawn column. */
const MAX_WIDTH = 40;
const MAX_COLUMNS = 12;

/** The first rows of a result as text; null is SQL NULL. */
export interface ResultPreview {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: databases must not control the screens of watchers
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Replaces control characters in a text of a database or user. */
export const printable = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(CONTROLS, '·');

const cut = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max)}…` : text;
const cell = (value: string | null): string =>
  value === null
    ? 'NULL'
    : cut(printable(value).replaceAll('\n', '↵').replaceAll('\t', ' '), MAX_WIDTH);

/** Draws a statement after its prompt. */
export function drawStatement(prompt: string, statement: string): string {
  const lines = printable(cut(statement, RECORDED_STATEMENT)).split('\n');
  return `\u001b[36m${prompt}>\u001b[0m ${lines.join(`\n${' '.repeat(prompt.length)}  `)}\n`;
}

/** Draws a question about a statement, one comment per line. */
export const drawQuestion = (message: string): string =>
  printable(message)
    .split('\n')
    .map((line) => `\u001b[33m-- ${line}\u001b[0m\n`)
    .join('');

/** Draws the answer of the user to a question about a statement. */
export function drawVerdict(verdict: CommandVerdict, language: Language): string {
  const { label } = COMMAND_VERDICTS.find(({ value }) => value === verdict) ?? COMMAND_VERDICTS[0];
  return `\u001b[33m-- ${label[language]}\u001b[0m\n`;
}

/** Draws the first rows and columns of a result as a table of limited size. */
export function drawResult({ columns, rows }: ResultPreview): string {
  if (columns.length === 0) return '';
  const names = columns.slice(0, MAX_COLUMNS).map(cell);
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
  const more = columns.length > MAX_COLUMNS ? ' …' : '';
  const table = [`\u001b[1m${draw(names)}\u001b[0m${more}`, ...lines.map(draw)].join('\n');
  return `${table.slice(0, RECORDED_RESULT)}\n`;
}

/** Draws the end of a statement: row count and time, or the error. */
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
  if (error !== undefined || message !== undefined) {
    const reason = cut(printable(error ?? message ?? ''), RECORDED_RESULT);
    return `\u001b[31m${reason}\u001b[0m${took && ` (${took})`}\n`;
  }
  const count = rows === undefined ? '' : rows === 1 ? '1 row' : `${rows} rows`;
  return `\u001b[2m(${[count, took].filter(Boolean).join(', ') || 'ok'})\u001b[0m\n`;
}

/** Returns the first rows as plain text for the command log. */
export function resultText(preview: ResultPreview | undefined, max: number): string {
  if (!preview || preview.columns.length === 0) return '';
  const lines = [preview.columns, ...preview.rows.slice(0, RECORDED_ROWS)].map((line) =>
    line.slice(0, MAX_COLUMNS).map(cell).join('\t'),
  );
  return lines.join('\n').slice(0, max);
}

/** The recent output of a session, for new watchers. */
export class RecentOutput {
  private kept = '';

  add(text: string): void {
    this.kept += text;
    // Cutting copies the whole text, so more is kept than needed.
    if (this.kept.length > 2 * DATABASE_TAIL) this.kept = this.text;
  }

  /** The text on an empty screen. */
  get screen(): string {
    return CLEAR + this.text;
  }

  private get text(): string {
    return this.kept.slice(-DATABASE_TAIL);
  }
}
