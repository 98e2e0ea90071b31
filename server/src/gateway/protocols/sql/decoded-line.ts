import type { Sliced } from '../../../platform/slices.ts';
import { contentOf, type Notation, unescaped } from './literal-contents.ts';
import { type Reading, TOKENS_AT_ONCE, type Token } from './tokens.ts';

/** Statements without these have no name or literal in another notation. */
const ENCODED = /[\\$&]|'\s*['"/#-]|"\s*["/#-]|\b(?:x|b|n|_\w+)\s*['"]|\b0[xb]/i;
const PREFIX = /^(?:[xbn]|_\w+)$/;
/** Longer literals are no words of a rule. */
const MAX_LITERAL = 1024;

/**
 * A statement with its names and literals in plain notation, in lower case outside of literals:
 * `u&"!0061" uescape '!'` as `a`, `e'\x61'`, `'a' ''` and `$$a$$` as `'a'`. Returns undefined for a
 * statement that has none in another notation.
 */
export function* decodedLine(
  text: string,
  tokens: readonly Token[],
  reading: Reading,
): Sliced<string | undefined> {
  const start = tokens[0]?.start ?? 0;
  if (!ENCODED.test(text.slice(start, tokens.at(-1)?.end))) return undefined;
  const kept = tokens.filter(({ kind }) => kind !== 'blank');
  const rawOf = (index: number) => text.slice(kept[index]?.start, kept[index]?.end);
  const wordOf = (index: number) =>
    kept[index]?.kind === 'word' && (kept[index]?.end ?? 0) - (kept[index]?.start ?? 0) <= 32
      ? rawOf(index).toLowerCase()
      : '';
  /** The escape character of a UESCAPE at an index; undefined if there is none. */
  const markAt = (index: number) =>
    wordOf(index) === 'uescape' ? (rawOf(index + 1)[1] ?? '\\') : undefined;
  const out: string[] = [];
  for (let index = 0; index < kept.length; index++) {
    if (index % TOKENS_AT_ONCE === TOKENS_AT_ONCE - 1) yield;
    const raw = rawOf(index);
    const kind = kept[index]?.kind;
    if (kind === 'name') {
      const isUnicode = /^u&/i.test(raw);
      const mark = markAt(index + 1);
      const inner = raw.slice(isUnicode ? 3 : 1, -1).replace(/(["`])\1/g, '$1');
      out.push((isUnicode ? unescaped(inner, mark ?? '\\') : inner).toLowerCase());
      if (mark !== undefined) index += 2;
    } else if (kind === 'string') {
      const first = index;
      while (kept[index + 1]?.kind === 'string') index++;
      const mark = markAt(index + 1);
      const notation = takePrefix(out, reading, mark);
      out.push(
        quoted(
          Array.from({ length: index - first + 1 }, (_, at) => rawOf(first + at)),
          reading,
          notation,
        ),
      );
      if (mark !== undefined) index += 2;
    } else out.push(kind === 'word' && raw.length <= MAX_LITERAL ? raw.toLowerCase() : raw);
  }
  return out.join(' ').replace(/ ?([.()]) ?/g, '$1');
}

function quoted(raws: readonly string[], reading: Reading, notation: Notation): string {
  const content = raws
    .map((raw) => (raw.length > MAX_LITERAL ? raw : contentOf(raw, reading, notation)))
    .join('');
  return `'${content.replaceAll("'", "''")}'`;
}

/** Takes the words before a literal that belong to it from the words so far. */
function takePrefix(out: string[], { dialect }: Reading, mark: string | undefined): Notation {
  const plain = { base: '', introducer: '', mark: undefined };
  if (out.at(-1) === '&' && out.at(-2) === 'u') {
    out.splice(-2);
    return { ...plain, mark: mark ?? '\\' };
  }
  if (dialect === 'postgresql' || !PREFIX.test(out.at(-1) ?? '')) return plain;
  const isDigits = /^[xb]$/.test(out.at(-1) ?? '');
  const base = isDigits ? (out.pop() ?? '') : '';
  const introducer = /^(?:n|_\w+)$/.test(out.at(-1) ?? '') ? (out.pop() ?? '') : '';
  return { base, introducer, mark: undefined };
}
