/** A text shorter than this is in nearly every line. */
const SHORTEST = 2;
/** Characters that have a meaning of their own outside of brackets. */
const SPECIAL = new Set('.[](){}*+?|^$\\');

/**
 * The longest text that each match of a pattern must contain; `undefined` where none is certain. A
 * line without it needs no search: of a thousand patterns nearly all are passed over by this. It
 * may miss a text that is there, and never names one that may be absent.
 */
export function requiredLiteral(pattern: string): string | undefined {
  // Flags change what letters mean, and a name may have any sign in it.
  if (/\(\?[^:]/.test(pattern)) return undefined;
  const runs: string[] = [];
  let run: string[] = [];
  const end = () => {
    runs.push(run.join(''));
    run = [];
  };
  for (let at = 0; at < pattern.length; ) {
    // Alternatives may do without each other; those inside of a group are passed over with it.
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
  /** The character that it means; absent for everything that is no single character. */
  readonly literal?: string;
}

/** A character, an escape, a class or a group, with everything inside of it. */
function nextPart(pattern: string, at: number): Part {
  const char = pattern[at] ?? '';
  if (char === '\\') {
    const next = pattern[at + 1] ?? '';
    // Letters and digits are classes, boundaries, codes and quotations; what follows them is not
    // read further.
    if (/[a-z0-9]/i.test(next)) return { length: /[QpPxC]/.test(next) ? pattern.length - at : 2 };
    return { length: 2, literal: next };
  }
  if (char === '[') return { length: closing(pattern, at, ']') };
  if (char === '(') return { length: closing(pattern, at, ')') };
  if (SPECIAL.has(char)) return { length: 1 };
  return { length: 1, literal: char };
}

/** How long a class or a group is; a pattern that is hard to follow counts as one to its end. */
function closing(pattern: string, from: number, last: ']' | ')'): number {
  let depth = 0;
  for (let at = from; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') {
      // A quotation may hold anything.
      if (pattern[at + 1] === 'Q') return pattern.length - from;
      at++;
    } else if (char === '[') {
      if (last === ')') at += closing(pattern, at, ']') - 1;
      // A class inside of a class, such as [[:alpha:]], or a bracket that means itself.
      else if (depth++ > 0 || pattern[at + 1] === ']' || pattern.startsWith('^]', at + 1))
        return pattern.length - from;
    } else if (char === '(' && last === ')') depth++;
    else if (char === last && (last === ']' || --depth === 0)) return at + 1 - from;
  }
  return pattern.length - from;
}
