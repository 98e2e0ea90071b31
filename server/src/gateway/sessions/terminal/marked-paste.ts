/** How a terminal marks a paste for programs that asked for it. */
export const PASTE_BEGIN = '\x1b[200~';
export const PASTE_END = '\x1b[201~';

/** The text of a marked paste, without its marks. */
export function pastedText(marked: Buffer): string {
  return marked.toString('utf8').slice(PASTE_BEGIN.length, -PASTE_END.length);
}
