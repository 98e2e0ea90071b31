import type { ErrorParams, Problem } from '../errors/errors.ts';
import type { FieldErrorCode } from '../errors/field-errors.ts';
import { MAX_ITEMS } from '../limits.ts';
import { parseDatetime } from './datetime.ts';
import { type Field, type FieldOf, isUuid } from './field-kinds.ts';
import { FORMATS } from './formats.ts';
import { namesMetadataService } from './metadata-service.ts';
import { isMisleading } from './misleading.ts';
import type { Fields } from './resource.ts';

type Parsed = { readonly value: unknown } | { readonly problem: Problem<FieldErrorCode> };

const ok = (value: unknown): Parsed => ({ value });

const bad = (code: FieldErrorCode, params?: ErrorParams): Parsed => ({
  problem: params ? { code, params } : { code },
});

/** Formats a value for error messages: short, without nested values. */
const show = (value: unknown): string =>
  Array.isArray(value) ? '[…]' : typeof value === 'object' ? '{…}' : String(value).slice(0, 64);

/**
 * Converts one value of a body to its stored form, or returns its problem. `zone` applies to dates
 * without a zone. The server checks that linked objects exist.
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
      // Some clients send choices in capitals.
      const lowerCase = typeof raw === 'string' ? raw.toLowerCase() : undefined;
      const choice =
        field.choices.find((choice) => choice.value === raw || String(choice.value) === raw) ??
        field.choices.find((choice) => String(choice.value).toLowerCase() === lowerCase);
      return choice ? ok(choice.value) : bad('not_choice', { value: show(raw) });
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

/** Maximum characters of a text without a declared limit. */
const MAX_LONG_TEXT = 65_536;

/** Each character outside the basic plane is two units of a string; the first one is a high one. */
const countCharacters = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff]/g)?.length ?? 0);

function parseText(field: FieldOf<'text' | 'secret'>, raw: unknown): Parsed {
  // A lone surrogate is no character, and databases reject it.
  if (typeof raw === 'string' ? !raw.isWellFormed() : !Number.isFinite(raw))
    return bad('not_string');
  // Keep blanks of a secret: they may belong to it.
  const text = field.kind === 'secret' || field.keepsBlanks ? String(raw) : String(raw).trim();
  if (text.includes('\u0000')) return bad('nul_byte');
  if (text === '') {
    if (field.kind === 'secret') return ok('');
    if (field.allowBlank) return ok(field.nullable ? null : '');
    return bad('blank');
  }
  // Line breaks and escapes in a single-line text could mislead readers of logs and terminals.
  if (field.kind === 'text' && !field.multiline && isMisleading(text))
    return bad('control_character');
  const length = countCharacters(text);
  const max = field.max ?? MAX_LONG_TEXT;
  if (length > max) return bad('too_long', { max });
  if (field.kind === 'secret') return ok(text);
  if (field.min !== undefined && length < field.min) return bad('too_short', { min: field.min });
  const format = FORMATS[field.format];
  if (!format.accepts(text)) return bad(format.problem);
  return field.isService && namesMetadataService(text) ? bad('metadata_address') : ok(text);
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
    if (isMisleading(item)) return bad('control_character');
    if (item.length > field.max) return bad('too_long', { max: field.max });
    if (!format.accepts(item)) return bad(format.problem);
    const key = format.identity(item);
    if (seen.has(key)) return bad('list_duplicate', { value: show(key) });
    seen.add(key);
  }
  return ok(raw);
}

/** Parses a flat object of texts, such as an attribute map; older clients send it as JSON text. */
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

/** Parses a JSON text; returns other values unchanged, and undefined for malformed JSON. */
function fromJsonText(raw: unknown): unknown {
  if (typeof raw !== 'string') return raw;
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

/**
 * Parses the members of an object field, each by its declaration; files contain it as JSON text.
 */
function parseMembers(field: FieldOf<'object'>, raw: unknown, zone?: string): ParsedBody {
  return parseBody(field.fields, fromJsonText(raw), 'create', { zone });
}

/** Maximum unknown fields in an error. */
const MAX_UNKNOWN = 20;

/** Purpose of a body: a new object, a complete replacement, or a change of some fields. */
export type BodyMode = 'create' | 'replace' | 'change';

export interface ParsedBody {
  readonly values: Record<string, unknown>;
  readonly problems: Record<string, Problem<FieldErrorCode>[]>;
}

export interface ParseOptions {
  /** Time zone of dates that name none. */
  readonly zone?: string | undefined;
  /** Names to ignore: known clients send them with every request. */
  readonly ignored?: readonly string[] | undefined;
  /** Fields with values from another source: they are neither parsed nor required. */
  readonly elsewhere?: readonly string[] | undefined;
}

/**
 * Parses a body by field declarations and reports all problems by field. Ignores read-only fields,
 * so callers can send an object back. Rejects unknown names unless declared as ignored.
 */
export function parseBody(
  fields: Fields,
  body: unknown,
  mode: BodyMode,
  { zone, ignored = [], elsewhere = [] }: ParseOptions = {},
): ParsedBody {
  const values: Record<string, unknown> = {};
  // The caller chooses the names, so `__proto__` must be safe.
  const problems: Record<string, Problem<FieldErrorCode>[]> = Object.create(null);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { values, problems: { non_field_errors: [{ code: 'not_object' }] } };
  }
  const sent = body as Record<string, unknown>;
  let unknown = 0;
  for (const name in sent) {
    if (
      !Object.hasOwn(sent, name) ||
      Object.hasOwn(fields, name) ||
      name === 'pk' ||
      ignored.includes(name)
    )
      continue;
    problems[name.slice(0, 64)] = [{ code: 'unknown_field' }];
    // Limit the answer to a body of unknown fields.
    if (++unknown === MAX_UNKNOWN) break;
  }
  for (const [name, field] of Object.entries(fields)) {
    if (
      field.mode === 'readonly' ||
      (field.kind === 'id' && mode !== 'create') ||
      elsewhere.includes(name)
    )
      continue;
    if (!Object.hasOwn(sent, name)) {
      if (field.required && mode !== 'change') problems[name] = [{ code: 'required' }];
      continue;
    }
    if (field.kind === 'object' && sent[name] !== null) {
      const members = parseMembers(field, sent[name], zone);
      // Problems of members are named by path; those of the object by its own name.
      for (const [member, list] of Object.entries(members.problems))
        problems[member === 'non_field_errors' ? name : `${name}.${member}`] = list;
      values[name] = members.values;
      continue;
    }
    const parsed = parseField(field, sent[name], zone);
    if ('problem' in parsed) problems[name] = [parsed.problem];
    else values[name] = parsed.value;
  }
  return { values, problems };
}
