/** Bracketed paste: the sequences around pasted text, sent if the program enabled them. */
export const PASTE_BEGIN = '\x1b[200~';
export const PASTE_END = '\x1b[201~';

/** Returns the text of a bracketed paste without its markers. */
export function pastedText(marked: Buffer): string {
  return marked.toString('utf8').slice(PASTE_BEGIN.length, -PASTE_END.length);
}
