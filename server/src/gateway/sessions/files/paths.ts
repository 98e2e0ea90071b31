import { MAX_NAME_BYTES, MAX_PATH_BYTES, MAX_PATH_DEPTH } from '../../limits.ts';
import { Refusal } from '../../refusal.ts';
import { encodeName, type NameCharset } from './names.ts';

const SLASH = 0x2f;
const ROOT = Buffer.from('/');

/** Parses a path into names below the root. `..` does not lead above the root. @throws Refusal */
export function readPath(path: string, charset: NameCharset): Buffer[] {
  if (path.length > MAX_PATH_BYTES) throw new Refusal('file_name');
  const names: Buffer[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') names.pop();
    else names.push(encodeName(part, charset));
  }
  return checked(names);
}

/** Splits a path of the target into names, keeping `.` and `..`. */
export function namesOf(path: Buffer): Buffer[] {
  const names: Buffer[] = [];
  let start = 0;
  for (let at = 0; at <= path.length; at++) {
    if (at < path.length && path[at] !== SLASH) continue;
    if (at > start) names.push(path.subarray(start, at));
    start = at + 1;
  }
  return names;
}

/** Resolves `path` from `base`; `undefined` if `..` leads above the root. */
export function follow(base: readonly Buffer[], path: readonly Buffer[]): Buffer[] | undefined {
  const names = [...base];
  for (const name of path) {
    const text = name.length <= 2 ? name.toString('latin1') : '';
    if (text === '.') continue;
    if (text !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names;
}

/** Joins a folder and names to a path. */
export function join(folder: Buffer, names: readonly Buffer[]): Buffer {
  if (names.length === 0) return folder;
  const pieces = folder.equals(ROOT) ? [] : [folder];
  for (const name of names) pieces.push(ROOT, name);
  return Buffer.concat(pieces);
}

/** Returns the names of an absolute path below a folder; `undefined` if it is outside. */
export function below(folder: Buffer, path: Buffer): Buffer[] | undefined {
  if (path[0] !== SLASH) return undefined;
  const names = follow([], namesOf(path));
  const roots = namesOf(folder);
  if (
    !names ||
    names.length < roots.length ||
    !roots.every((root, index) => names[index]?.equals(root))
  )
    return undefined;
  return names.slice(roots.length);
}

/** @throws Refusal for names or paths longer than file systems allow */
export function checked(names: Buffer[]): Buffer[] {
  const length = names.reduce((sum, name) => sum + name.length + 1, 0);
  if (
    names.length > MAX_PATH_DEPTH ||
    length > MAX_PATH_BYTES ||
    names.some((name) => name.length > MAX_NAME_BYTES)
  )
    throw new Refusal('file_name');
  return names;
}
