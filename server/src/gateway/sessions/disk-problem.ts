import type { ErrorCode } from '@sallyport/contract';
import { exhaustionOf } from '../../platform/exhausted.ts';
import { isHanging } from '../../platform/storage/recordings.ts';

/** Codes of sessions whose recording or log could not be written, by the error's code for users. */
const CODES = {
  server_disk_full: 'session_disk_full',
  server_read_only: 'session_disk_read_only',
  server_resources: 'server_resources',
} as const satisfies Partial<Record<ErrorCode, ErrorCode>>;

const isKnown = (code: ErrorCode | undefined): code is keyof typeof CODES =>
  code !== undefined && Object.hasOwn(CODES, code);

/** Returns the reason for a session whose recording or log cannot be written. */
export function diskProblemOf(error: unknown): ErrorCode {
  if (isHanging(error)) return 'session_disk_hanging';
  const exhaustion = exhaustionOf(error);
  return isKnown(exhaustion) ? CODES[exhaustion] : 'session_recording_failed';
}

const LOG_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'session_recording_failed',
  'session_disk_hanging',
  ...Object.values(CODES),
]);

/** Returns true if a session with this reason may end with events that are not in the log. */
export const isLogFailure = (code: ErrorCode): boolean => LOG_FAILURES.has(code);
