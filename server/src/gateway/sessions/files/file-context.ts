import type { Charset, ErrorCode } from '@sallyport/contract';
import type { FileOperation, FileRecord } from '../../ports/records.ts';
import type { TargetFiles } from '../../protocols/connector.ts';
import { TargetFileError, type TargetFileProblem } from '../../protocols/target-end.ts';
import { problemOf, Refusal } from '../../refusal.ts';
import type { Boundary } from './boundary.ts';
import type { KeptParts } from './kept-parts.ts';
import { shownName } from './paths.ts';
import type { ReadAhead } from './read-ahead.ts';

/** An open file that its session closes at the end. */
export interface OpenFile {
  /** Closes the file and logs the reason. */
  close(failed: Error): Promise<void>;
}

/** Context of all file operations in one session. */
export interface FileContext {
  readonly files: TargetFiles;
  readonly boundary: Boundary;
  readonly charset: Charset;
  readonly ahead: ReadAhead;
  readonly kept: KeptParts;
  /** @throws Refusal when the session has ended or its permission lacks the action */
  require(action?: 'upload_file' | 'download_file'): void;
  /** Writes a log entry. */
  note(record: FileRecord): Promise<void>;
  /** Resets the idle timer. */
  active(): void;
  /** Registers an open file until `release`. @throws Refusal when too many are open */
  keep(file: OpenFile): void;
  release(file: OpenFile): void;
  /** Runs work that the end of the session awaits. */
  during<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The reason of the session's end, unless the user left. */
  ending(): Error | undefined;
}

const CODES = {
  missing: 'file_not_found',
  denied: 'file_denied',
  exists: 'file_exists',
  full: 'file_no_space',
  kind: 'file_kind',
  name: 'file_name',
  failed: 'file_failed',
  unsupported: 'file_failed',
  lost: 'connect_target_lost',
  broken: 'connect_target_broke',
} as const satisfies Record<TargetFileProblem, ErrorCode>;

/** Converts an error of the target to a refusal; returns other errors unchanged. */
export function fileRefusal(error: unknown): unknown {
  if (!(error instanceof TargetFileError)) return error;
  const { problem, words } = error;
  return words === '' ? new Refusal(CODES[problem]) : new Refusal('file_failed_words', { words });
}

/** The code of an error for the log. */
export function reasonOf(error: unknown): ErrorCode {
  return problemOf(fileRefusal(error)).code;
}

/** Runs a change and writes one log entry, whether it succeeds or fails. @throws Refusal */
export async function logged(
  context: FileContext,
  operation: FileOperation,
  paths: readonly string[],
  work: () => Promise<Partial<FileRecord> | undefined>,
): Promise<void> {
  const path = paths.map(shownName).join('=>');
  context.active();
  let more: Partial<FileRecord> | undefined;
  try {
    context.require('upload_file');
    more = await context.during(work);
  } catch (error) {
    await context.note({ operation, path, reason: reasonOf(error) });
    throw fileRefusal(error);
  }
  await context.note({ operation, path, ...more });
}

/** Runs a read-only operation. @throws Refusal */
export async function readOnly<Value>(
  context: FileContext,
  work: () => Promise<Value>,
): Promise<Value> {
  context.active();
  try {
    context.require();
    return await work();
  } catch (error) {
    throw fileRefusal(error);
  }
}
