/** Names that Windows gives to devices, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)/i;
/** What no name may have on one system or another: control characters, those that mean something in paths and patterns, halves of characters, and what turns the direction of a text. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}<>:"/|?*\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const DRIVE = /^[a-z]:/i;
const MAX_DEPTH = 32;

/**
 * The name of a file in a list, with its folders, `\` between them (MS-RDPECLIP 2.2.5.2.3.1), as it may pass: characters that a system may take for something else are `_`. Undefined for a name that
 * leads out of its list: absolute, with a drive, or through `..`.
 */
export function safeName(name: string): string | undefined {
  const steps = name.split('\\');
  if (DRIVE.test(name) || name.startsWith('/') || steps.length > MAX_DEPTH) return undefined;
  const safe: string[] = [];
  for (const step of steps) {
    // Windows drops dots and spaces at the end, so that `.. ` would be `..`.
    if (/^[. ]*$/.test(step)) return undefined;
    safe.push(step.replace(UNSAFE, '_').replace(/[. ]$/, '_').replace(DEVICE, '$&_'));
  }
  return safe.join('\\');
}
