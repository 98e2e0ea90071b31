import { ERRORS, type ErrorCode, say } from '@sallyport/contract';
import { Rejected } from '../../../platform/errors.ts';

/** A refusal for a program. It reads `error` (RFC 6749, 5.2) and shows the description. */
export const oauthProblem = (error: string, code: ErrorCode): Rejected =>
  new Rejected(code, {}, { error, error_description: say(ERRORS[code], 'en') });

/** Longest value that a program sends. */
const MAX_VALUE = 2048;

/**
 * Returns the texts of a form or a query by their names. Each may appear once.
 * @throws Rejected
 */
export function textsOf(values: unknown): Readonly<Record<string, string | undefined>> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(values ?? {})) {
    // PostgreSQL stores no NUL.
    if (typeof value !== 'string' || value.length > MAX_VALUE || value.includes('\0'))
      throw oauthProblem('invalid_request', 'agent_request');
    texts[name] = value;
  }
  return texts;
}
