import {
  type Choice,
  choicesOf,
  FIELD_ERRORS,
  type Field,
  type Fields,
  membersOf,
  parseField,
} from '@sallyport/contract';
import { withoutEnd } from '../../../kit/format/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';

export type FormValues = Readonly<Record<string, unknown>>;
export type FormErrors = Readonly<Record<string, string>>;

/** Distance of the date that means "never": 70 years. */

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const memberValues = (value: unknown): FormValues =>
  typeof value === 'object' && value !== null ? (value as FormValues) : {};

/** Returns true if nothing is entered. False and 0 are values. */
export function isBlank(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  );
}

function blankOf(field: Field | undefined): unknown {
  switch (field?.kind) {
    case 'object':
      return startingValues(Object.keys(field.fields), field.fields, undefined, {});
    case 'many':
    case 'list':
    case 'flags':
      return [];
    case 'boolean':
      return false;
    default:
      return '';
  }
}

function defaultOf(field: Field | undefined): unknown {
  if (field?.kind !== 'datetime') return field?.defaultValue;
  if (field.defaultValue === 'now') return new Date().toISOString();
  return field.defaultValue === 'never' ? withoutEnd().toISOString() : field.defaultValue;
}

/**
 * Converts a stored value to the value of its control: JSON becomes text, objects are converted by
 * member.
 */
function heldAs(field: Field | undefined, value: unknown): unknown {
  if (field?.kind === 'object')
    return startingValues(Object.keys(field.fields), field.fields, memberValues(value), {});
  return field?.kind === 'json' && value !== '' && typeof value !== 'string'
    ? JSON.stringify(value, null, 2)
    : value;
}

/**
 * Returns the starting values of a form: from the object, else from the page, else the default of
 * the field.
 */
export function startingValues(
  names: readonly string[],
  fields: Fields,
  object: FormValues | undefined,
  initial: FormValues,
): FormValues {
  return Object.fromEntries(
    names.map((name) => {
      const field = fields[name];
      const value = object ? (object[name] ?? initial[name]) : (initial[name] ?? defaultOf(field));
      return [name, value === undefined || value === null ? blankOf(field) : heldAs(field, value)];
    }),
  );
}

/**
 * Returns the problem of one value before it is sent: a missing value, or one that the declaration
 * rejects.
 */
export function problemOf(value: unknown, required: boolean, field?: Field): string | undefined {
  if (isBlank(typeof value === 'string' ? value.trim() : value))
    return required ? t(common.required) : undefined;
  if (!field || field.mode === 'readonly') return undefined;
  const parsed = parseField(field, value);
  return 'problem' in parsed
    ? t(FIELD_ERRORS[parsed.problem.code], parsed.problem.params)
    : undefined;
}

/** Returns the problems of a field by path: its own, and those of the members of an object. */
export function problemsOf(
  path: string,
  value: unknown,
  required: boolean,
  field?: Field,
): FormErrors {
  if (field?.kind === 'object') {
    const members = memberValues(value);
    return Object.assign(
      {},
      ...Object.entries(field.fields).map(([name, member]) =>
        problemsOf(`${path}.${name}`, members[name], member.required, member),
      ),
    );
  }
  const problem = problemOf(value, required, field);
  return problem ? { [path]: problem } : {};
}

/**
 * Returns the paths under which a form can show problems: its fields and the members of objects.
 */
export function pathsOf(names: readonly string[], fields: Fields): string[] {
  return names.flatMap((name) => [
    name,
    ...Object.keys(membersOf(fields[name])).map((member) => `${name}.${member}`),
  ]);
}

function sent(value: unknown, field: Field): unknown {
  if (field.kind === 'object') return membersBody(memberValues(value), field.fields);
  if (field.kind === 'json' && typeof value === 'string')
    return value.trim() === '' ? null : (parsedJson(value) ?? value);
  // A blank reference or date is sent as null.
  if (value === '' && (field.kind === 'reference' || field.kind === 'datetime')) return null;
  return typeof value === 'string' && field.kind !== 'secret' ? value.trim() : value;
}

/** Returns the members of an object that have a value, or null if none has. */
function membersBody(values: FormValues, fields: Fields): FormValues | null {
  const members = Object.entries(bodyOf(values, fields)).filter(([, value]) => !isBlank(value));
  return members.length > 0 ? Object.fromEntries(members) : null;
}

/**
 * Builds the request body from writable fields. Blank secrets and numbers are omitted, which means
 * "unchanged".
 */
export function bodyOf(values: FormValues, fields: Fields): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const field = fields[name];
    if (!field || field.mode === 'readonly') continue;
    if (isBlank(value) && (field.kind === 'secret' || field.kind === 'integer')) continue;
    body[name] = sent(value, field);
  }
  return body;
}

/**
 * Splits a server error into problems of fields on this form and the rest. Callers must show the
 * rest.
 */
export function splitErrors(
  fields: Readonly<Record<string, readonly string[]>>,
  drawn: readonly string[],
): { readonly under: FormErrors; readonly rest: readonly string[] } {
  const under: Record<string, string> = {};
  const rest: string[] = [];
  for (const [name, messages] of Object.entries(fields)) {
    const text = messages.join('; ');
    if (drawn.includes(name)) under[name] = text;
    else rest.push(name === 'non_field_errors' ? text : `${name}: ${text}`);
  }
  return { under, rest };
}

/** Returns true if a value differs from the starting values. */
export function isDirty(values: FormValues, start: FormValues): boolean {
  return JSON.stringify(values) !== JSON.stringify(start);
}

/**
 * Returns the choices that a form offers for these permission bits; the current choice is always
 * included.
 */
export function offeredChoices(
  field: Field,
  permissions: number,
  chosen: unknown,
): readonly Choice[] {
  const isChosen = (value: unknown) =>
    Array.isArray(chosen) ? chosen.includes(value) : chosen === value;
  return (choicesOf(field) ?? []).filter(
    ({ value, needs }) =>
      needs === undefined || (needs !== 0 && (permissions & needs) === needs) || isChosen(value),
  );
}
