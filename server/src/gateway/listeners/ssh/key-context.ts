/** Longest public key that is read, in bytes. */
export const MAX_KEY = 16 * 1024;

/** Returns the hash of a signature by an RSA key; undefined for SHA-1 and for other keys. */
export function hashOf(context: object): string | undefined {
  const hash: unknown = Reflect.get(context, 'hashAlgo');
  return typeof hash === 'string' ? hash : undefined;
}
