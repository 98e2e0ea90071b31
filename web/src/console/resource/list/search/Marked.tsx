import { readSearch, type SearchTerm } from '@sallyport/contract';
import { createContext, memo, useContext } from 'react';

/** Maximum characters of a text to mark: patterns of the user run on it. */
const MOST_MARKED = 4096;
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * Returns a pattern for JavaScript, or undefined if JavaScript rejects the dialect of the server.
 */
function patternOf({ kind, text }: SearchTerm): string | undefined {
  if (kind !== 'pattern') return escaped(text);
  try {
    new RegExp(text, 'iu');
    return text;
  } catch {
    return undefined;
  }
}

/** Splits a text at the hits of a search: parts with odd index are hits. */
export function splitAtHits(text: string, search: string): readonly string[] {
  const patterns = readSearch(search).flatMap((term) => patternOf(term) ?? []);
  if (patterns.length === 0 || text.length > MOST_MARKED) return [text];
  const parts: string[] = [];
  let at = 0;
  for (const { 0: hit, index } of text.matchAll(
    new RegExp(patterns.map((one) => `(?:${one})`).join('|'), 'giu'),
  )) {
    if (hit === '') continue;
    parts.push(text.slice(at, index), hit);
    at = index + hit.length;
  }
  return [...parts, text.slice(at)];
}

/** The search of the list around a cell; empty outside of lists. */
export const SearchedText = createContext('');

/** A text with the hits of a search, by default that of the list around it. */
export const Marked = memo(function Marked({
  text,
  search: own,
}: {
  readonly text: string;
  readonly search?: string;
}) {
  const ofList = useContext(SearchedText);
  const search = own ?? ofList;
  if (search === '') return text;
  const parts = splitAtHits(text, search);
  // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
  return parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
});
