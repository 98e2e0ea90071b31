import { isList, isObject, type Json, type JsonObject, UnreadableBody } from './kube-body.ts';

/** Most operations of one JSON patch, as in an API server. */
const MOST_OPERATIONS = 10_000;
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

function getAt(value: Json | undefined, keys: readonly string[]): Json {
  let part = value;
  for (const key of keys) {
    if (isList(part)) part = part[indexOf(key, part.length)];
    else part = isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined;
  }
  return part ?? (part === null ? null : fail('The patch names a field that is missing.'));
}

/** Returns `value` with a change at a place. `change` receives the parent and the last key. */
function changeAt(
  value: Json,
  keys: readonly string[],
  change: (parent: Json, key: string) => Json,
): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return fail('The patch replaces the whole object.');
  if (rest.length === 0) return change(value, key);
  if (isList(value)) {
    const index = indexOf(key, value.length);
    return value.with(index, changeAt(getAt(value, [key]), rest, change));
  }
  return { ...(value as JsonObject), [key]: changeAt(getAt(value, [key]), rest, change) };
}

const add = (added: Json) => (parent: Json, key: string) => {
  if (isList(parent)) {
    const index = key === '-' ? parent.length : indexOf(key, parent.length + 1);
    return parent.toSpliced(index, 0, added);
  }
  return isObject(parent) ? { ...parent, [key]: added } : fail('The patch has no valid parent.');
};

const remove = (parent: Json, key: string): Json => {
  getAt(parent, [key]);
  if (isList(parent)) return parent.toSpliced(indexOf(key, parent.length), 1);
  const { [key]: _removed, ...rest } = parent as JsonObject;
  return rest;
};

const replace = (value: Json) => (parent: Json, key: string) => {
  getAt(parent, [key]);
  return isList(parent)
    ? parent.with(indexOf(key, parent.length), value)
    : { ...(parent as JsonObject), [key]: value };
};

/** Applies one operation of a JSON patch. */
function applyOperation(target: Json, operation: Json): Json {
  if (!isObject(operation)) return fail('The patch has an operation that is no object.');
  const keys = readPointer(operation.path);
  const value = operation.value ?? null;
  switch (operation.op) {
    case 'add':
      return changeAt(target, keys, add(value));
    case 'remove':
      return changeAt(target, keys, remove);
    case 'replace':
      return changeAt(target, keys, replace(value));
    case 'test':
      return target;
    case 'copy':
      return changeAt(target, keys, add(getAt(target, readPointer(operation.from))));
    case 'move': {
      const from = readPointer(operation.from);
      const moved = getAt(target, from);
      return changeAt(changeAt(target, from, remove), keys, add(moved));
    }
    default:
      return fail('The patch has an unknown operation.');
  }
}

/** Applies a JSON patch (RFC 6902). The API server decides `test`. @throws UnreadableBody */
export function applyJsonPatch(target: Json, patch: readonly Json[]): Json {
  if (patch.length > MOST_OPERATIONS) fail('The patch has too many operations.');
  return patch.reduce(applyOperation, target);
}
