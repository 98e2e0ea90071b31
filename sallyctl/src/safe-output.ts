/** Maximum characters of a sequence that may still end in a later chunk. */
const MAX_PENDING = 4_096;

/**
 * A control sequence, complete or cut off at the end. Group `text`: a string for the terminal, such
 * as a title, the clipboard or a query; group `final`: the last character of a CSI sequence.
 */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with an escape
  /\x1b(?:\[(?<csi>[\x20-\x3f]*)(?<final>[\x40-\x7e])?|(?<text>[\]PX^_])(?:[^\x07\x1b]|\x1b(?!\\|$))*(?:(?<end>\x07|\x1b\\)|\x1b$)?|[\x20-\x2f]*[\x30-\x5a\x5c\x60-\x7e]|$)/g;

/** ENQ, which terminals answer, and the 8-bit forms of control sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters
const ANSWERBACK = /[\x05\x80-\x9f]/g;

/** Sequences that make a terminal answer, resize its window or print: DA, DSR, window, media. */
const ANSWERED = /[cnxtqi]/;

/**
 * Creates a filter of recorded output. It leaves out strings for the terminal (titles, clipboard,
 * queries of settings) and requests that it answers, which would become input of the viewer.
 */
export function createFilter(): (data: string) => string {
  let pending = '';
  return (data) => {
    const text = pending + data.replace(ANSWERBACK, '');
    pending = '';
    return text.replace(SEQUENCE, (sequence, ...found) => {
      const groups = found.at(-1) as Readonly<Record<string, string | undefined>>;
      const offset = found.at(-3) as number;
      const isOpen =
        sequence === '\x1b' ||
        (groups.csi !== undefined && groups.final === undefined) ||
        (groups.text !== undefined && groups.end === undefined);
      const isAtEnd = offset + sequence.length === text.length;
      if (isOpen && isAtEnd) {
        // A string without an end is dropped as it grows.
        const last = sequence.endsWith('\x1b') ? '\x1b' : '';
        pending = sequence.length <= MAX_PENDING ? sequence : sequence.slice(0, 2) + last;
        return '';
      }
      if (groups.text !== undefined || sequence === '\x1bZ') return '';
      // `CSI … SP q` shapes the cursor; `CSI > q` asks for the version.
      const isShape = groups.final === 'q' && groups.csi?.endsWith(' ');
      return groups.final && ANSWERED.test(groups.final) && !isShape ? '' : sequence;
    });
  };
}
