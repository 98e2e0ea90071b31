const ESCAPE = '\x1b';
const PASTE = { begin: `${ESCAPE}[200~`, end: `${ESCAPE}[201~` };
/** What a terminal answers by itself, behind the escape: reports of attributes, status, position and focus, of the mouse, and strings. ECMA-48; xterm's control sequences. */
const ANSWER = /^(?:\[[?>=]?[\d;]*[cnRty$]|\[[IO]$|\[<[\d;]+[Mm]|\[M|[P\]_])/;

/** What somebody typed, or pasted, among what a terminal sends; `null` for the answers of the terminal itself. */
export function typedInput(
  data: string,
): { readonly kind: 'keys' | 'paste'; readonly text: string } | null {
  if (data.startsWith(PASTE.begin) && data.endsWith(PASTE.end))
    return { kind: 'paste', text: data.slice(PASTE.begin.length, -PASTE.end.length) };
  return data.startsWith(ESCAPE) && ANSWER.test(data.slice(1))
    ? null
    : { kind: 'keys', text: data };
}
