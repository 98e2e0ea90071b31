import { ERRORS } from '@sallyport/contract';
import { StartError } from '../config.ts';
import { AppError, describeProblem } from '../platform/errors.ts';
import { exhaustionOf } from '../platform/exhausted.ts';

/**
 * Says why a start or a command failed: one sentence for the operator about the configuration, the
 * machine or a refusal. Other errors are defects and keep their stack.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof StartError) return error.message;
  if (error instanceof AppError) return describeProblem(error, 'en');
  const code = exhaustionOf(error);
  return code ? `${ERRORS[code].en} (${error.message})` : (error.stack ?? error.message);
}
