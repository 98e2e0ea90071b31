import { type FieldProblems, type Language, type Resource, say } from '@sallyport/contract';
import { describeProblem, Invalid } from '../../platform/errors.ts';

/**
 * Describes the problems of one row, a line per field. Secrets are only called invalid: a problem
 * may quote the value.
 */
export function problemsInWords(
  problems: FieldProblems,
  resource: Resource,
  language: Language,
): string[] {
  return Object.entries(problems).map(([name, list]) => {
    const field = resource.fields[name];
    const isSecret = field?.kind === 'secret';
    return `${field ? say(field.label, language) : name}: ${list.map((problem) => describeProblem(isSecret ? { code: 'invalid' } : problem, language)).join('; ')}`;
  });
}

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
