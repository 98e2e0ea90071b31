import { type FieldProblems, type Language, type Resource, say } from '@sallyport/contract';
import { describeProblem } from '../platform/errors.ts';

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
