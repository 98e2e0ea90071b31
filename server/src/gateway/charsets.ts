import { isUtf8 } from 'node:buffer';
import type { Charset } from '@sallyport/contract';
import iconv from 'iconv-lite';

/**
 * Names of the charsets in iconv-lite. For GBK we use GB18030, a superset that encodes the rest of
 * Unicode in four bytes.
 */
const ENCODINGS: Readonly<Record<Exclude<Charset, 'utf8'>, string>> = {
  gbk: 'gb18030',
  big5: 'big5-hkscs',
  shift_jis: 'shift_jis',
  euc_jp: 'euc-jp',
  euc_kr: 'cp949',
  latin1: 'iso-8859-1',
  latin9: 'iso-8859-15',
  koi8_r: 'koi8-r',
};
/** Charsets with characters of one and two columns in two bytes. */
const WIDE: ReadonlySet<Charset> = new Set(['gbk', 'big5', 'shift_jis', 'euc_jp', 'euc_kr']);

/** Returns true if libraries give two columns to all characters of two bytes. */
export const isWideCharset = (charset: Charset): boolean => WIDE.has(charset);

/** Decodes a text that ends here. Unknown bytes become U+FFFD. */
export function decodeText(bytes: Buffer, charset: Charset): string {
  if (charset === 'utf8') return bytes.toString();
  return iconv.decode(bytes, ENCODINGS[charset], { stripBOM: false });
}

/** Encodes a text. Characters that the charset lacks become question marks. */
export function encodeText(text: string, charset: Charset): Buffer {
  return charset === 'utf8' ? Buffer.from(text) : iconv.encode(text, ENCODINGS[charset]);
}

/** Decodes bytes; undefined unless encoding the text returns the same bytes. */
export function decodeExactly(bytes: Buffer, charset: Charset): string | undefined {
  if (charset === 'utf8') return isUtf8(bytes) ? bytes.toString() : undefined;
  const text = decodeText(bytes, charset);
  const isExact =
    text.isWellFormed() && !text.includes('\ufffd') && encodeText(text, charset).equals(bytes);
  return isExact ? text : undefined;
}

/** Encodes a text; undefined if the charset lacks one of its characters. */
export function encodeExactly(text: string, charset: Charset): Buffer | undefined {
  const bytes = encodeText(text, charset);
  return charset === 'utf8' || decodeText(bytes, charset) === text ? bytes : undefined;
}

/** Removes the characters that the charset lacks. */
export function withoutLacking(text: string, charset: Charset): string {
  if (encodeExactly(text, charset)) return text;
  return [...text].filter((character) => encodeExactly(character, charset)).join('');
}

/** Decodes a text in pieces. Keeps a character that two pieces share until it is complete. */
export function textDecoder(charset: Charset): (piece: Buffer) => string {
  if (charset === 'utf8' || charset === 'gbk') {
    // iconv-lite is slower, and loses half of a four-byte character that pieces split.
    const label = charset === 'utf8' ? 'utf-8' : 'gb18030';
    const decoder = new TextDecoder(label, { ignoreBOM: true });
    return (piece) => decoder.decode(piece, { stream: true });
  }
  // The decoders of Node swap control characters of Shift-JIS and lack characters of Big5.
  const decoder = iconv.getDecoder(ENCODINGS[charset], { stripBOM: false });
  return (piece) => decoder.write(piece);
}

/** Encodes a text in pieces. */
export function textEncoder(charset: Charset): (piece: string) => Buffer {
  if (charset === 'utf8') return (piece) => Buffer.from(piece);
  const encoder = iconv.getEncoder(ENCODINGS[charset]);
  return (piece) => encoder.write(piece);
}
