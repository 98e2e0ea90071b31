import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { Refusal } from '../../refusal.ts';

export type NameCharset = 'utf8' | 'gbk';

/**
 * Base of escaped bytes: an undecodable byte becomes the lone surrogate `ESCAPE + byte`, which no
 * text contains. Same scheme as Python's `surrogateescape`.
 */
const ESCAPE = 0xdc00;
const FIRST_ESCAPED = 0x80;
/** Maximum bytes per character in both charsets. */
const LONGEST = 4;

/**
 * Decodes a name or path. Distinct bytes have distinct texts. Texts may contain lone surrogates,
 * which JSON can carry and URLs cannot.
 */
export function decodeName(bytes: Buffer, charset: NameCharset): string {
  const whole = decodeWhole(bytes, charset);
  if (whole !== undefined) return whole;
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = lengthOfCharacter(bytes, at, charset);
    text +=
      length === 0
        ? String.fromCharCode(ESCAPE + (bytes[at] ?? 0))
        : decodeWhole(bytes.subarray(at, at + length), charset);
    at += length || 1;
  }
  return text;
}

/** Encodes a name or path. @throws Refusal for a NUL or a character that the charset lacks */
export function encodeName(text: string, charset: NameCharset): Buffer {
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

/** Decodes bytes; undefined unless encoding the text returns the same bytes. */
function decodeWhole(bytes: Buffer, charset: NameCharset): string | undefined {
  if (charset === 'utf8') return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
  const text = iconv.decode(bytes, 'gb18030', { stripBOM: false });
  return text.isWellFormed() &&
    !text.includes('\ufffd') &&
    iconv.encode(text, 'gb18030').equals(bytes)
    ? text
    : undefined;
}

function encodeWhole(text: string, charset: NameCharset): Buffer {
  if (charset === 'utf8') return Buffer.from(text, 'utf8');
  const bytes = iconv.encode(text, 'gb18030');
  if (iconv.decode(bytes, 'gb18030', { stripBOM: false }) !== text) throw new Refusal('file_name');
  return bytes;
}

function lengthOfCharacter(bytes: Buffer, at: number, charset: NameCharset): number {
  for (let length = 1; length <= LONGEST && at + length <= bytes.length; length++) {
    if (decodeWhole(bytes.subarray(at, at + length), charset) !== undefined) return length;
  }
  return 0;
}
