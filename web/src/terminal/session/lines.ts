const LAST_BREAK = /(\r\n|\r|\n)$/;
const BREAK = /\r\n|\r|\n/;

/** The lines of a text; a line break at its very end does not begin another. */
export function linesOf(text: string): string[] {
  return text.replace(LAST_BREAK, '').split(BREAK);
}

/** Returns true if a text has more than one line. */
export function isMultiline(text: string): boolean {
  return linesOf(text).length > 1;
}
