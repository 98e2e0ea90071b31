/** LDAP result codes (RFC 4511 §4.1.9). */
export const RESULT = {
  operationsError: 1,
  timeLimitExceeded: 3,
  sizeLimitExceeded: 4,
  referral: 10,
  adminLimitExceeded: 11,
  constraintViolation: 19,
  noSuchObject: 32,
  invalidDnSyntax: 34,
  inappropriateAuthentication: 48,
  invalidCredentials: 49,
  insufficientAccessRights: 50,
  busy: 51,
  unavailable: 52,
  unwillingToPerform: 53,
  other: 80,
} as const;

/** Reasons for which a directory does not confirm a name and a password. */
export type RefusalReason =
  | 'unknown_name'
  | 'wrong_password'
  | 'ambiguous'
  | 'no_username'
  | 'disabled'
  | 'expired'
  | 'password_expired'
  | 'must_change'
  | 'locked'
  | 'wrong_time'
  | 'wrong_place'
  | 'refused';

/** Returns the result code of a directory's error; `undefined` for any other error. */
export function resultCodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? error.code
    : undefined;
}

/** Steps of finding a person and checking a password, in order. */
export type DirectoryStep =
  | 'settings'
  | 'connect'
  | 'tls'
  | 'bind'
  | 'search'
  | 'match'
  | 'user_bind'
  | 'account';

/** A completed step. */
export interface Traced {
  readonly step: DirectoryStep;
  readonly ok: boolean;
  /** The result, or the response of the directory. */
  readonly detail: string;
  readonly milliseconds: number;
}

/** A failed operation on a directory, with the failed step. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
  readonly step: DirectoryStep;
  readonly steps: readonly Traced[];
  /** The reason if the directory rejected name or password; undefined if it did not answer. */
  readonly refusal: RefusalReason | undefined;

  constructor(
    step: DirectoryStep,
    reason: string,
    steps: readonly Traced[],
    refusal: RefusalReason | undefined,
  ) {
    super(reason);
    this.step = step;
    this.steps = steps;
    this.refusal = refusal;
  }
}

const MAX_REASON = 300;

/** Names of result codes without an error class in ldapts (RFC 4511, 4520 and 4533). */
const NAMES: Readonly<Record<number, string>> = {
  [RESULT.referral]: 'Referral to another server',
  69: 'Object Class Mods Prohibited',
  118: 'Canceled',
  119: 'No Such Operation',
  120: 'Too Late',
  121: 'Cannot Cancel',
  122: 'Assertion Failed',
  123: 'Authorization Denied',
  4096: 'Sync Refresh Required',
};

/** Many directories answer with a result code alone; the class of the error names it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = resultCodeOf(error);
  if (code === undefined) return error.message || error.name;
  const known = NAMES[code];
  if (known) return `${known}: ${error.message.trim()}`;
  const name = error.constructor.name.replace(/Error$/, '').replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return `${name}: ${error.message}`;
}

/** Records the steps of one connection. */
export class Trace {
  readonly steps: Traced[] = [];
  #step: DirectoryStep = 'settings';
  #since = performance.now();
  readonly #secrets: string[] = [];

  /** Starts a step, to which later errors belong. */
  begin(step: DirectoryStep): void {
    this.#step = step;
    this.#since = performance.now();
  }

  /** Removes a secret from messages, even if the directory echoes it. */
  hide(secret: string): void {
    if (secret) this.#secrets.push(secret);
  }

  passed(detail = ''): void {
    this.#note(true, detail);
  }

  /** Creates the error of the current step. */
  failure(error: unknown, refusal?: RefusalReason): DirectoryError {
    if (error instanceof DirectoryError) return error;
    const line = wordsOf(error)
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .trim();
    const reason = this.#secrets
      .reduce((kept, secret) => kept.replaceAll(secret, '******'), line)
      .slice(0, MAX_REASON);
    this.#note(false, reason);
    return new DirectoryError(this.#step, reason, [...this.steps], refusal);
  }

  #note(ok: boolean, detail: string): void {
    this.steps.push({
      step: this.#step,
      ok,
      detail,
      milliseconds: Math.round(performance.now() - this.#since),
    });
  }
}
