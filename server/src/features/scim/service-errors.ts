import { ERRORS, type Problem, say } from '@sallyport/contract';
import { AppError, Invalid } from '../../platform/errors.ts';
import { ScimError } from './errors.ts';
import { isRecord } from './filter.ts';
import type { Json } from './wire.ts';

/** Converts validation errors of accounts and groups to SCIM errors. */
export async function withScimErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Invalid) {
      const [field = '', problems] = Object.entries(error.problems)[0] ?? [];
      const problem: Problem = (problems as readonly Problem[] | undefined)?.[0] ?? {
        code: 'conflict',
      };
      const words = `${field}: ${say(ERRORS[problem.code], 'en', problem.params ?? {})}`;
      throw problem.code === 'not_unique'
        ? new ScimError(409, words, 'uniqueness')
        : new ScimError(400, words, 'invalidValue');
    }
    if (error instanceof AppError && error.kind === 'forbidden')
      throw new ScimError(403, say(ERRORS[error.code], 'en', error.params));
    if (error instanceof AppError && error.kind === 'conflict')
      throw new ScimError(409, say(ERRORS[error.code], 'en', error.params));
    throw error;
  }
}

/** Rejects a change of an outdated version (RFC 7644, 3.14). */
export function assertMatch(match: string | undefined, resource: Json): void {
  const version = isRecord(resource.meta) ? resource.meta.version : undefined;
  if (
    match !== undefined &&
    match !== '*' &&
    !match.split(',').some((one) => one.trim() === version)
  )
    throw new ScimError(412, 'The resource has changed since it was read.');
}
