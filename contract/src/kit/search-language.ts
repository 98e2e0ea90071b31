import type { Problem } from '../errors/errors.ts';

/** Kind of a search term: exact text, whole word, or pattern. */
export type SearchKind = 'text' | 'word' | 'pattern';

/** One condition of a search; all must hold. */
export interface SearchTerm {
  readonly kind: SearchKind;
  /** The typed text without sign and quotes. */
  readonly text: string;
  /** The typed text of the term; joined with blanks, the terms are the same search again. */
  readonly raw: string;
}

/** Maximum characters of a pattern. */
export const MAX_PATTERN = 128;

const SIGNS = [
  ['re:', 'pattern'],
  ['=', 'word'],
] as const;

/** End of an unquoted term. Commas separate too, except in patterns. */
const END = { text: /[\s,]/, word: /[\s,]/, pattern: /\s/ } as const;

/**
 * Parses a search: `word`, `"an exact phrase"`, `=word` or `="whole words"`, and `re:pattern` or
 * `re:"a pattern with blanks"`, separated by blanks or commas. Incomplete signs, such as a single
 * quote, are plain text.
 */
export function readSearch(search: string): SearchTerm[] {
  const terms: SearchTerm[] = [];
  let at = 0;
  while (at < search.length) {
    if (/[\s,]/.test(search[at] ?? '')) {
      at++;
      continue;
    }
    const term = termAt(search, at);
    terms.push(term);
    at += term.raw.length;
  }
  return terms;
}

function termAt(search: string, at: number): SearchTerm {
  for (const [sign, kind] of [...SIGNS, ['', 'text'] as const]) {
    if (!search.startsWith(sign, at)) continue;
    const from = at + sign.length;
    const closing = search[from] === '"' ? search.indexOf('"', from + 1) : -1;
    if (closing > from + 1)
      return { kind, text: search.slice(from + 1, closing), raw: search.slice(at, closing + 1) };
    const rest = search.slice(from);
    const end = rest.search(END[kind]);
    const text = end < 0 ? rest : rest.slice(0, end);
    // A sign without content is plain text.
    if (text !== '' && text !== '""')
      return { kind, text, raw: search.slice(at, from + text.length) };
    if (sign === '') return { kind, text, raw: text };
  }
  const rest = search.slice(at);
  const end = rest.search(END.text);
  const text = end < 0 ? rest : rest.slice(0, end);
  return { kind: 'text', text, raw: text };
}

/** Allowed escapes in a pattern: classes, word borders, blanks, and punctuation. */
const ESCAPES = /^[wWsSdDbBtnr]$|^[^\p{L}\p{N}]$/u;

/**
 * Returns the problem of a pattern. Patterns are regular expressions without back references and
 * look-around, which can take exponential time, and without repetitions above 99.
 */
export function patternProblem(pattern: string): Problem | undefined {
  if (pattern.length > MAX_PATTERN)
    return { code: 'pattern_too_long', params: { max: MAX_PATTERN } };
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '\\') {
      const next = pattern[++at];
      if (next === undefined) return { code: 'pattern_invalid', params: { value: pattern } };
      if (!ESCAPES.test(next))
        return { code: 'pattern_unsupported', params: { value: `\\${next}` } };
    } else if (pattern.startsWith('(?', at) && !pattern.startsWith('(?:', at))
      return { code: 'pattern_unsupported', params: { value: pattern.slice(at, at + 3) } };
  }
  if (pattern.startsWith('***')) return { code: 'pattern_unsupported', params: { value: '***' } };
  if (/\{\d{3,}|\{\d+,\d{3,}/.test(pattern))
    return { code: 'pattern_unsupported', params: { value: '{100}' } };
  try {
    new RegExp(pattern);
  } catch {
    return { code: 'pattern_invalid', params: { value: pattern } };
  }
  return undefined;
}
