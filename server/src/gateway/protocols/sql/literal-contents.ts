import type { Reading } from './tokens.ts';

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', 0: '\0', b: '\b' };
const ESCAPE: Readonly<Record<Reading['dialect'], RegExp>> = {
  mysql: /\\[\s\S]|''|""/g,
  postgresql: /\\(?:x[\da-f]{1,2}|u[\da-f]{4}|U[\da-f]{8}|[0-7]{2,3}|[\s\S])|''|""/gi,
};
const CONTINUED = /'[ \t\f\v]*(?:--[^\r\n]*)?[\r\n]\s*'/g;
/** A number of MySQL that is a string, too: its bytes in hexadecimal or binary digits. */
export const NUMBER = /^0(?:x[\da-f]+|b[01]+)$/i;
/** Bytes of a unit of the character sets that do not contain ASCII, by their introducers. */
const WIDE: Readonly<Record<string, number>> = { _ucs2: 2, _utf16: 2, _utf16le: 2, _utf32: 4 };

const charOf = (hex: string, radix = 16): string => {
  const code = Number.parseInt(hex, radix);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
};

/** The words around a literal that say how to read it. */
export interface Notation {
  /** `x` or `b` before digits, a character set such as `_utf16`, or empty. */
  readonly base: string;
  readonly introducer: string;
  /** The escape character of `U&''`, which UESCAPE may change. */
  readonly mark: string | undefined;
}

/** Replaces codes after the escape character of `U&''` or `U&""`. */
export const unescaped = (text: string, mark: string): string =>
  text
    .split(mark + mark)
    .map((part) => {
      const [first = '', ...rest] = part.split(mark);
      return rest.reduce(
        (before, one) =>
          before +
          one.replace(/^(?:\+([\da-f]{6})|([\da-f]{4}))/i, (_, long, short) =>
            charOf(long ?? short),
          ),
        first,
      );
    })
    .join(mark);

function bytesOf(digits: string, base: 2 | 16): Buffer {
  const size = base === 2 ? 8 : 2;
  const whole = digits.padStart(Math.ceil(digits.length / size) * size, '0');
  const bytes = Buffer.alloc(whole.length / size);
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = Number.parseInt(whole.slice(at * size, (at + 1) * size), base);
  return bytes;
}

/** Reads bytes in the character set of an introducer. All others contain ASCII. */
function textOf(bytes: Buffer, introducer: string): string {
  const width = WIDE[introducer];
  if (width === undefined) return bytes.toString('utf8');
  const isLittle = introducer.endsWith('le');
  let text = '';
  for (let at = 0; at + width <= bytes.length; at += width) {
    const code = isLittle ? bytes.readUIntLE(at, width) : bytes.readUIntBE(at, width);
    text += code <= 0x10ffff ? String.fromCodePoint(code) : '';
  }
  return text;
}

/** The content of a literal, as the server reads it. */
export function contentOf(raw: string, reading: Reading, notation: Notation): string {
  const { base, introducer } = notation;
  if (NUMBER.test(raw))
    return textOf(bytesOf(raw.slice(2), /b/i.test(raw[1] ?? '') ? 2 : 16), introducer);
  if (base !== '') return textOf(bytesOf(raw.slice(1, -1), base === 'b' ? 2 : 16), introducer);
  const content = stringOf(raw, reading, notation);
  return WIDE[introducer] === undefined ? content : textOf(Buffer.from(content), introducer);
}

function stringOf(raw: string, { dialect, hasBackslashes }: Reading, { mark }: Notation): string {
  if (raw.startsWith('$')) {
    const tag = raw.indexOf('$', 1) + 1;
    return raw.slice(tag, raw.endsWith(raw.slice(0, tag)) ? -tag : undefined);
  }
  const isEscaped = /^e/i.test(raw);
  const quote = raw[isEscaped ? 1 : 0] ?? '';
  const body = raw.slice(isEscaped ? 2 : 1, raw.endsWith(quote) ? -1 : undefined);
  const inner = isEscaped ? body.replace(CONTINUED, '') : body;
  if (mark !== undefined) return unescaped(inner.replaceAll("''", "'"), mark);
  if (!isEscaped && !hasBackslashes) return inner.replaceAll(quote + quote, quote);
  return inner.replace(ESCAPE[dialect], (match) => {
    if (match[0] !== '\\') return match[0] === quote ? quote : match;
    const rest = match.slice(1);
    if (rest.length === 1) return ESCAPED[rest] ?? rest;
    return /^[xu]/i.test(rest) ? charOf(rest.slice(1)) : charOf(rest, 8);
  });
}
