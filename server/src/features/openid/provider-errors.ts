import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';

const MOST_WORDS = 300;

/** An error code of a provider with its words (RFC 6749, sections 4.1.2.1 and 5.2). */
export interface ProviderError {
  readonly code: string;
  readonly description: string | undefined;
}

/**
 * Returns the error that a provider answered; undefined for any other failure. The answer to a
 * client that sent its secret in a header has a challenge, which the library reads instead of the
 * body.
 */
export function providerErrorOf(error: unknown): ProviderError | undefined {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError)
    return { code: error.error, description: error.error_description };
  if (!(error instanceof WWWAuthenticateChallengeError)) return undefined;
  const { error: code = 'invalid_client', error_description: description } =
    error.cause[0]?.parameters ?? {};
  return { code, description };
}

/** Returns what the library found, which its own message leaves out. */
function detailOf({ cause }: ClientError): string | undefined {
  if (cause instanceof Response) return `HTTP ${cause.status}`;
  if (!(cause instanceof Error)) return undefined;
  const facts = cause.cause as { readonly header?: unknown; readonly alg?: unknown } | undefined;
  const alg = Reflect.get(Object(facts?.header ?? facts), 'alg');
  return [cause.message, typeof alg === 'string' && `alg ${alg}`].filter(Boolean).join(', ');
}

/** Describes a failed sign-in to an administrator, with the provider's own code and words. */
export function describeFailure(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const answer = providerErrorOf(error);
  const detail = answer
    ? [answer.code, answer.description].filter(Boolean).join(': ')
    : error instanceof ClientError && detailOf(error);
  return (detail && detail !== message ? `${message} (${detail})` : message)
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, MOST_WORDS);
}
