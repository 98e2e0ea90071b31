/**
 * How well an object fits, best first: its title is the search, begins with it, has words that
 * begin with it, contains it, or it was found by something else.
 */
export const Fit = { EXACT: 0, PREFIX: 1, WORD: 2, CONTAINS: 3, OTHER: 4 } as const;
export type FitOfTitle = (typeof Fit)[keyof typeof Fit];

const CHINESE = /[一-鿿]/;

/** Whether a word of a text begins with a term. */
function beginsWord(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return true;
  }
  return false;
}

/**
 * How well an object fits the words of a search, by the texts that it is looked for by; the first
 * of them is its title.
 */
export function fitOf(words: readonly string[], texts: readonly string[]): FitOfTitle {
  const whole = words.join(' ');
  const [title = '', ...others] = texts.map((text) => text.toLowerCase());
  if ([title, ...others].includes(whole)) return Fit.EXACT;
  if (title.startsWith(whole)) return Fit.PREFIX;
  const found = words.every((word) => title.includes(word));
  if (found) return words.every((word) => beginsWord(title, word)) ? Fit.WORD : Fit.CONTAINS;
  // Letters that are not in a Chinese title are its pinyin, which is looked for from the beginning
  // of a syllable.
  return CHINESE.test(title) && words.every((word) => /^[a-z]/.test(word)) ? Fit.WORD : Fit.OTHER;
}

/**
 * How much a user has to do with an object: how often it was used, of which the last time counts
 * most.
 */
export function weightOf(
  { times, date }: { readonly times: number; readonly date: Date },
  now: Date,
): number {
  const days = Math.max(0, now.getTime() - date.getTime()) / 86_400_000;
  return Math.log2(1 + times) / (1 + days / 7);
}
