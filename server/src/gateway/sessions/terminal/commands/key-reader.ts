/** Bracketed paste: the sequences around pasted text, sent if the program enabled them. */
export const PASTE_BEGIN = '\x1b[200~';
export const PASTE_END = '\x1b[201~';

/** Returns the text of a bracketed paste without its markers. */
export function pastedText(marked: Buffer): string {
  return marked.toString('utf8').slice(PASTE_BEGIN.length, -PASTE_END.length);
}

/** Text that a terminal without a line editor erases. */
export type Erased = 'character' | 'word' | 'line';

/** One action at the keyboard, as far as command lines are concerned. */
export type Key =
  | { readonly kind: 'text'; readonly text: string }
  /** A key that moves, deletes, recalls or completes. */
  | { readonly kind: 'edit'; readonly erases?: Erased }
  | { readonly kind: 'enter' }
  /** Ctrl-C, Ctrl-\ or Ctrl-Z: discards the line. */
  | { readonly kind: 'interrupt' };

/** Reports that a terminal sends automatically: position, type, focus, mouse and colors. */
const REPORT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with an escape
  /^(?:\x1b\[\d+;\d+R|\x1b\[[?>=][\d;]*[cnRu$y]+|\x1b\[[IO]|\x1b\[<[\d;]+[Mm]|\x1b\[M[\s\S]{3}|\x1b[P\]_^][^\x07\x1b]*(?:\x07|\x1b\\))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with an escape
const SEQUENCE = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[\s\S]?)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: text has no control characters
const TEXT = /^[^\x00-\x1f\x7f]+/;

/** Shared objects: a client can send hundreds of thousands of lines per second. */
const EDIT: Key = { kind: 'edit' };
const ERASE: ReadonlyMap<number, Key> = new Map([
  [0x08, { kind: 'edit', erases: 'character' }],
  [0x7f, { kind: 'edit', erases: 'character' }],
  [0x15, { kind: 'edit', erases: 'line' }],
  [0x17, { kind: 'edit', erases: 'word' }],
]);
const ENTER: Key = { kind: 'enter' };
const INTERRUPT: Key = { kind: 'interrupt' };

/** Slices do not cut escape sequences up to this length. */
const LONGEST_SEQUENCE = 32;

/** Cuts input into slices of about `size` bytes, but not inside an escape sequence. */
export function keySlices(chunk: Buffer, size: number): readonly Buffer[] {
  const slices: Buffer[] = [];
  for (let from = 0; from < chunk.length; ) {
    let to = Math.min(from + size, chunk.length);
    const begin = to < chunk.length ? chunk.lastIndexOf(0x1b, to - 1) : -1;
    if (begin > from && to - begin < LONGEST_SEQUENCE) to = begin;
    slices.push(chunk.subarray(from, to));
    from = to;
  }
  return slices;
}

/** Parses keys from the bytes for the target. */
export class KeyReader {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private pasting = false;

  /** Ends an open paste: the program that enabled bracketed paste has exited. */
  endPaste(): void {
    this.pasting = false;
  }

  /**
   * Parses the keys of a chunk. Ignores paste markers unless the program enabled bracketed paste,
   * because they could hide an Enter.
   */
  read(chunk: Buffer, bracketed: boolean): readonly Key[] {
    const keys: Key[] = [];
    let rest = this.decoder.decode(chunk, { stream: true });
    if (!bracketed) this.pasting = false;
    while (rest !== '') {
      const taken = this.next(rest, bracketed, keys);
      rest = rest.slice(taken);
    }
    return keys;
  }

  private next(rest: string, bracketed: boolean, keys: Key[]): number {
    if (bracketed && rest.startsWith(PASTE_BEGIN)) {
      this.pasting = true;
      return PASTE_BEGIN.length;
    }
    if (this.pasting && rest.startsWith(PASTE_END)) {
      this.pasting = false;
      return PASTE_END.length;
    }
    const text = TEXT.exec(rest)?.[0];
    if (text !== undefined) {
      keys.push({ kind: 'text', text });
      return text.length;
    }
    if (this.pasting) {
      // A newline in a paste belongs to the command and does not send it.
      keys.push(EDIT);
      return 1;
    }
    const report = REPORT.exec(rest)?.[0];
    if (report !== undefined) return report.length;
    if (rest.startsWith('\x1b')) {
      keys.push(EDIT);
      return Math.max(1, SEQUENCE.exec(rest)?.[0].length ?? 1);
    }
    keys.push(controlKey(rest.charCodeAt(0), bracketed));
    return 1;
  }
}

function controlKey(code: number, bracketed: boolean): Key {
  if (code === 0x0d || code === 0x0a) return ENTER;
  // Ctrl-O sends the line in a line editor.
  if (code === 0x0f && bracketed) return ENTER;
  if (code === 0x03 || code === 0x1c || code === 0x1a) return INTERRUPT;
  return ERASE.get(code) ?? EDIT;
}
