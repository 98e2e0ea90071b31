import { readSearch, type SearchTerm } from '@sallyport/contract';
import { memo } from 'react';

/** Longer texts are not marked: a pattern of the user runs on them. */
const MOST_MARKED = 4096;
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** A pattern that the browser can run; the server's dialect has patterns that JavaScript rejects. */
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

/** A text with the hits of a search marked. */
export const Marked = memo(function Marked({
  text,
  search,
}: {
  readonly text: string;
  readonly search: string;
}) {
  const parts = splitAtHits(text, search);
  // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
  return parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
});
