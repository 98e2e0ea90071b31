import type { FieldProblems } from '@sallyport/contract';
import { Invalid } from '../platform/errors.ts';

/** Runs a rule and returns the problems of an Invalid error. Other errors propagate. */
export async function problemsOf(rule: () => Promise<void> | void): Promise<FieldProblems> {
  try {
    await rule();
    return {};
  } catch (error) {
    if (error instanceof Invalid) return error.problems;
    throw error;
  }
}
