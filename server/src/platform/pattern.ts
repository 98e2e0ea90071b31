import type { Problem } from '@sallyport/contract';
import { RE2JS, RE2JSException } from 're2js';

/** Maximum instructions of a compiled pattern; `a{1000}` has about a thousand. */
const MAX_PROGRAM = 5_000;

/** Sum of the bounds of all counted repetitions; each is at least an instruction. */
function repetitionsOf(pattern: string): number {
  let sum = 0;
  for (const [, least, most] of pattern.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g))
    sum += Number(most || least);
  return sum;
}

/**
 * Returns the problem of a user's regular expression in RE2 syntax, or `undefined` if it is valid.
 * RE2 patterns run in linear time.
 */
export function patternProblem(pattern: string): Problem | undefined {
  // Compiling would write each repetition out first.
  if (repetitionsOf(pattern) > MAX_PROGRAM) return { code: 'pattern_too_large' };
  try {
    return RE2JS.compile(pattern).programSize() > MAX_PROGRAM
      ? { code: 'pattern_too_large' }
      : undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return {
      code: 'not_re2',
      params: { why: error.message.replace(/^error parsing regexp: /, '') },
    };
  }
}

/** Compiles a valid pattern to a search anywhere in a text, in linear time. */
export function patternTest(pattern: string): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern);
  return (text) => compiled.test(text);
}
