import { ApiError } from '../api.ts';
import { PasskeyError } from './passkey/passkey.ts';

/**
 * Returns the message for a failed step, from the server or the device. Rethrows other errors,
 * which are defects.
 */
export function failureText(cause: unknown): string {
  if (cause instanceof PasskeyError) return cause.message;
  if (!(cause instanceof ApiError)) throw cause;
  const fields = Object.values(cause.fields ?? {}).flat();
  return fields.length > 0 ? fields.join('; ') : cause.message;
}
