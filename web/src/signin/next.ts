/**
 * Where to go after signing in: only a path of this site. Anything a browser could read as another site
 * (`//host`, a scheme, a backslash, control characters) is refused, because `next` comes from the address bar.
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
