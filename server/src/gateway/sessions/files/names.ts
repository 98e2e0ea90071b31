import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { Refusal } from '../../refusal.ts';

/** The charset of an asset. */
export type NameCharset = 'utf8' | 'gbk';

/** A byte that is no character is the surrogate of this plus the byte: no text has one alone, so nothing else decodes to it. As in Python's `surrogateescape`. */
const ESCAPE = 0xdc00;
const FIRST_ESCAPED = 0x80;
/** The longest character of both charsets. */
const LONGEST = 4;

/** The bytes of a name or a path as text. Every sequence of bytes has a text of its own. Texts may contain lone surrogates, which JSON carries and URLs do not. */
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

/** The bytes of a text. @throws Refusal for a text that the charset cannot write, or with a NUL */
export function encodeName(text: string, charset: NameCharset): Buffer {
  if (text.includes('\0')) throw new Refusal('file_name');
  if (text.isWellFormed()) return encodeWhole(text, charset);
  const pieces: Buffer[] = [];
  // Surrogates without a partner are single bytes; between them is text.
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

/** A name or a path for a log or a terminal: nothing in it moves a cursor, and no two are written the same. */
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

/** The text, where the bytes are nothing but text and come back from it unchanged. */
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
