/** Shorter texts occur in nearly every line. */
const SHORTEST = 2;
/** Characters with a special meaning outside of brackets. */
const SPECIAL = new Set('.[](){}*+?|^$\\');

/**
 * The longest text that each match of a pattern contains, or undefined if none is certain. Lines
 * without it need no search, which skips most patterns. The result may be too short, but never
 * wrong.
 */
export function requiredLiteral(pattern: string): string | undefined {
  // Flags change the meaning of letters, and group names can contain any character.
  if (/\(\?[^:]/.test(pattern)) return undefined;
  const runs: string[] = [];
  let run: string[] = [];
  const end = () => {
    runs.push(run.join(''));
    run = [];
  };
  for (let at = 0; at < pattern.length; ) {
    // No alternative is certain. Alternatives inside a group are skipped with the group.
    if (pattern[at] === '|') return undefined;
    const part = nextPart(pattern, at);
    at += part.length;
    const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(pattern.slice(at))?.[0] ?? '';
    at += quantifier.length;
    if (part.literal === undefined) end();
    else if (quantifier === '') run.push(part.literal);
    else if (quantifier.startsWith('+')) {
      run.push(part.literal);
      end();
    } else end();
  }
  end();
  const longest = runs.reduce((best, one) => (one.length > best.length ? one : best), '');
  return longest.length >= SHORTEST ? longest : undefined;
}

interface Part {
  readonly length: number;
  /** The character that it matches. Absent for anything else. */
  readonly literal?: string;
}

/** The next character, escape, class or group with its contents. */
function nextPart(pattern: string, at: number): Part {
  const char = pattern[at] ?? '';
  if (char === '\\') {
    const next = pattern[at + 1] ?? '';
    // Escaped letters and digits are classes, boundaries, codes or quotations. Codes and quotations
    // are not parsed further.
    if (/[a-z0-9]/i.test(next)) return { length: /[QpPxC]/.test(next) ? pattern.length - at : 2 };
    return { length: 2, literal: next };
  }
  if (char === '[') return { length: closing(pattern, at, ']') };
  if (char === '(') return { length: closing(pattern, at, ')') };
  if (SPECIAL.has(char)) return { length: 1 };
  return { length: 1, literal: char };
}

/** Length of a class or group. One that is hard to parse extends to the end of the pattern. */
function closing(pattern: string, from: number, last: ']' | ')'): number {
  let depth = 0;
  for (let at = from; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') {
      // A quotation can contain anything.
      if (pattern[at + 1] === 'Q') return pattern.length - from;
      at++;
    } else if (char === '[') {
      if (last === ')') at += closing(pattern, at, ']') - 1;
      // A nested class such as [[:alpha:]], or a literal bracket.
      else if (depth++ > 0 || pattern[at + 1] === ']' || pattern.startsWith('^]', at + 1))
        return pattern.length - from;
    } else if (char === '(' && last === ')') depth++;
    else if (char === last && (last === ']' || --depth === 0)) return at + 1 - from;
  }
  return pattern.length - from;
}
