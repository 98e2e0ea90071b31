import type { LocalText } from '@sallyport/contract';
import { language } from '../../../kit/i18n/language.ts';
import { pinyinOf } from './pinyin.ts';

/**
 * Match quality: 0 the name is the text, 1 it begins with the text, 2 words begin with it, 3 the
 * name contains it.
 */
export type Fit = 0 | 1 | 2 | 3;

/** Shorter texts match beginnings of words only: `rm` is no part of *Platforms*. */
const SHORTEST_INSIDE = 3;

function fitOfText(text: string, words: readonly string[]): Fit | undefined {
  const name = text.toLowerCase();
  const whole = words.join(' ');
  if (name === whole) return 0;
  if (name.startsWith(whole)) return 1;
  if (!words.every((word) => name.includes(word))) return undefined;
  if (words.every((word) => ` ${name}`.includes(` ${word}`))) return 2;
  const isChinese = /[一-鿿]/.test(whole);
  return isChinese || words.every(({ length }) => length >= SHORTEST_INSIDE) ? 3 : undefined;
}

function fitOfPinyin(name: string, typed: string): Fit | undefined {
  if (typed.length < 2) return undefined;
  const { whole, initials, syllables } = pinyinOf(name);
  if (whole === typed) return 0;
  if (whole.startsWith(typed) || initials.startsWith(typed)) return 1;
  const isInside = syllables.some((_, at) => syllables.slice(at).join('').startsWith(typed));
  return isInside ? 2 : undefined;
}

/**
 * Matches a name in both languages; undefined without a match. Readers of Chinese also find it by
 * pinyin.
 */
export function fitOf(
  { en, zh }: LocalText,
  query: string,
  reader: 'en' | 'zh' = language,
): Fit | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = [en, zh].flatMap((text) => fitOfText(text, words) ?? []);
  if (reader === 'zh') fits.push(...[fitOfPinyin(zh, words.join('')) ?? []].flat());
  return fits.toSorted()[0];
}

/** The best match of several names; undefined if none matches. */
export function bestFit(
  names: readonly LocalText[],
  query: string,
  reader: 'en' | 'zh' = language,
): Fit | undefined {
  return names.flatMap((name) => fitOf(name, query, reader) ?? []).toSorted()[0];
}
