import type { Charset } from '@sallyport/contract';
import { isWideCharset } from '../../../charsets.ts';
import { WIDTH_RUNS } from './width-table.ts';

/** Columns by class of the table: A, B, C disputed; D, E agreed. */
const WIDTHS = [0, 1, 2, 1, 2] as const;
const CLASSES = 'ABCDE';
const FIRST_AGREED = CLASSES.indexOf('D');
const AGREED_WIDE = CLASSES.indexOf('E');
/** Characters after the table: private planes, and invisible tags and variation selectors. */
const TAGS = [0xe0000, 0xe0fff] as const;
const LAST_ASCII = 0x7e;

/** The class of each character of the table. */
const CLASS_OF = expand(WIDTH_RUNS);

function expand(runs: string): Uint8Array {
  const all = [...runs.matchAll(/([0-9a-z]+)([A-E])/g)].map(([, length = '', name = '']) => ({
    length: Number.parseInt(length, 36),
    value: CLASSES.indexOf(name),
  }));
  const classes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const { length, value } of all) {
    classes.fill(value, at, at + length);
    at += length;
  }
  return classes;
}

/** Columns of a character in the newest Unicode. */
export function widthOf(code: number): 0 | 1 | 2 {
  const width = WIDTHS[CLASS_OF[code] ?? -1];
  if (width !== undefined) return width;
  return code >= TAGS[0] && code <= TAGS[1] ? 0 : 1;
}

/**
 * Returns true if programs disagree about the columns of a character: an emoji, a mark, a character
 * without width, or a new one. In GBK, libraries give two columns to all two-byte characters.
 */
export function isDisputed(code: number, charset: Charset): boolean {
  if (code <= LAST_ASCII) return false;
  const least = isWideCharset(charset) ? AGREED_WIDE : FIRST_AGREED;
  return (CLASS_OF[code] ?? 0) < least;
}

/** Like {@link isDisputed}, for any character of a text. */
export function hasDisputed(text: string, charset: Charset): boolean {
  for (const character of text) if (isDisputed(character.codePointAt(0) ?? 0, charset)) return true;
  return false;
}
