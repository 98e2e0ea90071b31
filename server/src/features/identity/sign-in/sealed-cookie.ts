import type { PublicContext } from '../../../http/context.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import { clearHiddenCookie, readCookie, setHiddenCookie } from '../cookie-names.ts';
import { isSecure } from './cookies.ts';

/** Browsers drop larger cookies. */
const MAX_COOKIE = 3_800;

interface SealedCookieOptions {
  readonly name: string;
  /** Purpose of the seal: a value sealed for another purpose does not open. */
  readonly purpose: string;
  readonly vault: Vault;
  readonly publicUrl: string | undefined;
}

/** Creates a cookie whose value only this server reads. */
export function createSealedCookie({ name, purpose, vault, publicUrl }: SealedCookieOptions) {
  const secure = (context: PublicContext) => isSecure(context, publicUrl);
  const open = <T>(sealed: string | undefined): T | undefined => {
    if (!sealed) return undefined;
    try {
      return JSON.parse(vault.open(sealed, purpose)) as T;
    } catch {
      return undefined;
    }
  };
  return {
    /** Sets the cookie, unless it would be too large for a browser. */
    set(context: PublicContext, value: object, seconds?: number) {
      const sealed = vault.seal(JSON.stringify(value), purpose);
      if (sealed.length <= MAX_COOKIE)
        setHiddenCookie(context.reply, {
          base: name,
          value: sealed,
          secure: secure(context),
          maxAge: seconds,
        });
    },
    /** Returns the value and deletes the cookie. */
    take<T>(context: PublicContext): T | undefined {
      const value = open<T>(readCookie(context.request, name, secure(context)));
      clearHiddenCookie(context.reply, name, secure(context));
      return value;
    },
    /** Returns true if the browser sent the cookie, over either scheme. */
    isSet: ({ request }: PublicContext): boolean =>
      [true, false].some((isHttps) => readCookie(request, name, isHttps) !== undefined),
  };
}
