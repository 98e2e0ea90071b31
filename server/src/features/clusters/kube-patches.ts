import { checked, isList, isObject, type Json, UnreadableBody } from './kube-body.ts';

/** Most operations of one JSON patch. Each may move all items of a list. */
const MOST_OPERATIONS = 1000;
/** Most characters that the copies of one JSON patch make, as in an API server. */
const MOST_COPIED = 3 * 1_048_576;
const fail = (text: string): never => {
  throw new UnreadableBody(400, text);
};

/** Applies a merge patch (RFC 7386). */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json | undefined> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (value !== undefined) result[key] = applyMergePatch(result[key], value);
  }
  return result;
}

/** Returns the keys of a JSON pointer (RFC 6901). @throws UnreadableBody */
export function readPointer(pointer: Json | undefined): readonly string[] {
  if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/')))
    return fail('The patch has an operation without a valid path.');
  const keys = pointer.split('/').slice(1);
  if (keys.includes('__proto__')) fail('The patch has a key that is not valid.');
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const indexOf = (key: string, length: number): number => {
  const index = /^(0|[1-9][0-9]{0,5})$/.test(key) ? Number(key) : -1;
  return index >= 0 && index < length ? index : fail('The patch names an item that is missing.');
};

function getAt(value: Json, keys: readonly string[]): Json {
  let part: Json | undefined = value;
  for (const key of keys) {
    if (isList(part)) part = part[indexOf(key, part.length)];
    else part = isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined;
  }
  return part ?? (part === null ? null : fail('The patch names a field that is missing.'));
}

/** Returns the object or list that holds a place, and its key there. */
function parentOf(draft: Json, pointer: Json | undefined): { parent: Json; key: string } {
  const keys = readPointer(pointer);
  const key = keys.at(-1);
  if (key === undefined) return fail('The patch replaces the whole object.');
  return { parent: getAt(draft, keys.slice(0, -1)), key };
}

// Only drafts are changed, and nothing else refers to them.
const asList = (parent: Json) => parent as Json[];
const asObject = (parent: Json) => parent as Record<string, Json | undefined>;

function add(draft: Json, pointer: Json | undefined, value: Json): void {
  const { parent, key } = parentOf(draft, pointer);
  if (isList(parent)) {
    const index = key === '-' ? parent.length : indexOf(key, parent.length + 1);
    asList(parent).splice(index, 0, value);
  } else if (isObject(parent)) asObject(parent)[key] = value;
  else fail('The patch has no valid parent.');
}

function remove(draft: Json, pointer: Json | undefined): Json {
  const { parent, key } = parentOf(draft, pointer);
  const removed = getAt(parent, [key]);
  if (isList(parent)) asList(parent).splice(indexOf(key, parent.length), 1);
  else delete asObject(parent)[key];
  return removed;
}

function replace(draft: Json, pointer: Json | undefined, value: Json): void {
  const { parent, key } = parentOf(draft, pointer);
  getAt(parent, [key]);
  if (isList(parent)) asList(parent)[indexOf(key, parent.length)] = value;
  else asObject(parent)[key] = value;
}

/** Applies one operation of a JSON patch to a draft. `copy` returns a copy of a place. */
function applyOperation(
  draft: Json,
  operation: Json,
  copy: (pointer: Json | undefined) => Json,
): void {
  const {
    op,
    path,
    from,
    value = null,
  } = isObject(operation) ? operation : fail('The patch has an operation that is no object.');
  readPointer(path);
  if (op === 'add') add(draft, path, checked(value));
  else if (op === 'remove') remove(draft, path);
  else if (op === 'replace') replace(draft, path, checked(value));
  else if (op === 'copy') add(draft, path, copy(from));
  else if (op === 'move') add(draft, path, remove(draft, from));
  else if (op !== 'test') fail('The patch has an unknown operation.');
}

/**
 * Applies a JSON patch (RFC 6902) to a copy. The API server decides `test`. Copies that copy each
 * other would double with each operation, so their sum is limited. @throws UnreadableBody
 */
export function applyJsonPatch(target: Json, patch: readonly Json[]): Json {
  if (patch.length > MOST_OPERATIONS) fail('The patch has too many operations.');
  const draft = checked(target);
  let copied = 0;
  const copy = (pointer: Json | undefined): Json => {
    const value = checked(getAt(draft, readPointer(pointer)));
    copied += JSON.stringify(value).length;
    return copied > MOST_COPIED ? fail('The patch copies too much.') : value;
  };
  for (const operation of patch) applyOperation(draft, operation, copy);
  // Nested additions can be deeper than each part of the patch.
  return checked(draft);
}
