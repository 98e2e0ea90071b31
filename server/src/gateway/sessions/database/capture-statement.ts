import { isSecretColumn, maskValue } from '../../../platform/secrets/mask-text.ts';
import { RECORDED_ROWS, RECORDED_STATEMENT } from '../../limits.ts';
import type { Capture } from '../capture.ts';
import type { NotedStatement } from './statement-record.ts';
import type { ResultPreview } from './transcript.ts';

/** Maximum characters of a value that are scanned; the transcript draws fewer. */
const MAX_VALUE = 4096;

/** Captures a statement and its result, before any text of them is cut for log and recording. */
export function captureStatement(noted: NotedStatement, capture: Capture): NotedStatement {
  if (!capture.isMasked) return noted;
  const { statement, error, preview, asked } = noted;
  return {
    ...noted,
    statement: textUpTo(statement, RECORDED_STATEMENT, capture),
    ...(error !== undefined && { error: textUpTo(error, MAX_VALUE, capture) }),
    ...(preview && { preview: captureResult(preview, capture) }),
    ...(asked && {
      asked: {
        message: capture.drawn(asked.message),
        ...(asked.preview && { preview: captureResult(asked.preview, capture) }),
      },
    }),
  };
}

const textUpTo = (text: string, max: number, capture: Capture): string =>
  text.length > max ? `${capture.drawn(text.slice(0, max), true)}…` : capture.drawn(text);

/** Masks values of columns with a name like `password`, and secrets in the others. */
function captureResult({ columns, rows }: ResultPreview, capture: Capture): ResultPreview {
  const isSecret = columns.map(isSecretColumn);
  return {
    columns,
    rows: rows.slice(0, RECORDED_ROWS).map((row) =>
      row.map((value, at) => {
        if (value === null) return null;
        if (!isSecret[at]) return textUpTo(value, MAX_VALUE, capture);
        const masked = maskValue(value);
        if (masked !== value) capture.count('assignment');
        return masked;
      }),
    ),
  };
}
