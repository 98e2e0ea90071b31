import { sql } from 'kysely';
import { type Db, sqlState, type Tx } from '../platform/db/database.ts';
import { invalid } from '../platform/errors.ts';
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
 * long enough for the index of trigrams, that one finds words of two letters. With `only`, no other condition narrows the rows: then that index finds them.
 */
export function containsWords(
  words: readonly string[],
  text: Sql,
  pairs: boolean,
  only = false,
): Sql[] {
  const usesPairs = pairs && !words.some((word) => lengthOf(word) >= TRIGRAM);
  return words.map((word) => {
    if (lengthOf(word) >= TRIGRAM) return sql`${text} like ${likePattern(word)}`;
    // Not `like`: the index of trigrams would be read from end to end for it, and find every row.
    const letters = sql`strpos(${text}, ${word}) > 0`;
    if (!usesPairs || lengthOf(word) !== 2) return letters;
    const found = sql`text_pairs(${text}) @> array[${word}::text]`;
    // The pairs of a row cost much: they are for the index, and a row that another index finds is compared by its letters first.
    return only ? found : sql`(${letters} and ${found})`;
  });
}

/** A letter, digit or underscore is part of a word, all else is between words. */
const BETWEEN = '[^[:alnum:]_]';

/** The condition that a text, in lower case, has a word or a phrase with nothing but its ends or other signs around it. */
export function hasWhole(word: string, text: Sql): Sql {
  const literal = word.replace(/[^\p{L}\p{N}\s]/gu, '\\$&');
  // What contains it is found by the index; only that is compared with the expression.
  return sql`(${text} like ${likePattern(word)} and ${text} ~ ${`(^|${BETWEEN})${literal}($|${BETWEEN})`})`;
}

/** The condition that a line of a text, in lower case, matches a pattern that `patternProblem` accepts. `\b` is a border of a word, as most people write it. */
export function matchesPattern(pattern: string, text: Sql): Sql {
  const ours = pattern.replace(/\\([\s\S])/g, (whole, next: string) =>
    next === 'b' ? '\\y' : next === 'B' ? '\\Y' : whole,
  );
  return sql`${text} ~* ${`(?n)${ours}`}`;
}

/** Comparing with a pattern that a caller wrote takes so long at the most. */
const PATTERN_MILLISECONDS = 5_000;

/** Runs a query with a pattern of a caller; the database gives it up after a while. @throws Invalid for a pattern that takes too long or that the database refuses */
export async function withinPatternTime<T>(
  db: Db,
  run: (tx: Tx) => Promise<T>,
  milliseconds = PATTERN_MILLISECONDS,
): Promise<T> {
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = ${sql.lit(milliseconds)}`.execute(tx);
      return run(tx);
    });
  } catch (error) {
    const code = sqlState(error)?.code;
    if (code === '57014') throw invalid('search', 'pattern_slow');
    if (code === '2201B') throw invalid('search', 'pattern_invalid', { value: 're:' });
    throw error;
  }
}
