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

/** An error that only HTTP has: a method, a media type, a framework's own. */
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

/** The status that an error is answered with. */
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

/** The body of an error answer: sentences by field (for a batch, by item and field), or code and sentence (`msg` is where older clients look for it). */
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
  // Existing clients show the problems of a file as a list, row by row or as a whole.
  if (error instanceof RejectedFile) return [sentence];
  // Existing clients show `error` before `msg`; signing in puts its code there, which they branch on.
  return { code: error.code, detail: sentence, msg: sentence, error: sentence, ...error.extra };
}

/** The most that the codes of fields may fill of an answer's header. */
const MAX_CODES = 2_048;

/**
 * What programs branch on, as headers: the code of the error, and where its body has sentences by field, the code of each field (of a batch with
 * the item's number before it), such as `name=required, 2.ip=not_host`.
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
