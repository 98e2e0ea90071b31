import type { PasskeyMessage } from '@sallyport/contract';
import { t } from '../../i18n/index.ts';
import { words } from './words.ts';

/** A failed passkey operation; the message is a text for users. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError';
}

interface Place {
  readonly isSecureContext: boolean;
  readonly hostname: string;
  readonly hasApi: boolean;
}

/**
 * Returns why passkeys do not work here, or undefined if they do. They need a secure page whose
 * host is a name. Browsers without HTTPS hide the API, so it is checked last.
 */
export function passkeyObstacle(
  page: Place = here(),
): 'address' | 'insecure' | 'unsupported' | undefined {
  if (/^[\d.]+$/.test(page.hostname) || page.hostname.includes(':')) return 'address';
  if (!page.isSecureContext) return 'insecure';
  return page.hasApi ? undefined : 'unsupported';
}

/** Returns true if passkeys work here. */
export const canUsePasskeys = (): boolean => passkeyObstacle() === undefined;

const here = (): Place => ({
  isSecureContext: globalThis.isSecureContext,
  hostname: location.hostname,
  hasApi: typeof globalThis.PublicKeyCredential === 'function',
});

function worded(cause: unknown): PasskeyError {
  const name = cause instanceof Error ? cause.name : '';
  const text =
    name === 'InvalidStateError'
      ? words.known
      : name === 'NotSupportedError' || name === 'SecurityError'
        ? words.unsupported
        : words.aborted;
  return new PasskeyError(t(text), { cause });
}

type Options<F extends (input: never) => unknown> = Parameters<F>[0] extends {
  optionsJSON: infer O;
}
  ? O
  : never;

const library = () => import('@simplewebauthn/browser');
type Library = Awaited<ReturnType<typeof library>>;

/** Creates a passkey on the device. @throws PasskeyError */
export async function makePasskey(options: PasskeyMessage): Promise<PasskeyMessage> {
  const { startRegistration } = await library();
  try {
    return {
      ...(await startRegistration({
        optionsJSON: options as object as Options<Library['startRegistration']>,
      })),
    };
  } catch (cause) {
    throw worded(cause);
  }
}

/** Signs in with a passkey of the device. @throws PasskeyError */
export async function provePasskey(options: PasskeyMessage): Promise<PasskeyMessage> {
  const { startAuthentication } = await library();
  try {
    return {
      ...(await startAuthentication({
        optionsJSON: options as object as Options<Library['startAuthentication']>,
      })),
    };
  } catch (cause) {
    throw worded(cause);
  }
}
