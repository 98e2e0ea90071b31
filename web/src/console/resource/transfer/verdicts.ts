import { type Fields, fieldOfHeader, isComment } from '@sallyport/contract';
import type { FieldMessages } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** Line number of the first row below the header. */
const FIRST_LINE = 2;

export interface FileRow {
  /** Line number as in a spreadsheet: the header is line 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A row of a file with the result of its check. */
export interface Verdict extends FileRow {
  /** `line N. field: message`, one per field; empty for a good row. */
  readonly problems: readonly string[];
  /** Fields with problems. */
  readonly fields: readonly string[];
  /** True if the user edited a cell after the check. */
  readonly changed?: boolean;
}

/** A parsed file, without the column of problems from an earlier download. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly FileRow[];
}

const WHOLE_ROW = 'non_field_errors';

/** Returns true for a row that is blank or only explains the columns; such rows are skipped. */
export const isBlank = ({ cells, line }: FileRow) =>
  isComment(cells, line - FIRST_LINE) || cells.every((cell) => cell.trim() === '');

/** Splits records into header and rows, without the column of problems from an earlier download. */
export function tableOf(
  records: readonly (readonly string[])[],
): Table & { readonly hadProblems: boolean } {
  const [header = [], ...rows] = records;
  const { zh, en } = words.problemColumn;
  const problems = header.findIndex((cell) => cell.trim() === zh || cell.trim() === en);
  const without = (cells: readonly string[]) =>
    problems < 0 ? cells : cells.filter((_, at) => at !== problems);
  return {
    header: without(header),
    rows: rows.map((cells, at) => ({ line: at + FIRST_LINE, cells: without(cells) })),
    hadProblems: problems >= 0,
  };
}

/** Returns the problems of one row as sentences (conformance 8.14). */
export function problemsOfLine(
  line: number,
  messages: FieldMessages,
  labelOf: (field: string) => string,
): string[] {
  return entriesOf(messages).map(([field, sentences]) => {
    const message = sentences.join('; ');
    return field === WHOLE_ROW
      ? t(words.lineMessage, { line, message })
      : t(words.lineProblem, { line, field: labelOf(field), message });
  });
}

const entriesOf = (messages: FieldMessages) =>
  Object.entries(messages).filter(([, sentences]) => sentences.length > 0);

/** Returns the problems of a row without its line number, for a file in which the line differs. */
export function noteOf({ line, problems }: Pick<Verdict, 'line' | 'problems'>): string {
  const prefix = t(words.lineMessage, { line, message: '' });
  return problems
    .map((problem) => (problem.startsWith(prefix) ? problem.slice(prefix.length) : problem))
    .join('\n');
}

/**
 * Combines every row with its problems. `items` are the errors of the server by row; undefined if
 * all rows are good. Skips blank rows.
 */
export function verdictsOf(
  rows: readonly FileRow[],
  items: readonly FieldMessages[] | undefined,
  labelOf: (field: string) => string,
): Verdict[] {
  return rows.flatMap((row, index) => {
    const messages = items?.[index] ?? {};
    const problems = problemsOfLine(row.line, messages, labelOf);
    const { line, cells } = row;
    return isBlank(row) && problems.length === 0
      ? []
      : [{ line, cells, problems, fields: entriesOf(messages).map(([field]) => field) }];
  });
}

/**
 * Adds a column to the header for each field with a problem that the file lacks, so users can fill
 * it in.
 */
export function withMissingColumns(
  header: readonly string[],
  verdicts: readonly Verdict[],
  fields: Fields,
  labelOf: (field: string) => string,
): readonly string[] {
  const present = new Set(header.map((cell) => fieldOfHeader(fields, cell)));
  const missing = [...new Set(verdicts.flatMap((verdict) => verdict.fields))].filter((name) => {
    const field = fields[name];
    return (
      field !== undefined && field.kind !== 'id' && field.mode !== 'readonly' && !present.has(name)
    );
  });
  return missing.length === 0 ? header : [...header, ...missing.map(labelOf)];
}

/**
 * Returns the column indexes in display order: the first column, those with problems, the others.
 */
export function columnOrder(
  fieldsOfColumns: readonly (string | undefined)[],
  verdicts: readonly Verdict[],
): number[] {
  const concerned = new Set(verdicts.flatMap(({ fields }) => fields));
  const places = fieldsOfColumns.map((_, at) => at);
  const isConcerned = (at: number) => concerned.has(fieldsOfColumns[at] ?? '');
  return [
    ...places.slice(0, 1),
    ...places.slice(1).filter(isConcerned),
    ...places.slice(1).filter((at) => !isConcerned(at)),
  ];
}
