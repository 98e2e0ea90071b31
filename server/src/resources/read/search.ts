import { patternProblem, readSearch, type SearchKind, type SearchTerm } from '@sallyport/contract';
import { type Db, sqlState, type Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { Invalid, invalid } from '../../platform/errors.ts';
import type { MountedResource } from '../hooks.ts';
import { allOf } from './scope.ts';

/** Returns a `like` pattern that matches the term literally. */
export function likePattern(term: string): string {
  return `%${term.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Returns a `like` pattern for the start of a pinyin syllable. */
export function pinyinPattern(term: string): string {
  return `% ${likePattern(term).slice(1)}`;
}

/** Minimum letters for the trigram index. */
const TRIGRAM = 3;

const lengthOf = (word: string) => [...word].length;

/**
 * Returns the conditions that a row's search text contains all words. `pairs`: the text also has an
 * index of letter pairs, for words of two letters. `only`: no other condition limits the rows, so
 * the pair index has to.
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
    // `like` would scan the whole trigram index and match every row.
    const letters = sql`strpos(${text}, ${word}) > 0`;
    if (!usesPairs || lengthOf(word) !== 2) return letters;
    const matchesPair = sql`text_pairs(${text}) @> array[${word}::text]`;
    // Computing a row's pairs is slow. If another index finds the row, compare its letters first.
    return only ? matchesPair : sql`(${letters} and ${matchesPair})`;
  });
}

/** Matches characters of words: letters, digits and underscores. */
const WITHIN = '[[:alnum:]_]';

/**
 * Returns the condition that a lower-case text contains a word or phrase, delimited by other
 * characters.
 */
export function hasWhole(word: string, text: Sql): Sql {
  const literal = word.replace(/[^\p{L}\p{N}\s]/gu, '\\$&');
  // The index preselects rows with `like`; the expression checks only those.
  return sql`(${text} like ${likePattern(word)} and
    ${text} ~ ${`(?<!${WITHIN})${literal}(?!${WITHIN})`})`;
}

/**
 * Returns the condition that a line of a lower-case text matches a pattern that `patternProblem`
 * accepts. Translates `\b` to PostgreSQL.
 */
export function matchesPattern(pattern: string, text: Sql): Sql {
  const ours = pattern.replace(/\\([\s\S])/g, (whole, next: string) =>
    next === 'b' ? '\\y' : next === 'B' ? '\\Y' : whole,
  );
  return sql`${text} ~* ${`(?n)${ours}`}`;
}

/** Timeout of a query with a caller's regular expression. */
const PATTERN_MILLISECONDS = 5_000;

/**
 * Runs a query with a caller's regular expression under a timeout. @throws Invalid for a pattern
 * that times out or is rejected by the database
 */
export async function withinPatternTime<T>(
  db: Db,
  run: (tx: Tx) => Promise<T>,
  milliseconds = PATTERN_MILLISECONDS,
): Promise<T> {
  try {
    return await db.transaction(async (tx) => {
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

/** Maximum terms of a search; further ones are ignored. */
const MAX_TERMS = 10;
/** Maximum characters of a search or a filter value. */
export const MAX_TEXT = 256;

/** Parses the terms of a search; all must match. @throws Invalid for a rejected pattern */
export function searchTerms(query: URLSearchParams): SearchTerm[] {
  const search = query.getAll('search').join(' ');
  if (search.includes('\u0000')) throw invalid('search', 'nul_byte');
  const terms = readSearch(search);
  // A long search of plain words is truncated. Half a phrase or pattern would match other rows, so
  // it is rejected.
  if (
    search.length > MAX_TEXT &&
    terms.some(({ kind, raw, text }) => kind !== 'text' || raw !== text)
  )
    throw invalid('search', 'too_long', { max: MAX_TEXT });
  for (const { kind, text } of terms) {
    const problem = kind === 'pattern' ? patternProblem(text) : undefined;
    if (problem) throw new Invalid({ search: [problem] });
  }
  return (search.length > MAX_TEXT ? readSearch(search.slice(0, MAX_TEXT)) : terms).slice(
    0,
    MAX_TERMS,
  );
}

/** Returns true if the search has a regular expression; such a query needs a timeout. */
export const hasPattern = (query: URLSearchParams): boolean =>
  searchTerms(query).some(({ kind }) => kind === 'pattern');

const lowerTexts = (terms: readonly SearchTerm[], ...kinds: readonly SearchKind[]): string[] =>
  terms.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text.toLowerCase());

/** Returns the texts that must be found, in lower case and without patterns. @throws Invalid */
export const searchTexts = (query: URLSearchParams): string[] =>
  lowerTexts(searchTerms(query), 'text', 'word');

/** Splits a text into lower-case words. */
export function wordsOf(text: string): string[] {
  return text
    .slice(0, MAX_TEXT)
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, MAX_TERMS);
}

/**
 * Searches `search_text`: all searchable fields in lower case, one per line, with a trigram index.
 */
export function searchCondition(
  { resource, hooks }: MountedResource,
  query: URLSearchParams,
): Sql | undefined {
  const terms = searchTerms(query);
  if (
    terms.length === 0 ||
    !(hooks.search || Object.values(resource.fields).some((field) => field.search))
  )
    return undefined;
  const text = sql`t.search_text`;
  const plain = lowerTexts(terms, 'text');
  return allOf([
    ...(hooks.search
      ? [plain.length > 0 ? hooks.search(plain) : undefined]
      : containsWords(plain, text, resource.searchable?.pairs === true)),
    ...lowerTexts(terms, 'word').map((word) => hasWhole(word, text)),
    ...terms
      .filter(({ kind }) => kind === 'pattern')
      .map((term) => matchesPattern(term.text, text)),
  ]);
}
