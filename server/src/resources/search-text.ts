import { sql } from 'kysely';
import type { Sql } from './hooks.ts';

/** A text for `like`, taken to the letter. */
export function likePattern(term: string): string {
  return `%${term.replace(/[\\%_]/g, '\\$&')}%`;
}

/** The beginning of a syllable in the pinyin of a name, for `like`. */
export function pinyinPattern(term: string): string {
  return `% ${likePattern(term).slice(1)}`;
}

/** Words of so many letters are found by the index of trigrams. */
const TRIGRAM = 3;

const lengthOf = (word: string) => [...word].length;

/**
 * The conditions that words are found in a text, the search text of a row. `pairs` says that the text has an index of pairs as well: where no word is
 * long enough for the index of trigrams, that one finds words of two letters.
 */
export function containsWords(words: readonly string[], text: Sql, pairs: boolean): Sql[] {
  const usesPairs = pairs && !words.some((word) => lengthOf(word) >= TRIGRAM);
  return words.map((word) => {
    if (lengthOf(word) >= TRIGRAM) return sql`${text} like ${likePattern(word)}`;
    // Not `like`: the index of trigrams would be read from end to end for it, and find every row.
    const letters = sql`strpos(${text}, ${word}) > 0`;
    // The pairs of a row cost much: they are for the index, and a row that is read is compared by its letters first.
    return usesPairs && lengthOf(word) === 2 ? sql`(${letters} and text_pairs(${text}) @> array[${word}::text])` : letters;
  });
}
