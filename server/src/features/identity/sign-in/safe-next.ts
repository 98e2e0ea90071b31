/** Where people land who came from nowhere in particular. */
const HOME = '/ui/';

/** A place on our own site to go on to; anything that could lead elsewhere becomes the console's start. */
export function safeNext(wanted: unknown): string {
  if (typeof wanted !== 'string' || !wanted.startsWith('/') || wanted.length > 2_000) return HOME;
  // Browsers read `//host` and `/\host` as other sites, and drop tabs and line breaks before they look.
  if (/^\/[/\\]/.test(wanted) || /[\p{Cc}\\]/u.test(wanted)) return HOME;
  const url = new URL(wanted, 'http://here.invalid');
  return url.host === 'here.invalid' && !url.pathname.startsWith('//') ? wanted : HOME;
}
