import {
  ERRORS,
  type ErrorCode,
  type ErrorParams,
  INSTANT_ACCESS_END,
  type Language,
  type Problem,
  say,
} from '@sallyport/contract';
import { isOutage } from '../platform/db/outage.ts';
import { exhaustionOf } from '../platform/exhausted.ts';

/** A rejection, or the reason for which something ended: a code with a text in every language. */
export class Refusal extends Error {
  readonly problem: Problem;

  constructor(code: ErrorCode, params?: ErrorParams) {
    super(code);
    this.name = 'Refusal';
    this.problem = params ? { code, params } : { code };
  }
}

/**
 * Returns the problem of any thrown value. A server without disk space, memory or connections has
 * its own codes; unknown errors become `internal`, without details.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Refusal) return error.problem;
  // Services behind the ports throw their own errors with a code and parameters.
  if (error instanceof Error && 'code' in error && isCode(error.code)) {
    return 'params' in error && isParams(error.params)
      ? { code: error.code, params: error.params }
      : { code: error.code };
  }
  return { code: exhaustionOf(error) ?? 'internal' };
}

const FAULTS: ReadonlySet<string> = new Set<ErrorCode>([
  'internal',
  'server_disk_full',
  'server_read_only',
  'server_disk_failing',
  'server_resources',
]);

/**
 * Returns true if the server itself failed: the log gets the cause, and a check that ended so says
 * nothing about a permission.
 */
export const isFault = ({ code }: { readonly code: string }): boolean => FAULTS.has(code);

/**
 * Returns why a right could not be checked: the database cannot be reached, the server lacks room
 * or resources, or the program failed. Undefined if the check refused the right.
 */
export function uncheckedCodeOf(error: unknown): ErrorCode | undefined {
  const { code } = problemOf(error);
  if (code !== 'internal') return isFault({ code }) ? code : undefined;
  return isOutage(error) ? 'session_database_away' : 'session_check_failed';
}

/** Like `problemOf`, for a sign-in or an opening: names a database that does not answer. */
export async function openingProblemOf(
  error: unknown,
  databaseAnswers?: () => Promise<boolean>,
): Promise<Problem> {
  const problem = problemOf(error);
  if (problem.code !== 'internal') return problem;
  const isAway = isOutage(error) || (await databaseAnswers?.()) === false;
  return isAway ? { code: 'connect_database_away' } : problem;
}

function isCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERRORS, value);
}

function isParams(value: unknown): value is ErrorParams {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((entry) => typeof entry === 'string' || typeof entry === 'number')
  );
}

/** Returns the text of a problem in the user's language. */
export function wordProblem(problem: Problem, language: Language): string {
  // VNC and Redis know passwords without a user name.
  const isNameless = problem.code === 'connect_credentials' && problem.params?.account === '';
  return say(ERRORS[isNameless ? 'connect_password' : problem.code], language, problem.params);
}

/** Codes for which connecting again gives the same result. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'not_authenticated',
  'connect_denied',
  'connect_expired',
  'connect_condition',
  'connect_approval_nobody',
  'connect_second_person',
  'connect_second_person_nobody',
  'connect_second_person_guest',
  'connect_switch_terminal',
  'connect_asset_inactive',
  'connect_no_account',
  'connect_protocol',
  'connect_host_key',
  'connect_certificate_changed',
  'connect_address',
  'session_signed_out',
  INSTANT_ACCESS_END.code,
  'session_not_watchable',
  'session_watch_ended',
  'invitation_off',
  'invitation_unknown',
  'invitation_expired',
  'invitation_ended',
  'invitation_taken',
]);

/** Returns true if a Reconnect button makes sense after this problem. */
export function canRetry(problem: Problem): boolean {
  return !FINAL.has(problem.code);
}
