import { type Fields, fieldOfHeader, isComment } from '@sallyport/contract';
import type { FieldMessages } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** The line below the header. */
const FIRST_LINE = 2;

/** A row of a file. */
export interface FileRow {
  /** The row as a spreadsheet numbers it: the header is line 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** What is said about one row of a file before anything is written. */
export interface Verdict extends FileRow {
  /** `line N. field: message`, one for each field concerned; empty for a good row. */
  readonly problems: readonly string[];
  /** The fields concerned. */
  readonly fields: readonly string[];
  /** A cell was changed since the check. */
  readonly changed?: boolean;
}

/** A file, read: without the column that an earlier download added. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly FileRow[];
}

const WHOLE_ROW = 'non_field_errors';

/** Whether nothing is in a row, or only what explains the columns: such rows are none. */
export const isBlank = ({ cells, line }: FileRow) =>
  isComment(cells, line - FIRST_LINE) || cells.every((cell) => cell.trim() === '');

/** The header and rows of the records of a file. The column with problems of an earlier download is left out. */
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

/** The sentences about one row (conformance 8.14). */
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

/** What is wrong with a row, for a file in which its line will be another one. */
export function noteOf({ line, problems }: Pick<Verdict, 'line' | 'problems'>): string {
  const prefix = t(words.lineMessage, { line, message: '' });
  return problems
    .map((problem) => (problem.startsWith(prefix) ? problem.slice(prefix.length) : problem))
    .join('\n');
}

/** The verdict on every row. `items` are the server's, aligned with the rows; absent when all are good. Blank rows are none. */
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

/** The header with a column for each field that has a problem and is not in the file, so that it can be filled in. */
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

/** The columns to show, by their places: the first one, then those with problems, then the others. */
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
