import {
  ERRORS,
  type ErrorCode,
  type ErrorParams,
  type FieldProblems,
  type Language,
  type Problem,
  say,
} from '@sallyport/contract';

/** What an error means to the caller; each protocol translates it to its own codes. */
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
 * The errors that services throw. They know neither requests nor status codes: HTTP, the terminal and the command line
 * each answer them in their own form. Anything else that is thrown is a defect.
 */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  /** More members for the answer, for the few endpoints whose clients expect them. */
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

/** The request cannot be carried out as sent. */
export class Rejected extends AppError {
  override readonly name = 'Rejected';

  constructor(...details: Details) {
    super('rejected', ...details);
  }
}

/** The whole file is refused, whatever its rows contain. */
export class RejectedFile extends AppError {
  override readonly name = 'RejectedFile';

  constructor(...details: Details) {
    super('rejected', ...details);
  }
}

/** The caller is not signed in. */
export class Unauthenticated extends AppError {
  override readonly name = 'Unauthenticated';

  constructor(...details: Details) {
    super('unauthenticated', ...details);
  }
}

/** The caller may not do this. */
export class Forbidden extends AppError {
  override readonly name = 'Forbidden';

  constructor(...details: Details) {
    super('forbidden', ...details);
  }
}

/** Missing, or in another organization; callers must not be able to distinguish the two. */
export class NotFound extends AppError {
  override readonly name = 'NotFound';

  constructor(...details: Details) {
    super('not_found', ...details);
  }
}

/** The present state does not allow it, or another change came first. */
export class Conflict extends AppError {
  override readonly name = 'Conflict';

  constructor(...details: Details) {
    super('conflict', ...details);
  }
}

/** More than is accepted at once. */
export class TooLarge extends AppError {
  override readonly name = 'TooLarge';

  constructor(...details: Details) {
    super('too_large', ...details);
  }
}

/** Too often; `seconds` says when to try again. */
export class TooManyRequests extends AppError {
  override readonly name = 'TooManyRequests';

  constructor(...details: Details) {
    super('too_many', ...details);
  }
}

/** Not possible at the moment, through no fault of the caller. */
export class Unavailable extends AppError {
  override readonly name = 'Unavailable';

  constructor(...details: Details) {
    super('unavailable', ...details);
  }
}

/** Every field's problems at once. */
export class Invalid extends AppError {
  override readonly name = 'Invalid';
  readonly problems: FieldProblems;

  constructor(problems: FieldProblems) {
    super('rejected', 'invalid');
    this.problems = problems;
  }
}

/** For a batch: each item's problems, aligned by index; `{}` for a good one. Nothing of the batch was applied. */
export class InvalidItems extends AppError {
  override readonly name = 'InvalidItems';
  readonly items: readonly FieldProblems[];

  constructor(items: readonly FieldProblems[]) {
    super('rejected', 'invalid');
    this.items = items;
  }
}

/** For a body of categories: each field's problems below its category. */
export class InvalidCategories extends AppError {
  override readonly name = 'InvalidCategories';
  readonly categories: Readonly<Record<string, FieldProblems>>;

  constructor(categories: Readonly<Record<string, FieldProblems>>) {
    super('rejected', 'invalid');
    this.categories = categories;
  }
}

/** One field's problem as an error. */
export function invalid(field: string, code: ErrorCode, params?: ErrorParams): Invalid {
  return new Invalid({ [field]: [params ? { code, params } : { code }] });
}

/** What is missing, or not visible to the caller. */
export const notFound = () => new NotFound('not_found');
/** The caller is not signed in. */
export const notAuthenticated = () => new Unauthenticated('not_authenticated');

/** A problem as one sentence. */
export function describeProblem(problem: Problem, language: Language): string {
  return say(ERRORS[problem.code], language, problem.params);
}
