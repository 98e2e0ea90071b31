import type { SignInAnswer, SignInPending } from '@sallyport/contract';
import { ApiError } from '../kit/api.ts';
import { safeNext } from './next.ts';

/** What the sign-in page shows. */
export type View =
  | { readonly kind: 'password'; readonly message?: string; readonly signedIn?: string }
  | { readonly kind: 'step'; readonly pending: SignInPending }
  | { readonly kind: 'codes'; readonly codes: readonly string[]; readonly next: string }
  | { readonly kind: 'leave'; readonly next: string };

const START = '/ui/';

/** What comes after an answer of the server: another step, the recovery codes, which are shown once, or the way in. */
export function viewAfter(answer: SignInAnswer): View {
  if ('state' in answer)
    return answer.state === 'password'
      ? { kind: 'password', ...(answer.signed_in && { signedIn: answer.signed_in }) }
      : { kind: 'step', pending: answer };
  const next = safeNext(answer.next) ?? START;
  return answer.recovery_codes?.length
    ? { kind: 'codes', codes: answer.recovery_codes, next }
    : { kind: 'leave', next };
}

/** Refusals after which a sign-in begins again with the password; a wrong answer to a question is one of them. */
const ENDING = new Set<string | undefined>([
  'session_empty',
  'user_inactive',
  'password_failed',
  'challenge_failed',
  'challenge_too_often',
]);

/** Whether a refusal ended the whole sign-in, so that it begins again with the password. */
export function endsSignIn(cause: unknown): cause is ApiError {
  return cause instanceof ApiError && ENDING.has(cause.code);
}
