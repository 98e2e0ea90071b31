/** Default target after a sign-in. */
const HOME = '/ui/';

/** Returns the target if it is on our own site; otherwise the start page. */
export function safeNext(target: unknown): string {
  if (typeof target !== 'string' || !target.startsWith('/') || target.length > 2_000) return HOME;
  // Browsers treat `//host` and `/\host` as other sites, and drop tabs and line breaks first.
  if (/^\/[/\\]/.test(target) || /[\p{Cc}\\]/u.test(target)) return HOME;
  const url = new URL(target, 'http://here.invalid');
  return url.host === 'here.invalid' && !url.pathname.startsWith('//') ? target : HOME;
}
