import { ApiError } from '../api.ts';
import { PasskeyError } from './passkey/passkey.ts';

/** What to tell somebody whose step did not work: the server's sentences, or the device's. Anything else is a defect. */
export function failureText(cause: unknown): string {
  if (cause instanceof PasskeyError) return cause.message;
  if (!(cause instanceof ApiError)) throw cause;
  const fields = Object.values(cause.fields ?? {}).flat();
  return fields.length > 0 ? fields.join('; ') : cause.message;
}
