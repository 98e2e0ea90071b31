import type { ErrorCode } from '@sallyport/contract';
import type { FileOperation, FileRecord } from '../../ports/records.ts';
import type { TargetFiles } from '../../protocols/connector.ts';
import { TargetFileError, type TargetFileProblem } from '../../protocols/target-file-error.ts';
import { problemOf, Refusal } from '../../refusal.ts';
import type { Boundary } from './boundary.ts';
import { type NameCharset, shownName } from './names.ts';

/** What an open file does when its session ends under it. */
export interface OpenFile {
  /** Ends it, and writes why in the log. */
  close(failed: Error): Promise<void>;
}

/** What the operations on the files of one session work with. */
export interface FileContext {
  readonly files: TargetFiles;
  readonly boundary: Boundary;
  readonly charset: NameCharset;
  /** @throws Refusal when the session is over, or its permission lacks the action */
  require(action?: 'upload_file' | 'download_file'): void;
  /** Writes an entry in the log. */
  note(record: FileRecord): Promise<void>;
  /** Something moved: the session is not idle. */
  active(): void;
  /** Keeps an open file until `release`. @throws Refusal when there are too many */
  keep(file: OpenFile): void;
  release(file: OpenFile): void;
  /** Does work that the end of the session waits for. */
  during<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Why the session ended, where that is not because its person left. */
  ending(): Error | undefined;
}

const CODES = {
  missing: 'file_not_found',
  denied: 'file_denied',
  failed: 'file_failed',
  unsupported: 'file_failed',
  lost: 'connect_target_lost',
  broken: 'connect_target_lost',
} as const satisfies Record<TargetFileProblem, ErrorCode>;

/** What a target answered, as a refusal; everything else unchanged. */
export function fileRefusal(error: unknown): unknown {
  return error instanceof TargetFileError ? new Refusal(CODES[error.problem]) : error;
}

/** The code of an error for the log. */
export function reasonOf(error: unknown): ErrorCode {
  return problemOf(fileRefusal(error)).code;
}

/** Does what changes something, with one entry in the log whatever becomes of it. @throws Refusal */
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

/** Does what only looks. @throws Refusal */
export async function looked<Value>(
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
