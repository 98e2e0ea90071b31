import { type PacketReader, SftpFormatError, Status, safeText } from '@sallyport/ssh';
import { TargetFileError, type TargetFileProblem } from '../../target-end.ts';

/**
 * Problems by the status of an answer: those of version 3 (draft-ietf-secsh-filexfer-02), and those
 * of later versions (draft 13), which some servers send in version 3, too. Others are `failed`.
 */
const PROBLEMS: Readonly<Record<number, TargetFileProblem>> = {
  [Status.NO_SUCH_FILE]: 'missing',
  [Status.PERMISSION_DENIED]: 'denied',
  [Status.NO_CONNECTION]: 'lost',
  [Status.CONNECTION_LOST]: 'lost',
  [Status.UNSUPPORTED]: 'unsupported',
  // SSH_FX_NO_SUCH_PATH, FILE_ALREADY_EXISTS, WRITE_PROTECT.
  10: 'missing',
  11: 'exists',
  12: 'denied',
  // NO_SPACE_ON_FILESYSTEM, QUOTA_EXCEEDED.
  14: 'full',
  15: 'full',
  // NOT_A_DIRECTORY, INVALID_FILENAME, CANNOT_DELETE, FILE_IS_A_DIRECTORY.
  19: 'kind',
  20: 'name',
  22: 'denied',
  24: 'kind',
};
const LAST_OF_VERSION_3 = Status.UNSUPPORTED;
const MAX_WORDS = 200;

/** Texts that say no more than our own sentence. */
const EMPTY_WORDS =
  /^(?:(?:general |unknown |generic )?(?:failure|failed|error)|success|ok|bad message|(?:operation |request )?(?:is )?(?:unsupported|not supported|not implemented))?[.!]?$/i;

/** Reads the error of an answer whose status is no success. The text may be absent. */
export function refusedStatus(status: number, body: PacketReader): TargetFileError {
  const problem = PROBLEMS[status] ?? 'failed';
  if (problem !== 'failed' && problem !== 'unsupported') return new TargetFileError(problem);
  const words = safeText(textOf(body)).slice(0, MAX_WORDS).trim();
  if (!EMPTY_WORDS.test(words)) return new TargetFileError(problem, words);
  return new TargetFileError(problem, status > LAST_OF_VERSION_3 ? `status ${status}` : '');
}

function textOf(body: PacketReader): string {
  try {
    return body.string().toString();
  } catch (error) {
    if (error instanceof SftpFormatError) return '';
    throw error;
  }
}
