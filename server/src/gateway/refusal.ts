import {
  ERRORS,
  type ErrorCode,
  type ErrorParams,
  type Language,
  type Problem,
  say,
} from '@sallyport/contract';

/** The one way in which the gateway says no, or says that something ended: a code that every language has a text for. */
export class Refusal extends Error {
  readonly problem: Problem;

  constructor(code: ErrorCode, params?: ErrorParams) {
    super(code);
    this.name = 'Refusal';
    this.problem = params ? { code, params } : { code };
  }
}

/** The problem behind anything that was thrown; what is not a refusal is an internal error, reported without its details. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Refusal) return error.problem;
  // The services behind the ports have refusals of their own, with a code and its parameters.
  if (error instanceof Error && 'code' in error && isCode(error.code)) {
    return 'params' in error && isParams(error.params)
      ? { code: error.code, params: error.params }
      : { code: error.code };
  }
  return { code: 'internal' };
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

/** The text of a problem in a person's language. */
export function wordProblem(problem: Problem, language: Language): string {
  return say(ERRORS[problem.code], language, problem.params);
}

/** Where connecting again leads to the same answer, whatever the person does. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'not_authenticated',
  'connect_denied',
  'connect_expired',
  'connect_asset_inactive',
  'connect_no_account',
  'connect_protocol',
  'connect_host_key',
  'connect_address',
  'session_signed_out',
  'session_not_watchable',
  'session_watch_ended',
  'invitation_off',
  'invitation_unknown',
  'invitation_expired',
  'invitation_ended',
  'invitation_taken',
]);

/** Whether a Reconnect button makes sense after this problem. */
export function canRetry(problem: Problem): boolean {
  return !FINAL.has(problem.code);
}
