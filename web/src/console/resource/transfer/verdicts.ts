import type { FieldMessages } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** What is said about one row of a file before anything is written. */
export interface Verdict {
  /** The row as a spreadsheet numbers it: the header is line 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** `line N. field: message`, one for each field concerned; empty for a good row. */
  readonly problems: readonly string[];
}

const FIRST_LINE = 2;
const WHOLE_ROW = 'non_field_errors';

const isBlank = (record: readonly string[]) => record.every((cell) => cell.trim() === '');

/** The sentences about one row (conformance 8.14). */
export function problemsOfLine(line: number, messages: FieldMessages, labelOf: (field: string) => string): string[] {
  return Object.entries(messages)
    .filter(([, sentences]) => sentences.length > 0)
    .map(([field, sentences]) => {
      const message = sentences.join('; ');
      return field === WHOLE_ROW ? t(words.lineMessage, { line, message }) : t(words.lineProblem, { line, field: labelOf(field), message });
    });
}

/** The verdict on every row of a file. `items` are the server's, aligned with the records below the header; absent when all are good. Blank rows are none. */
export function verdictsOf(
  records: readonly (readonly string[])[],
  items: readonly FieldMessages[] | undefined,
  labelOf: (field: string) => string,
): Verdict[] {
  return records.slice(1).flatMap((cells, index) => {
    const line = index + FIRST_LINE;
    const problems = problemsOfLine(line, items?.[index] ?? {}, labelOf);
    return isBlank(cells) && problems.length === 0 ? [] : [{ line, cells, problems }];
  });
}
