import type { LocalText } from '@sallyport/contract';
import { pinyinOf } from './pinyin.ts';

/**
 * Match quality: 0 the name begins with the text, 1 words begin with it, 2 the name contains it.
 */
export type Fit = 0 | 1 | 2;

function fitOfText(text: string, words: readonly string[]): Fit | undefined {
  const name = text.toLowerCase();
  if (name.startsWith(words.join(' '))) return 0;
  if (!words.every((word) => name.includes(word))) return undefined;
  return words.every((word) => ` ${name}`.includes(` ${word}`)) ? 1 : 2;
}

/** Matches a name in both languages, or its pinyin; undefined without a match. */
export function fitOf({ en, zh }: LocalText, query: string): Fit | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const typed = words.join('');
  const reading = pinyinOf(zh);
  const fits = [en, zh].flatMap((text) => fitOfText(text, words) ?? []);
  if (typed.length > 1 && (reading.whole.startsWith(typed) || reading.initials.startsWith(typed)))
    fits.push(0);
  else if (
    typed.length > 1 &&
    reading.syllables.some((_, at) => reading.syllables.slice(at).join('').startsWith(typed))
  )
    fits.push(1);
  return fits.toSorted()[0];
}

/** The best match of several names; undefined if none matches. */
export function bestFit(names: readonly LocalText[], query: string): Fit | undefined {
  return names.flatMap((name) => fitOf(name, query) ?? []).toSorted()[0];
}
