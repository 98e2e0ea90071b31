import type { LocalText } from '@sallyport/contract';
import { pinyinOf } from './pinyin.ts';

/** How well a name fits what was typed: 0 begins with it, 1 has words that begin with it, 2 contains it; undefined when it does not fit. */
export type Fit = 0 | 1 | 2;

function fitOfText(text: string, words: readonly string[]): Fit | undefined {
  const name = text.toLowerCase();
  if (name.startsWith(words.join(' '))) return 0;
  if (!words.every((word) => name.includes(word))) return undefined;
  return words.every((word) => ` ${name}`.includes(` ${word}`)) ? 1 : 2;
}

/** How well a name in both languages, or its pinyin, fits what was typed. */
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
