/**
 * Match quality, best first: equal title, title prefix, prefix of words, part of the title, match
 * outside of the title.
 */
export const Fit = { EXACT: 0, PREFIX: 1, WORD: 2, CONTAINS: 3, OTHER: 4 } as const;
export type FitOfTitle = (typeof Fit)[keyof typeof Fit];

const CHINESE = /[一-鿿]/;

/** Returns true if a word of a text starts with a term. */
function beginsWord(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return true;
  }
  return false;
}

/**
 * Ranks an object for the words of a search by its searchable texts. The first text is its title.
 */
export function fitOf(words: readonly string[], texts: readonly string[]): FitOfTitle {
  const whole = words.join(' ');
  const [title = '', ...others] = texts.map((text) => text.toLowerCase());
  if ([title, ...others].includes(whole)) return Fit.EXACT;
  if (title.startsWith(whole)) return Fit.PREFIX;
  const isInTitle = words.every((word) => title.includes(word));
  if (isInTitle) return words.every((word) => beginsWord(title, word)) ? Fit.WORD : Fit.CONTAINS;
  // Latin letters that a Chinese title does not contain are its pinyin, which matches from the
  // start of a syllable.
  return CHINESE.test(title) && words.every((word) => /^[a-z]/.test(word)) ? Fit.WORD : Fit.OTHER;
}

/** Weight of an object for a user: how often it was used, with recent use counting most. */
export function weightOf(
  { times, date }: { readonly times: number; readonly date: Date },
  now: Date,
): number {
  const days = Math.max(0, now.getTime() - date.getTime()) / 86_400_000;
  return Math.log2(1 + times) / (1 + days / 7);
}
