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
