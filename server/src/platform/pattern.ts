import type { Problem } from '@sallyport/contract';
import { onUse } from './on-use.ts';

/** The library of regular expressions that cannot run away. */
export const regularExpressions = onUse<typeof import('re2js')>('re2js');

/** Instructions of a compiled pattern; `a{1000}` has about a thousand. */
const MAX_PROGRAM = 5_000;

/** What is wrong with a regular expression that a user wrote; `undefined` when it can be used. The syntax is RE2's: no pattern of it can run away. */
export function patternProblem(pattern: string): Problem | undefined {
  const { RE2JS, RE2JSException } = regularExpressions();
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

/** Finds a pattern without a problem anywhere in a text, in time proportional to the text. */
export function patternTest(pattern: string): (text: string) => boolean {
  const compiled = regularExpressions().RE2JS.compile(pattern);
  return (text) => compiled.test(text);
}
