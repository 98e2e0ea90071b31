import { ScimError } from './errors.ts';

/**
 * A condition on attributes (RFC 7644, 3.4.2.2). Attribute names are case-insensitive and stored in
 * lower case.
 */
export type Filter =
  | {
      readonly kind: 'compare';
      readonly path: string;
      readonly operator: Operator;
      readonly value: FilterValue;
    }
  | { readonly kind: 'present'; readonly path: string }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  /** A condition on one of several values: `emails[type eq "work"]`. */
  | { readonly kind: 'within'; readonly path: string; readonly part: Filter };

export type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
export type FilterValue = string | number | boolean | null;

const OPERATORS = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']);
const MAX_CHARACTERS = 2_000;
const MAX_DEPTH = 10;
const MAX_PARTS = 50;
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\]])|([^\s()[\]"]+))/y;
/** An attribute name with an optional schema prefix and an optional sub-attribute. */
const PATH = /^(?:urn:[\w:.-]+:)?([a-z$][\w$-]*(?:\.[a-z$][\w$-]*)?)$/i;

function refuse(detail: string): never {
  throw new ScimError(400, detail, 'invalidFilter');
}

function tokensOf(text: string): string[] {
  if (text.length > MAX_CHARACTERS)
    refuse(`The filter is longer than ${MAX_CHARACTERS} characters.`);
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== '') {
    const match = TOKEN.exec(text);
    if (!match) refuse('The filter cannot be read.');
    tokens.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  return tokens;
}

/**
 * The name of an attribute without its schema, in lower case. Undefined if the text is not a name.
 */
export function attributeName(text: string): string | undefined {
  return PATH.exec(text)?.[1]?.toLowerCase();
}

function readValue(token: string | undefined): FilterValue {
  if (token === undefined) refuse('A value is missing at the end of the filter.');
  try {
    const value: unknown = JSON.parse(
      /^(true|false|null)$/i.test(token) ? token.toLowerCase() : token,
    );
    if (
      value === null ||
      typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'boolean'
    )
      return value;
  } catch {
    // Falls through: the token is not a value.
  }
  return refuse(`${token.slice(0, 50)} is no value.`);
}

/**
 * Parses a filter. `and` binds more tightly than `or`, and parentheses follow `not`.
 * @throws ScimError invalidFilter
 */
export function readFilter(text: string): Filter {
  const tokens = tokensOf(text);
  let at = 0;
  let parts = 0;
  const next = () => tokens[at]?.toLowerCase();
  const expect = (token: string) => {
    if (tokens[at] !== token) refuse(`${token} is missing.`);
    at++;
  };

  const one = (depth: number): Filter => {
    if (depth > MAX_DEPTH) refuse('The filter is nested too deeply.');
    if (++parts > MAX_PARTS) refuse('The filter has too many conditions.');
    if (next() === 'not' && tokens[at + 1] === '(') {
      at++;
      return { kind: 'not', part: one(depth + 1) };
    }
    if (next() === '(') {
      at++;
      const inside = either(depth + 1);
      expect(')');
      return inside;
    }
    const path = attributeName(tokens[at] ?? '');
    if (!path)
      refuse(
        tokens[at] === undefined
          ? 'The filter ends too early.'
          : `${String(tokens[at]).slice(0, 50)} is no attribute.`,
      );
    at++;
    if (tokens[at] === '[') {
      at++;
      const part = either(depth + 1);
      expect(']');
      return { kind: 'within', path, part };
    }
    const operator = next();
    at++;
    if (operator === 'pr') return { kind: 'present', path };
    if (!operator || !OPERATORS.has(operator))
      refuse(`${String(operator ?? '').slice(0, 50)} is no operator.`);
    return {
      kind: 'compare',
      path,
      operator: operator as Operator,
      value: readValue(tokens[at++]),
    };
  };
  const joined =
    (kind: 'and' | 'or', part: (depth: number) => Filter) =>
    (depth: number): Filter => {
      const operands = [part(depth)];
      while (next() === kind) {
        at++;
        operands.push(part(depth));
      }
      return operands[0] && operands.length === 1 ? operands[0] : { kind, parts: operands };
    };
  const both = joined('and', one);
  const either = joined('or', both);

  const filter = either(1);
  if (at < tokens.length) refuse(`${String(tokens[at]).slice(0, 50)} is not expected there.`);
  return filter;
}

/**
 * Returns true if an object meets a condition. Compares texts case-insensitively, as for most SCIM
 * attributes.
 */
export function isMet(filter: Filter, object: Readonly<Record<string, unknown>>): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => isMet(part, object));
    case 'or':
      return filter.parts.some((part) => isMet(part, object));
    case 'not':
      return !isMet(filter.part, object);
    case 'within':
      return listOf(memberOf(object, filter.path)).some(
        (one) => isRecord(one) && isMet(filter.part, one),
      );
    case 'present':
      return listOf(valueAt(object, filter.path)).some(
        (value) => value !== undefined && value !== null && value !== '',
      );
    case 'compare':
      return listOf(valueAt(object, filter.path)).some((value) =>
        isComparison(value, filter.operator, filter.value),
      );
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** The member with a name, case-insensitively. */
export function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  const key = Object.keys(object).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : object[key];
}

function valueAt(object: Readonly<Record<string, unknown>>, path: string): unknown {
  const [first = '', second] = path.split('.');
  const value = memberOf(object, first);
  if (second === undefined)
    return Array.isArray(value)
      ? value.map((one) => (isRecord(one) ? memberOf(one, 'value') : one))
      : value;
  if (Array.isArray(value))
    return value.map((one) => (isRecord(one) ? memberOf(one, second) : undefined));
  return isRecord(value) ? memberOf(value, second) : undefined;
}

function isComparison(value: unknown, operator: Operator, wanted: FilterValue): boolean {
  if (operator === 'ne') return !isComparison(value, 'eq', wanted);
  if (typeof value === 'string' && typeof wanted === 'string') {
    const [have, want] = [value.toLowerCase(), wanted.toLowerCase()];
    if (operator === 'co') return have.includes(want);
    if (operator === 'sw') return have.startsWith(want);
    if (operator === 'ew') return have.endsWith(want);
    return operator === 'eq'
      ? have === want
      : isOrdered(have < want ? -1 : have > want ? 1 : 0, operator);
  }
  if (operator === 'eq') return value === wanted || (value === undefined && wanted === null);
  if (typeof value === 'number' && typeof wanted === 'number')
    return isOrdered(value - wanted, operator);
  return false;
}

function isOrdered(difference: number, operator: Operator): boolean {
  if (operator === 'gt') return difference > 0;
  if (operator === 'ge') return difference >= 0;
  return operator === 'lt' ? difference < 0 : operator === 'le' && difference <= 0;
}
