import type { Charset } from '@sallyport/contract';
import { decodeExactly, encodeExactly } from '../../charsets.ts';
import { MAX_NAME_BYTES, MAX_PATH_BYTES, MAX_PATH_DEPTH } from '../../limits.ts';
import { Refusal } from '../../refusal.ts';

/**
 * Base of escaped bytes: an undecodable byte becomes the lone surrogate `ESCAPE + byte`, which no
 * text contains. Same scheme as Python's `surrogateescape`.
 */
const ESCAPE = 0xdc00;
const FIRST_ESCAPED = 0x80;
/** Maximum bytes per character in all charsets. */
const LONGEST = 4;

/**
 * Decodes a name or path. Distinct bytes have distinct texts. Texts may contain lone surrogates,
 * which JSON can carry and URLs cannot.
 */
export function decodeName(bytes: Buffer, charset: Charset): string {
  const whole = decodeExactly(bytes, charset);
  if (whole !== undefined) return whole;
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = lengthOfCharacter(bytes, at, charset);
    text +=
      length === 0
        ? String.fromCharCode(ESCAPE + (bytes[at] ?? 0))
        : decodeExactly(bytes.subarray(at, at + length), charset);
    at += length || 1;
  }
  return text;
}

/** Encodes a name or path. @throws Refusal for a NUL or a character that the charset lacks */
export function encodeName(text: string, charset: Charset): Buffer {
  if (text.includes('\0')) throw new Refusal('file_name');
  if (text.isWellFormed()) return encodeWhole(text, charset);
  const pieces: Buffer[] = [];
  // Lone surrogates are escaped bytes; the parts between them are text.
  for (const piece of text.split(
    /([\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff])/,
  )) {
    const byte =
      piece.length === 1 && !piece.isWellFormed() ? piece.charCodeAt(0) - ESCAPE : undefined;
    if (byte === undefined) pieces.push(encodeWhole(piece, charset));
    else if (byte >= FIRST_ESCAPED && byte <= 0xff) pieces.push(Buffer.from([byte]));
    else throw new Refusal('file_name');
  }
  return Buffer.concat(pieces);
}

/** Escapes a name or path for a log or terminal: without control characters and unambiguous. */
export function shownName(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\\]/gu, (character) => {
    if (character === '\\') return '\\\\';
    if (character === '\n') return '\\n';
    const code = character.charCodeAt(0);
    return code > 0xff && (code & 0xff00) !== ESCAPE
      ? `\\u${code.toString(16)}`
      : `\\x${(code & 0xff).toString(16).padStart(2, '0')}`;
  });
}

function encodeWhole(text: string, charset: Charset): Buffer {
  const bytes = encodeExactly(text, charset);
  if (!bytes) throw new Refusal('file_name');
  return bytes;
}

function lengthOfCharacter(bytes: Buffer, at: number, charset: Charset): number {
  for (let length = 1; length <= LONGEST && at + length <= bytes.length; length++) {
    if (decodeExactly(bytes.subarray(at, at + length), charset) !== undefined) return length;
  }
  return 0;
}

const SLASH = 0x2f;
const ROOT = Buffer.from('/');

/** Parses a path into names below the root. `..` does not lead above the root. @throws Refusal */
export function readPath(path: string, charset: Charset): Buffer[] {
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
