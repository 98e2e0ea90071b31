import {
  ERRORS,
  type ErrorCode,
  type ErrorParams,
  type FieldProblems,
  type Language,
  type Problem,
  say,
} from '@sallyport/contract';

/** Meaning of an error for the caller. Each protocol translates it to its own codes. */
export type ErrorKind =
  | 'rejected'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'too_many'
  | 'unavailable';

/**
 * Base class of errors that services throw. Services know neither requests nor status codes: HTTP,
 * the terminal and the command line translate errors to their own form. Any other exception is a
 * defect.
 */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  /** Additional members of the response, for the few endpoints whose clients expect them. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    kind: ErrorKind,
    code: ErrorCode,
    params: ErrorParams = {},
    extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(code);
    this.kind = kind;
    this.code = code;
    this.params = params;
    this.extra = extra;
  }
}

type Details = [code: ErrorCode, params?: ErrorParams, extra?: Readonly<Record<string, unknown>>];

/** The request is invalid as sent. */
export class Rejected extends AppError {
  override readonly name = 'Rejected';

  constructor(...details: Details) {
    super('rejected', ...details);
  }
}

/** The server rejects the whole file, regardless of its rows. */
export class RejectedFile extends AppError {
  override readonly name = 'RejectedFile';

  constructor(...details: Details) {
    super('rejected', ...details);
  }
}

export class Unauthenticated extends AppError {
  override readonly name = 'Unauthenticated';

  constructor(...details: Details) {
    super('unauthenticated', ...details);
  }
}

export class Forbidden extends AppError {
  override readonly name = 'Forbidden';

  constructor(...details: Details) {
    super('forbidden', ...details);
  }
}

/**
 * The object is missing or in another organization. Callers must not be able to distinguish the
 * two.
 */
export class NotFound extends AppError {
  override readonly name = 'NotFound';

  constructor(...details: Details) {
    super('not_found', ...details);
  }
}

/** The current state does not allow the change, or another change came first. */
export class Conflict extends AppError {
  override readonly name = 'Conflict';

  constructor(...details: Details) {
    super('conflict', ...details);
  }
}

/** The request exceeds a size limit. */
export class TooLarge extends AppError {
  override readonly name = 'TooLarge';

  constructor(...details: Details) {
    super('too_large', ...details);
  }
}

/** The caller exceeds a rate limit; `seconds` says when to retry. */
export class TooManyRequests extends AppError {
  override readonly name = 'TooManyRequests';

  constructor(...details: Details) {
    super('too_many', ...details);
  }
}

/** Temporarily impossible, and not the caller's fault. */
export class Unavailable extends AppError {
  override readonly name = 'Unavailable';

  constructor(...details: Details) {
    super('unavailable', ...details);
  }
}

/** The problems of all fields. */
export class Invalid extends AppError {
  override readonly name = 'Invalid';
  readonly problems: FieldProblems;

  constructor(problems: FieldProblems) {
    super('rejected', 'invalid');
    this.problems = problems;
  }
}

/**
 * The problems of each item of a batch, aligned by index; `{}` for a valid item. No item was
 * applied.
 */
export class InvalidItems extends AppError {
  override readonly name = 'InvalidItems';
  readonly items: readonly FieldProblems[];

  constructor(items: readonly FieldProblems[]) {
    super('rejected', 'invalid');
    this.items = items;
  }
}

/** The problems of a body with categories: field problems by category. */
export class InvalidCategories extends AppError {
  override readonly name = 'InvalidCategories';
  readonly categories: Readonly<Record<string, FieldProblems>>;

  constructor(categories: Readonly<Record<string, FieldProblems>>) {
    super('rejected', 'invalid');
    this.categories = categories;
  }
}

/** Creates an error for a single field. */
export function invalid(field: string, code: ErrorCode, params?: ErrorParams): Invalid {
  return new Invalid({ [field]: [params ? { code, params } : { code }] });
}

export const notFound = () => new NotFound('not_found');
export const notAuthenticated = () => new Unauthenticated('not_authenticated');

/** Formats a problem as one sentence. */
export function describeProblem(problem: Problem, language: Language): string {
  return say(ERRORS[problem.code], language, problem.params);
}
