import type { FieldProblems } from '@sallyport/contract';
import { Invalid } from '../platform/errors.ts';

/** What a rule says against an item; nothing when it lets it pass. Other errors than Invalid go on. */
export async function problemsOf(rule: () => Promise<void> | void): Promise<FieldProblems> {
  try {
    await rule();
    return {};
  } catch (error) {
    if (error instanceof Invalid) return error.problems;
    throw error;
  }
}
