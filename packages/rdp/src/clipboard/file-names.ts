/** Device names of Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)/i;
/**
 * Characters that are unsafe on some system: control characters, path and pattern characters, lone
 * surrogates, and bidirectional controls.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}<>:"/|?*\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const DRIVE = /^[a-z]:/i;
const MAX_DEPTH = 32;

/**
 * Sanitizes a path of a file list, with `\` as separator (MS-RDPECLIP 2.2.5.2.3.1): replaces unsafe
 * characters by `_`. Undefined for absolute paths, drives and `..`.
 */
export function safeName(name: string): string | undefined {
  const steps = name.split('\\');
  if (DRIVE.test(name) || name.startsWith('/') || steps.length > MAX_DEPTH) return undefined;
  const safe: string[] = [];
  for (const step of steps) {
    // Windows strips trailing dots and spaces, so `.. ` equals `..`.
    if (/^[. ]*$/.test(step)) return undefined;
    safe.push(step.replace(UNSAFE, '_').replace(/[. ]$/, '_').replace(DEVICE, '$&_'));
  }
  return safe.join('\\');
}
