import { ERRORS, type ErrorCode, type ErrorParams, type FieldProblems, type Language, type Problem, say } from '@sallyport/contract';

/**
 * The small family of refusals. Services throw them without knowing of requests; one place turns them into bodies.
 * What is no refusal is a defect and becomes a plain 500.
 */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
  readonly status: number;
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  /** More members for the body, for the few endpoints whose clients expect them. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(status: number, code: ErrorCode, params: ErrorParams = {}, extra: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.status = status;
    this.code = code;
    this.params = params;
    this.extra = extra;
  }
}

/** 400 with every field's problems at once. */
export class Invalid extends Refusal {
  override readonly name = 'Invalid';
  readonly problems: FieldProblems;

  constructor(problems: FieldProblems) {
    super(400, 'invalid');
    this.problems = problems;
  }
}

/** 400 for a batch: each item's problems, aligned by index; `{}` for a good one. Nothing of the batch was applied. */
export class InvalidItems extends Refusal {
  override readonly name = 'InvalidItems';
  readonly items: readonly FieldProblems[];

  constructor(items: readonly FieldProblems[]) {
    super(400, 'invalid');
    this.items = items;
  }
}

/** 400 for a body of categories: each field's problems below its category. */
export class InvalidCategories extends Refusal {
  override readonly name = 'InvalidCategories';
  readonly categories: Readonly<Record<string, FieldProblems>>;

  constructor(categories: Readonly<Record<string, FieldProblems>>) {
    super(400, 'invalid');
    this.categories = categories;
  }
}

/** One field's problem as a refusal. */
export function invalid(field: string, code: ErrorCode, params?: ErrorParams): Invalid {
  return new Invalid({ [field]: [params ? { code, params } : { code }] });
}

/** 404: missing, or in another organization; the two must not be told apart. */
export const notFound = () => new Refusal(404, 'not_found');
export const notAuthenticated = () => new Refusal(401, 'not_authenticated');

/** A problem as one sentence. */
export function word(problem: Problem, language: Language): string {
  return say(ERRORS[problem.code], language, problem.params);
}

const wordAll = (problems: FieldProblems, language: Language) =>
  Object.fromEntries(Object.entries(problems).map(([field, list]) => [field, list.map((problem) => word(problem, language))]));

/** The body of a refusal: sentences by field (for a batch, by item and field), or code and sentence (`msg` is where older clients look for it). */
export function bodyOf(refusal: Refusal, language: Language): Record<string, unknown> | Record<string, unknown>[] {
  if (refusal instanceof Invalid) return wordAll(refusal.problems, language);
  if (refusal instanceof InvalidCategories)
    return Object.fromEntries(Object.entries(refusal.categories).map(([category, problems]) => [category, wordAll(problems, language)]));
  if (refusal instanceof InvalidItems) return refusal.items.map((problems) => wordAll(problems, language));
  const sentence = word({ code: refusal.code, params: refusal.params }, language);
  return { code: refusal.code, detail: sentence, msg: sentence, ...refusal.extra };
}

/** The most that the codes of fields may fill of an answer's header. */
const MAX_CODES = 2_048;

/**
 * What programs branch on, as headers: the code of the refusal, and where its body has sentences by field, the code of each field (of a batch with
 * the item's number before it), such as `name=required, 2.ip=not_host`.
 */
export function codesOf(refusal: Refusal): Readonly<Record<string, string>> {
  const lines = fieldsOf(refusal).map(([path, code]) => `${path.map((part) => encodeURIComponent(part.toWellFormed())).join('.')}=${code}`);
  let fields = '';
  for (const line of lines) {
    if (fields.length + line.length > MAX_CODES) break;
    fields += fields ? `, ${line}` : line;
  }
  return { 'x-error-code': refusal.code, ...(fields && { 'x-error-fields': fields }) };
}

function fieldsOf(refusal: Refusal): [path: string[], code: ErrorCode][] {
  const under = (problems: FieldProblems, ...path: string[]) =>
    Object.entries(problems).flatMap(([field, list]) => list.slice(0, 1).map(({ code }): [string[], ErrorCode] => [[...path, field], code]));
  if (refusal instanceof Invalid) return under(refusal.problems);
  if (refusal instanceof InvalidItems) return refusal.items.flatMap((problems, index) => under(problems, String(index)));
  if (refusal instanceof InvalidCategories) return Object.entries(refusal.categories).flatMap(([category, problems]) => under(problems, category));
  return [];
}
