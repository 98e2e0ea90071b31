import type { SignInAnswer, SignInPending } from '@sallyport/contract';
import { ApiError } from '../kit/api.ts';

export type View =
  | { readonly kind: 'password'; readonly message?: string; readonly signedIn?: string }
  | { readonly kind: 'step'; readonly pending: SignInPending }
  | { readonly kind: 'codes'; readonly codes: readonly string[]; readonly next: string }
  | { readonly kind: 'leave'; readonly next: string };

const START = '/ui/';

/**
 * Returns the view after an answer: another step, the recovery codes, which are shown once, or the
 * requested page.
 */
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

/**
 * Error codes that end a sign-in, including a wrong answer to a challenge. A wrong second factor
 * does not end it.
 */
const ENDING = new Set<string | undefined>([
  'session_empty',
  'user_inactive',
  'password_failed',
  'challenge_failed',
  'challenge_too_often',
]);

/** Returns true if an error ended the sign-in, which then starts again with the password. */
export function endsSignIn(cause: unknown): cause is ApiError {
  return cause instanceof ApiError && ENDING.has(cause.code);
}

/**
 * Returns the path to open after signing in. `next` comes from the address bar, so only paths of
 * this site are allowed. Rejects `//host`, schemes, backslashes and control characters: browsers
 * may read them as another site.
 */
export function safeNext(value: string | null | undefined): string | undefined {
  if (!value?.startsWith('/') || value.startsWith('//')) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\\\u0000-\u001f\u007f]/.test(value)) return undefined;
  const base = 'http://gate.invalid';
  try {
    return new URL(value, base).origin === base ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Paths of own pages: the start page, and what lies below the first folders. */
const COMPLETE = /^\/(?:(?:ui|core|luna|koko|api)(?:[/?#]|$)|$)/;

/** Completes the path of a page that the console of version 2.1 names without its base. */
export const withBase = (path: string): string => (COMPLETE.test(path) ? path : `/ui${path}`);
