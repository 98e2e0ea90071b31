import { atOnce, type Sliced } from '../../platform/slices.ts';
import { ScimError } from './errors.ts';
import { attributeName, type Filter, isMet, isRecord, memberOf, readFilter } from './filter.ts';

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const MAX_OPERATIONS = 1_000;
/** Attributes of one object. */
const MAX_ATTRIBUTES = 200;
/** Values that the operations of one PATCH look at, all together. */
const MAX_VISITED = 10_000_000;
/** Values that are compared with a condition in one turn of the event loop. */
const COMPARED = 500;
const OPERATIONS = new Set(['add', 'remove', 'replace']);
/**
 * A path of RFC 7644 (3.5.2): an attribute, an optional filter of its values, and an optional
 * sub-attribute.
 */
const TARGET = /^([^[\]]+?)(?:\[(.*)\](?:\.([A-Za-z$][\w$-]*))?)?$/s;
/** Multi-valued attributes. */
const MANY = new Set([
  'emails',
  'phonenumbers',
  'members',
  'groups',
  'ims',
  'photos',
  'addresses',
  'entitlements',
  'roles',
  'x509certificates',
]);

type Json = Record<string, unknown>;

const KEPT = new Set(['name', 'displayname', 'active']);

interface Target {
  /** The attribute name in lower case. */
  readonly name: string;
  readonly part: string | undefined;
  readonly filter: Filter | undefined;
}

function readTarget(path: string): Target {
  const [, attribute = '', condition, behind] = TARGET.exec(path.trim()) ?? [];
  const name = attributeName(attribute);
  if (!name) throw new ScimError(400, `${path.slice(0, 100)} is no path.`, 'invalidPath');
  const [first = '', second] = name.split('.');
  return {
    name: first,
    part: behind?.toLowerCase() ?? second,
    filter: condition === undefined ? undefined : readFilter(condition),
  };
}

/** The existing key of an attribute in an object, or else its usual spelling. */
const keyOf = (object: Json, name: string) =>
  Object.keys(object).find((one) => one.toLowerCase() === name.toLowerCase()) ??
  NAMES.get(name.toLowerCase()) ??
  name;
const NAMES = new Map(
  [
    'userName',
    'displayName',
    'externalId',
    'givenName',
    'familyName',
    'phoneNumbers',
    'nickName',
    'profileUrl',
    'userType',
    'preferredLanguage',
  ].map((name) => [name.toLowerCase(), name]),
);
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

/**
 * Appends values that the list does not contain. A new primary value replaces the former primary
 * one.
 */
function added(list: readonly unknown[], values: readonly unknown[]): unknown[] {
  const keyValue = (one: unknown) => (isRecord(one) ? memberOf(one, 'value') : one);
  const isPrimary = (one: unknown) => isRecord(one) && one.primary === true;
  const result = [...list];
  const places = new Map<unknown, number>();
  for (const [at, one] of result.entries())
    if (!places.has(keyValue(one))) places.set(keyValue(one), at);
  let primaries = result.flatMap((one, at) => (isPrimary(one) ? [at] : []));
  for (const value of values) {
    if (isPrimary(value)) {
      for (const at of primaries) result[at] = { ...(result[at] as Json), primary: false };
      primaries = [];
    }
    const at = places.get(keyValue(value)) ?? result.length;
    const before = result[at];
    result[at] = isRecord(before) && isRecord(value) ? { ...before, ...value } : value;
    places.set(keyValue(value), at);
    if (isPrimary(result[at])) primaries.push(at);
  }
  return result;
}

function setPart(object: Json, part: string | undefined, value: unknown): Json {
  if (part === undefined) return isRecord(value) ? { ...object, ...value } : { ...object, value };
  const { [keyOf(object, part)]: _old, ...rest } = object;
  return value === undefined ? rest : { ...rest, [keyOf(object, part)]: value };
}

function* meeting(list: readonly unknown[], filter: Filter): Sliced<Set<unknown>> {
  const matches = new Set<unknown>();
  for (const [at, one] of list.entries()) {
    if (isRecord(one) && isMet(filter, one)) matches.add(one);
    if (at % COMPARED === 0) yield;
  }
  return matches;
}

/** Changes the values that meet a condition. */
function* changeSome(
  object: Json,
  { name, part, filter }: Target & { filter: Filter },
  operation: string,
  value: unknown,
): Sliced<Json> {
  const key = keyOf(object, name);
  const list = listOf(object[key]);
  const meant = yield* meeting(list, filter);
  const isMeant = (one: unknown) => meant.has(one);
  if (operation === 'remove') {
    const left =
      part === undefined
        ? list.filter((one) => !isMeant(one))
        : list.map((one) => (isMeant(one) ? setPart(one as Json, part, undefined) : one));
    return { ...object, [key]: left };
  }
  if (meant.size === 0) {
    if (operation === 'replace' && filter.kind !== 'compare')
      throw new ScimError(400, 'No value meets the condition of the path.', 'noTarget');
    // Established clients set a missing value by its type: `emails[type eq "work"].value`.
    const kind =
      filter.kind === 'compare' && filter.operator === 'eq' ? { [filter.path]: filter.value } : {};
    return { ...object, [key]: [...list, setPart(kind, part, value)] };
  }
  return {
    ...object,
    [key]: list.map((one) => (isMeant(one) ? setPart(one as Json, part, value) : one)),
  };
}

function* change(object: Json, target: Target, operation: string, value: unknown): Sliced<Json> {
  const { name, part, filter } = target;
  if (filter) return yield* changeSome(object, { ...target, filter }, operation, value);
  const key = keyOf(object, name);
  const before = object[key];
  if (part !== undefined) {
    if (MANY.has(name))
      return {
        ...object,
        [key]: listOf(before).map((one) =>
          isRecord(one) ? setPart(one, part, operation === 'remove' ? undefined : value) : one,
        ),
      };
    return {
      ...object,
      [key]: setPart(
        isRecord(before) ? before : {},
        part,
        operation === 'remove' ? undefined : value,
      ),
    };
  }
  if (operation === 'remove') {
    // Established clients send the values to remove.
    const gone = MANY.has(name)
      ? new Set(listOf(value).map((one) => (isRecord(one) ? memberOf(one, 'value') : one)))
      : new Set();
    if (gone.size > 0)
      return {
        ...object,
        [key]: listOf(before).filter((one) => !(isRecord(one) && gone.has(memberOf(one, 'value')))),
      };
    // Required attributes of an account can only be replaced.
    if (KEPT.has(name))
      throw new ScimError(400, `${key} cannot be removed; replace it.`, 'mutability');
    const { [key]: _gone, ...rest } = object;
    return rest;
  }
  if (MANY.has(name))
    return {
      ...object,
      [key]: operation === 'add' ? added(listOf(before), listOf(value)) : added([], listOf(value)),
    };
  return {
    ...object,
    [key]: isRecord(before) && isRecord(value) ? { ...before, ...value } : value,
  };
}

function assertFew(object: Json): void {
  if (Object.keys(object).length > MAX_ATTRIBUTES)
    throw new ScimError(400, `There are more than ${MAX_ATTRIBUTES} attributes.`, 'tooMany');
}

/**
 * Applies the operations of a PATCH to a resource in its wire format (RFC 7644, 3.5.2), all or
 * none.
 * @throws ScimError
 */
export function* patching(resource: Json, body: unknown): Sliced<Json> {
  const schemas = isRecord(body) ? listOf(memberOf(body, 'schemas')) : [];
  const operations = isRecord(body) ? memberOf(body, 'Operations') : undefined;
  if (!schemas.includes(PATCH) || !Array.isArray(operations) || operations.length === 0)
    throw new ScimError(400, `The body is no ${PATCH}.`, 'invalidSyntax');
  if (operations.length > MAX_OPERATIONS)
    throw new ScimError(400, `There are more than ${MAX_OPERATIONS} operations.`, 'tooMany');
  let result = resource;
  let visited = 0;
  for (const one of operations) {
    yield;
    if (!isRecord(one)) throw new ScimError(400, 'An operation is no object.', 'invalidSyntax');
    const operation = String(memberOf(one, 'op') ?? '').toLowerCase();
    const path = memberOf(one, 'path');
    const value = memberOf(one, 'value');
    if (!OPERATIONS.has(operation))
      throw new ScimError(400, `${operation.slice(0, 50)} is no operation.`, 'invalidSyntax');
    if (path === undefined || path === '') {
      if (operation === 'remove')
        throw new ScimError(400, 'An operation that removes needs a path.', 'noTarget');
      if (!isRecord(value))
        throw new ScimError(400, 'Without a path the value must be an object.', 'invalidValue');
      assertFew(value);
      for (const [name, part] of Object.entries(value))
        result = yield* change(result, readTarget(name), operation, part);
      continue;
    }
    for (const part of listOf(value)) if (isRecord(part)) assertFew(part);
    if (typeof path !== 'string' || path.length > 500)
      throw new ScimError(400, 'The path is no text, or too long.', 'invalidPath');
    if (operation !== 'remove' && value === undefined)
      throw new ScimError(400, 'The value is missing.', 'invalidValue');
    const target = readTarget(path);
    visited += listOf(memberOf(result, target.name)).length;
    if (visited > MAX_VISITED)
      throw new ScimError(400, 'The operations change too many values.', 'tooMany');
    result = yield* change(result, target, operation, value);
    assertFew(result);
  }
  return result;
}

/** Like {@link patching}, without slices, for a small resource. @throws ScimError */
export const patched = (resource: Json, body: unknown): Json => atOnce(patching(resource, body));
