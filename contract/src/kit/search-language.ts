import type { Problem } from '../errors.ts';

/** What a search asks for: a text to the letter, a whole word, or a pattern. */
export type SearchKind = 'text' | 'word' | 'pattern';

/** One condition of a search; all of them must hold. */
export interface SearchTerm {
  readonly kind: SearchKind;
  /** Without its sign and quotes, as it was typed. */
  readonly text: string;
  /** As it is written in the search: those of all terms with blanks between them are the same search. */
  readonly raw: string;
}

/** Characters of a pattern at the most. */
export const MAX_PATTERN = 128;

const SIGNS = [
  ['re:', 'pattern'],
  ['=', 'word'],
] as const;

/** The end of an unquoted term: a comma separates as well, but patterns have commas of their own. */
const END = { text: /[\s,]/, word: /[\s,]/, pattern: /\s/ } as const;

/**
 * Reads the words of a search: `word`, `"an exact phrase"`, `=word` or `="whole words"`, and `re:pattern` or `re:"a pattern with blanks"`, separated by blanks or
 * commas. What is none of these signs, such as one quote alone, is a text.
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
    // A sign with nothing behind it is a text.
    if (text !== '' && text !== '""')
      return { kind, text, raw: search.slice(at, from + text.length) };
    if (sign === '') return { kind, text, raw: text };
  }
  const rest = search.slice(at);
  const end = rest.search(END.text);
  const text = end < 0 ? rest : rest.slice(0, end);
  return { kind: 'text', text, raw: text };
}

/** What a pattern may have behind a backslash: classes, borders of words, blanks, and every sign. */
const ESCAPES = /^[wWsSdDbBtnr]$|^[^\p{L}\p{N}]$/u;

/**
 * Why a pattern is refused: patterns are regular expressions without back references and without groups that look around, which can take for ever, and without
 * repetitions above 99.
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
