/**
 * Types that a browser may display, by file extension. Other files are downloads; our own page
 * displays text.
 */
const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
};

/**
 * No scripts, requests or forms, and an opaque origin: the file cannot act on behalf of the user.
 */
const CAGE =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'";
/**
 * The browser's PDF viewer does not work in a sandbox. It isolates scripts of PDFs itself, and the
 * content type prevents other interpretations.
 */
const PDF_CAGE =
  "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'";

/** Returns content type and policy for display; `undefined` for files that are only downloaded. */
export function viewOf(
  name: string,
): { readonly type: string; readonly policy: string } | undefined {
  const ending = /\.(\w{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (ending === 'pdf') return { type: 'application/pdf', policy: PDF_CAGE };
  const type = Object.hasOwn(IMAGES, ending) ? IMAGES[ending] : undefined;
  return type ? { type, policy: CAGE } : undefined;
}

/** Policy of all other content from a target. */
export const DOWNLOAD_POLICY = CAGE;

/** Content-Disposition header for any file name (RFC 6266, RFC 8187). */
export function dispositionOf(how: 'attachment' | 'inline', name: string): string {
  const clean =
    name
      .toWellFormed()
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069/\\]/gu, '_') || 'file';
  const plain = clean.replace(/[^\x20-\x7e]/g, '_').replace(/["%]/g, '_');
  const encoded = encodeURIComponent(clean).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${how}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * Returns the bytes for a `Range` header: the whole file for a missing or unsupported range,
 * `undefined` for one beyond the file.
 */
export function rangeOf(
  header: string | undefined,
  size: number,
): { readonly start: number; readonly end: number; readonly isPart: boolean } | undefined {
  const whole = { start: 0, end: size, isPart: false };
  const [, first = '', last = ''] =
    /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return whole;
  if (first === '')
    return Number(last) === 0 || size === 0
      ? undefined
      : { start: Math.max(0, size - Number(last)), end: size, isPart: true };
  const start = Number(first);
  if (last !== '' && Number(last) < start) return whole;
  if (start >= size) return undefined;
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1), isPart: true };
}
