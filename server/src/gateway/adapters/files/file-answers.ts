import { Readable } from 'node:stream';
import {
  actionNames,
  type ErrorCode,
  FILE_BEAT_SECONDS,
  FILE_LINES,
  type FileProblemLine,
  INSTANT_ACCESS_END,
  isUuid,
  type Language,
  text,
} from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { parameter } from '../../../http/route.ts';
import { displayName } from '../../../platform/actor.ts';
import { AppError, type ErrorKind, NotFound } from '../../../platform/errors.ts';
import { within } from '../../../platform/within.ts';
import type { FilesPerson, FilesTarget } from '../../listeners/files/pool.ts';
import type { GatewayLog } from '../../ports.ts';
import { canRetry, isFault, problemOf, Refusal, wordProblem } from '../../refusal.ts';
import type { FileSession } from '../../sessions/files/file-session.ts';

const KINDS: Readonly<Partial<Record<ErrorCode, ErrorKind>>> = {
  transfer_denied: 'forbidden',
  connect_denied: 'forbidden',
  connect_expired: 'forbidden',
  [INSTANT_ACCESS_END.code]: 'forbidden',
  connect_condition: 'forbidden',
  connect_approval_needed: 'forbidden',
  connect_approval_rejected: 'forbidden',
  connect_approval_expired: 'forbidden',
  connect_approval_withdrawn: 'forbidden',
  connect_approval_nobody: 'forbidden',
  connect_second_person: 'forbidden',
  connect_switch_terminal: 'forbidden',
  connect_asset_inactive: 'forbidden',
  session_signed_out: 'forbidden',
  session_terminated: 'forbidden',
  input_locked: 'forbidden',
  file_denied: 'forbidden',
  file_not_found: 'not_found',
  file_exists: 'conflict',
  file_changed: 'conflict',
  file_offset: 'conflict',
  files_not_connected: 'conflict',
  file_name: 'rejected',
  file_outside: 'rejected',
  file_kind: 'rejected',
  file_size: 'rejected',
  file_charset: 'rejected',
  file_not_text: 'rejected',
  file_chosen: 'rejected',
  file_too_large: 'too_large',
  file_folder_full: 'too_large',
  file_limit: 'too_many',
  session_limit: 'too_many',
};

/** Base path of the web file manager. The ids name an asset and a system user. */
export const FILES = '/api/v1/files/:asset/:account/';
export const PATH = {
  path: text({
    label: { en: 'Path', zh: '路径' },
    max: 4096,
    required: true,
    example: '/reports',
  }),
};

/** Maps a problem of the gateway to an HTTP error; returns other errors unchanged. */
export function answerOf(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { code, params } = problemOf(error);
  if (isFault({ code })) return error;
  return new AppError(
    KINDS[code] ?? 'unavailable',
    code,
    params,
    code === 'file_offset' ? { offset: Number(params?.offset ?? 0) } : {},
  );
}

/** Runs `work` and maps its problems to HTTP errors. */
export async function answered<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw answerOf(error);
  }
}

export function personOf({ actor, language }: Context): FilesPerson {
  return {
    userId: actor.userId,
    display: displayName(actor),
    language,
    remoteAddr: actor.remoteAddress,
    loginFrom: 'WT',
    loginId: actor.session.id,
  };
}

/** Reads asset and account from the address. @throws NotFound if an id is malformed */
export function targetOf(context: Context): FilesTarget {
  const [assetId, systemUserId] = [parameter(context, 'asset'), parameter(context, 'account')];
  if (!isUuid(assetId) || !isUuid(systemUserId)) throw new NotFound('not_found');
  return { assetId, systemUserId };
}

/**
 * Reads a path of the query: plain, or as a JSON string for names that are not valid text.
 * @throws Refusal
 */
export function readAddressPath(text: string): string {
  if (text.startsWith('/')) return text;
  if (text.startsWith('"')) {
    try {
      const path: unknown = JSON.parse(text);
      if (typeof path === 'string' && path.startsWith('/')) return path;
    } catch {
      // Falls through to the refusal.
    }
  }
  throw new Refusal('file_name');
}

/** Reads the parameter `path`. @throws Refusal */
export function pathOf({ query }: Pick<Context, 'query'>): string {
  return readAddressPath(query.get('path') ?? '');
}

/** A problem as a line of the response; unexpected errors are logged. */
export function problemLine(error: unknown, language: Language, log: GatewayLog): FileProblemLine {
  const problem = problemOf(error);
  if (isFault(problem)) log.error({ err: error }, 'a request of the file manager failed');
  return {
    problem: {
      code: problem.code,
      message: wordProblem(problem, language),
      retry: canRetry(problem),
    },
  };
}

/** The file actions that the permission includes. */
export function actionsOf({ allowedActions }: FileSession): string[] {
  return actionNames(allowedActions).filter(
    (name) => name === 'upload_file' || name === 'download_file',
  );
}

/**
 * Streams lines as NDJSON. Sends `beat` after a pause, to keep proxies from closing the response.
 */
export function sendLines(
  { reply }: Pick<Context, 'reply'>,
  lines: AsyncIterable<unknown>,
  beat?: unknown,
): Readable {
  reply.header('content-type', FILE_LINES).header('x-accel-buffering', 'no');
  const stream = Readable.from(texts(lines, beat), { objectMode: false });
  stream.on('error', () => undefined);
  reply.raw.once('close', () => stream.destroy());
  return stream;
}

async function* texts(lines: AsyncIterable<unknown>, beat: unknown): AsyncGenerator<Buffer> {
  const iterator = lines[Symbol.asyncIterator]();
  try {
    for (let next = iterator.next(); ; next = iterator.next()) {
      while (beat !== undefined && !(await within(next, FILE_BEAT_SECONDS * 1000, () => undefined)))
        yield Buffer.from(`${JSON.stringify(beat)}\n`);
      const { done, value } = await next;
      if (done) return;
      yield Buffer.from(`${JSON.stringify(value)}\n`);
    }
  } finally {
    await iterator.return?.();
  }
}
