import type { ErrorCode, ErrorParams, FieldProblems, Language } from '@sallyport/contract';
import {
  AppError,
  describeProblem,
  type ErrorKind,
  Invalid,
  InvalidCategories,
  InvalidItems,
  RejectedFile,
} from '../platform/errors.ts';

/** An error with its own HTTP status, such as a wrong method or media type. */
export class HttpError extends AppError {
  override readonly name = 'HttpError';
  readonly status: number;

  constructor(status: number, code: ErrorCode, params?: ErrorParams) {
    super('rejected', code, params);
    this.status = status;
  }
}

const STATUS: Readonly<Record<ErrorKind, number>> = {
  rejected: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  too_many: 429,
  unavailable: 503,
};

export function statusOf(error: AppError): number {
  return error instanceof HttpError ? error.status : STATUS[error.kind];
}

const describeAll = (problems: FieldProblems, language: Language) =>
  Object.fromEntries(
    Object.entries(problems).map(([field, list]) => [
      field,
      list.map((problem) => describeProblem(problem, language)),
    ]),
  );

/**
 * Returns the body of an error answer. Invalid input: sentences by field; in a batch, by item and
 * field. Other errors: code and sentence; older clients read `msg`.
 */
export function bodyOf(
  error: AppError,
  language: Language,
): Record<string, unknown> | Record<string, unknown>[] | string[] {
  if (error instanceof Invalid) return describeAll(error.problems, language);
  if (error instanceof InvalidCategories)
    return Object.fromEntries(
      Object.entries(error.categories).map(([category, problems]) => [
        category,
        describeAll(problems, language),
      ]),
    );
  if (error instanceof InvalidItems)
    return error.items.map((problems) => describeAll(problems, language));
  const sentence = describeProblem({ code: error.code, params: error.params }, language);
  // Existing clients show problems of a file as a list of sentences.
  if (error instanceof RejectedFile) return [sentence];
  // Existing clients prefer `error` to `msg`. Sign-in puts its code into `error`, and clients
  // branch on it.
  return { code: error.code, detail: sentence, msg: sentence, error: sentence, ...error.extra };
}

/** Maximum characters of the header with field codes. */
const MAX_CODES = 2_048;

/**
 * Returns the headers that programs branch on: the error code and the codes of fields, such as
 * `name=required, 2.ip=not_host`. In a batch, the item number precedes the field.
 */
export function codesOf(error: AppError): Readonly<Record<string, string>> {
  const lines = fieldsOf(error).map(
    ([path, code]) =>
      `${path.map((part) => encodeURIComponent(part.toWellFormed())).join('.')}=${code}`,
  );
  let fields = '';
  for (const line of lines) {
    if (fields.length + line.length > MAX_CODES) break;
    fields += fields ? `, ${line}` : line;
  }
  return { 'x-error-code': error.code, ...(fields && { 'x-error-fields': fields }) };
}

function fieldsOf(error: AppError): [path: string[], code: ErrorCode][] {
  const under = (problems: FieldProblems, ...path: string[]) =>
    Object.entries(problems).flatMap(([field, list]) =>
      list.slice(0, 1).map(({ code }): [string[], ErrorCode] => [[...path, field], code]),
    );
  if (error instanceof Invalid) return under(error.problems);
  if (error instanceof InvalidItems)
    return error.items.flatMap((problems, index) => under(problems, String(index)));
  if (error instanceof InvalidCategories)
    return Object.entries(error.categories).flatMap(([category, problems]) =>
      under(problems, category),
    );
  return [];
}
