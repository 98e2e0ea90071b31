import type { CommandVerdict, DatabaseType, Language } from '@sallyport/contract';
import type { CommandRecord } from '../../../platform/command-record.ts';
import { cut } from '../terminal/commands/output-capture.ts';
import type { StatementQuestion } from './database-client.ts';
import { isSweeping } from './read-text.ts';
import {
  drawEnd,
  drawQuestion,
  drawResult,
  drawStatement,
  drawVerdict,
  type ResultPreview,
  resultText,
} from './transcript.ts';

/** Maximum characters of a logged statement and of its result. */
const MAX_INPUT = 4096;
const MAX_OUTPUT = 1024;

/** A statement that the database answered or the gateway rejected. */
export interface FinishedStatement {
  readonly statement: string;
  /** Number of returned or changed rows, if the database reports it. */
  readonly rows?: number | undefined;
  /** Execution time at the database. */
  readonly milliseconds?: number | undefined;
  /** The error message of the database. */
  readonly error?: string | undefined;
  /** The first available rows. The transcript draws a limited number. */
  readonly preview?: ResultPreview | undefined;
  /** True if the key tree ran the statement instead of the user. */
  readonly isByKeyTree?: boolean | undefined;
}

/** A statement for the log and the recording. */
export interface NotedStatement extends FinishedStatement {
  /** True if we rejected it; `error` is then the reason. */
  readonly isRefused?: boolean;
  /** The answer of the user to a question before it. */
  readonly verdict?: CommandVerdict | undefined;
  /** The preview that the user saw before it. */
  readonly asked?: Pick<StatementQuestion, 'message' | 'preview'> | undefined;
}

/** The log entry of a statement. */
export function recordOfStatement(
  noted: NotedStatement,
  type: DatabaseType,
): Omit<CommandRecord, 'sequence' | 'at'> {
  const { statement, rows, milliseconds, error, preview, isRefused, isByKeyTree, verdict } = noted;
  return {
    input: cut(statement, MAX_INPUT),
    output: cut(error ?? resultText(preview, MAX_OUTPUT), MAX_OUTPUT),
    ...(isRefused && { isRefused }),
    ...(!isRefused && isSweeping(statement, type) && { isDangerous: true }),
    ...(isByKeyTree && { isByKeyTree }),
    ...(verdict && { verdict }),
    ...(rows !== undefined && { rows }),
    ...(milliseconds !== undefined && { milliseconds }),
    ...(error !== undefined && !isRefused && { error }),
  };
}

/** Draws a statement, the answer of the user, and its result. */
export function drawNoted(
  prompt: string,
  { statement, rows, milliseconds, error, preview, isRefused, verdict, asked }: NotedStatement,
  language: Language,
): string {
  return (
    drawStatement(prompt, statement) +
    (asked ? drawQuestion(asked.message) : '') +
    (asked?.preview ? drawResult(asked.preview) : '') +
    (verdict ? drawVerdict(verdict, language) : '') +
    (preview ? drawResult(preview) : '') +
    drawEnd({ rows, milliseconds, ...(isRefused ? { message: error } : { error }) })
  );
}
