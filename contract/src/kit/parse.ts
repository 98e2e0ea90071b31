import type { ErrorParams, Problem } from '../errors.ts';
import type { FieldErrorCode } from '../field-errors.ts';
import { MAX_ITEMS } from '../limits.ts';
import { parseDatetime } from './datetime.ts';
import type { Field, FieldOf } from './field-kinds.ts';
import { FORMATS } from './formats.ts';
import type { Fields } from './resource.ts';
import { isUuid } from './uuid.ts';

type Parsed = { readonly value: unknown } | { readonly problem: Problem<FieldErrorCode> };

const ok = (value: unknown): Parsed => ({ value });
const bad = (code: FieldErrorCode, params?: ErrorParams): Parsed => ({
  problem: params ? { code, params } : { code },
});
/** A value as error messages show it: short, and without descending into nested values. */
const show = (value: unknown): string =>
  Array.isArray(value) ? '[…]' : typeof value === 'object' ? '{…}' : String(value).slice(0, 64);

/**
 * Turns one value of a body into what is stored, or says what is wrong with it. `zone` is that of dates which name none. The existence of linked
 * objects is checked by the server.
 */
export function parseField(field: Field, raw: unknown, zone?: string): Parsed {
  if (raw === null)
    return field.nullable || field.kind === 'secret'
      ? ok(field.kind === 'secret' ? '' : null)
      : bad('null');
  switch (field.kind) {
    case 'id':
    case 'reference':
      if (raw === '' && field.nullable) return ok(null);
      return isUuid(raw) ? ok(raw.toLowerCase()) : bad('not_uuid', { value: show(raw) });
    case 'text':
    case 'secret':
      return parseText(field, raw);
    case 'integer':
      return parseInteger(field, raw);
    case 'boolean':
      return parseBoolean(raw);
    case 'choice': {
      // Some clients write choices in capitals.
      const wanted = typeof raw === 'string' ? raw.toLowerCase() : undefined;
      const found =
        field.choices.find((choice) => choice.value === raw || String(choice.value) === raw) ??
        field.choices.find((choice) => String(choice.value).toLowerCase() === wanted);
      return found ? ok(found.value) : bad('not_choice', { value: show(raw) });
    }
    case 'flags': {
      if (!Array.isArray(raw)) return bad('not_list');
      const unknown = raw.find((name) => !field.choices.some((choice) => choice.value === name));
      return unknown === undefined
        ? ok([...new Set(raw)])
        : bad('not_choice', { value: show(unknown) });
    }
    case 'datetime': {
      if (typeof raw !== 'string') return bad('not_datetime');
      if (raw === '' && field.nullable) return ok(null);
      const date = parseDatetime(raw, zone);
      return date ? ok(date) : bad('not_datetime');
    }
    case 'many':
      return parseIds(field, raw);
    case 'list':
      return parseList(field, raw);
    case 'json':
      return field.mode === 'readonly' ? bad('unknown_field') : parseMap(raw);
    case 'object': {
      const { values, problems } = parseMembers(field, raw, zone);
      const first = Object.values(problems)[0]?.[0];
      return first ? { problem: first } : ok(values);
    }
    case 'computed':
      return bad('unknown_field');
  }
}

/** Characters of a text that declares no limit. */
const MAX_LONG_TEXT = 65_536;

/** Control characters, and those that break a line or turn its direction. */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

function parseText(field: FieldOf<'text' | 'secret'>, raw: unknown): Parsed {
  // Half a surrogate pair is no character, and nothing keeps it.
  if (typeof raw === 'string' ? !raw.isWellFormed() : !Number.isFinite(raw))
    return bad('not_string');
  // A secret is not trimmed: a space at its end may belong to it.
  const text = field.kind === 'secret' || field.keepsBlanks ? String(raw) : String(raw).trim();
  if (text.includes('\u0000')) return bad('nul_byte');
  if (text === '') {
    if (field.kind === 'secret') return ok('');
    if (field.allowBlank) return ok(field.nullable ? null : '');
    return bad('blank');
  }
  // A single-line text with a line break or an escape in it only serves to mislead the reader of a log or a terminal.
  if (field.kind === 'text' && !field.multiline && MISLEADING.test(text))
    return bad('control_character');
  const length = [...text].length;
  const max = field.max ?? MAX_LONG_TEXT;
  if (length > max) return bad('too_long', { max });
  if (field.kind === 'secret') return ok(text);
  if (field.min !== undefined && length < field.min) return bad('too_short', { min: field.min });
  const format = FORMATS[field.format];
  return format.accepts(text) ? ok(text) : bad(format.problem);
}

function parseInteger(field: FieldOf<'integer'>, raw: unknown): Parsed {
  const number = typeof raw === 'string' && /^-?\d{1,15}$/.test(raw.trim()) ? Number(raw) : raw;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return bad('not_integer');
  if (field.min !== undefined && number < field.min) return bad('too_small', { min: field.min });
  const max = field.max ?? 2_147_483_647;
  return number > max ? bad('too_large', { max }) : ok(number);
}

function parseBoolean(raw: unknown): Parsed {
  if (typeof raw === 'boolean') return ok(raw);
  if (raw === 1 || raw === '1' || (typeof raw === 'string' && raw.toLowerCase() === 'true'))
    return ok(true);
  if (raw === 0 || raw === '0' || (typeof raw === 'string' && raw.toLowerCase() === 'false'))
    return ok(false);
  return bad('not_boolean');
}

function parseIds(field: FieldOf<'many'>, raw: unknown): Parsed {
  if (!Array.isArray(raw)) return bad('not_list');
  if (raw.length > MAX_ITEMS) return bad('list_too_long', { max: MAX_ITEMS });
  const wrong = raw.find((item) => !isUuid(item));
  if (wrong !== undefined) return bad('not_uuid', { value: show(wrong) });
  if (raw.length < field.minItems) return bad('list_empty');
  return ok([...new Set(raw.map((item: string) => item.toLowerCase()))]);
}

function parseList(field: FieldOf<'list'>, raw: unknown): Parsed {
  if (!Array.isArray(raw)) return bad('not_list');
  if (raw.length < field.minItems) return bad('list_empty');
  if (raw.length > field.maxItems) return bad('list_too_long', { max: field.maxItems });
  const format = FORMATS[field.format];
  const seen = new Set<string>();
  for (const item of raw) {
    if (typeof item !== 'string' || !item.isWellFormed()) return bad('not_string');
    if (item.includes('\u0000')) return bad('nul_byte');
    if (item.length > field.max) return bad('too_long', { max: field.max });
    if (!format.accepts(item)) return bad(format.problem);
    const key = format.identity(item);
    if (seen.has(key)) return bad('list_duplicate', { value: show(key) });
    seen.add(key);
  }
  return ok(raw);
}

/** A flat object of texts, such as a map of attribute names; also as its JSON text, which older clients send. */
function parseMap(raw: unknown): Parsed {
  const value = fromJsonText(raw);
  if (value === undefined) return bad('malformed_json');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return bad('not_object');
  const entries = Object.entries(value);
  if (entries.length > 100) return bad('list_too_long', { max: 100 });
  if (
    entries.some(
      ([name, text]) =>
        typeof text !== 'string' || text.length > 1_024 || `${name}${text}`.includes('\u0000'),
    )
  )
    return bad('not_string');
  return ok(value);
}

/** What a JSON text holds, and anything else as it is; undefined for a text that is no JSON. */
function fromJsonText(raw: unknown): unknown {
  if (typeof raw !== 'string') return raw;
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

/** The members of an object field, each read by its own declaration; also from a JSON text, which files hold. */
function parseMembers(field: FieldOf<'object'>, raw: unknown, zone?: string): ParsedBody {
  return parseBody(field.fields, fromJsonText(raw), 'create', { zone });
}

/** Fields of a body that are named as unknown, at the most. */
const MAX_UNKNOWN = 20;

/** What a body is read as: a whole new object, a whole replacement, or a change of some fields. */
export type BodyMode = 'create' | 'replace' | 'change';

export interface ParsedBody {
  readonly values: Record<string, unknown>;
  readonly problems: Record<string, Problem<FieldErrorCode>[]>;
}

export interface ParseOptions {
  /** That of dates which name none. */
  readonly zone?: string | undefined;
  /** Names that are accepted and left out: known clients send them with every request, and they mean nothing here. */
  readonly ignored?: readonly string[] | undefined;
  /** Fields whose values come in another way: they are neither read here nor missed. */
  readonly elsewhere?: readonly string[] | undefined;
}

/**
 * Reads a body against field declarations: all problems at once, by field. Read-only fields are accepted and left out, so that an
 * object that was read can be sent back; names that are neither a field nor declared as ignored are refused.
 */
export function parseBody(
  fields: Fields,
  body: unknown,
  mode: BodyMode,
  { zone, ignored = [], elsewhere = [] }: ParseOptions = {},
): ParsedBody {
  const values: Record<string, unknown> = {};
  // Names come from outside, and `__proto__` is one of them.
  const problems: Record<string, Problem<FieldErrorCode>[]> = Object.create(null);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { values, problems: { non_field_errors: [{ code: 'not_object' }] } };
  }
  const given = body as Record<string, unknown>;
  let unknown = 0;
  for (const name in given) {
    if (
      !Object.hasOwn(given, name) ||
      Object.hasOwn(fields, name) ||
      name === 'pk' ||
      ignored.includes(name)
    )
      continue;
    problems[name.slice(0, 64)] = [{ code: 'unknown_field' }];
    // A few say it all; a body of nothing else must not make the answer as long as itself.
    if (++unknown === MAX_UNKNOWN) break;
  }
  for (const [name, field] of Object.entries(fields)) {
    if (
      field.mode === 'readonly' ||
      (field.kind === 'id' && mode !== 'create') ||
      elsewhere.includes(name)
    )
      continue;
    if (!Object.hasOwn(given, name)) {
      if (field.required && mode !== 'change') problems[name] = [{ code: 'required' }];
      continue;
    }
    if (field.kind === 'object' && given[name] !== null) {
      const members = parseMembers(field, given[name], zone);
      // A member's problem is named by its path; the object's own stays with the object.
      for (const [member, list] of Object.entries(members.problems))
        problems[member === 'non_field_errors' ? name : `${name}.${member}`] = list;
      values[name] = members.values;
      continue;
    }
    const parsed = parseField(field, given[name], zone);
    if ('problem' in parsed) problems[name] = [parsed.problem];
    else values[name] = parsed.value;
  }
  return { values, problems };
}
