import { patternProblem, readSearch, type SearchKind, type SearchTerm } from '@sallyport/contract';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { Invalid, invalid } from '../../platform/errors.ts';
import type { MountedResource } from '../hooks.ts';
import { allOf } from './scope.ts';
import { containsWords, hasWhole, matchesPattern } from './search-text.ts';

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
