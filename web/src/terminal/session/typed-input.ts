const ESCAPE = '\x1b';

const PASTE = { begin: `${ESCAPE}[200~`, end: `${ESCAPE}[201~` };

/**
 * Automatic answers of a terminal after the escape: reports of attributes, status, position, focus
 * and mouse, and strings. Source: ECMA-48 and xterm's control sequences.
 */
const ANSWER = /^(?:\[[?>=]?[\d;]*[cnRty$]|\[[IO]$|\[<[\d;]+[Mm]|\[M|[P\]_])/;

/** Returns typed or pasted input; null for automatic answers of the terminal. */
export function typedInput(
  data: string,
): { readonly kind: 'keys' | 'paste'; readonly text: string } | null {
  if (data.startsWith(PASTE.begin) && data.endsWith(PASTE.end))
    return { kind: 'paste', text: data.slice(PASTE.begin.length, -PASTE.end.length) };
  return data.startsWith(ESCAPE) && ANSWER.test(data.slice(1))
    ? null
    : { kind: 'keys', text: data };
}

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
