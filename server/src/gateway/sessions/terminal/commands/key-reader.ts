import { PASTE_BEGIN, PASTE_END } from '../marked-paste.ts';

/** What a person did at the keyboard, as far as a command line is concerned. */
export type Key =
  | { readonly kind: 'text'; readonly text: string }
  /** A key that moves, deletes, recalls or completes. */
  | { readonly kind: 'edit' }
  | { readonly kind: 'enter' }
  /** Ctrl-C and its like: the line is given up. */
  | { readonly kind: 'interrupt' };

/** What a terminal sends by itself: reports of position, kind, focus, mouse and colors. Nobody typed it. */
const REPORT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with control characters
  /^(?:\x1b\[\d+;\d+R|\x1b\[[?>=][\d;]*[cnRu$y]+|\x1b\[[IO]|\x1b\[<[\d;]+[Mm]|\x1b\[M[\s\S]{3}|\x1b[P\]_^][^\x07\x1b]*(?:\x07|\x1b\\))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with control characters
const SEQUENCE = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[\s\S]?)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: text is what holds no control character
const TEXT = /^[^\x00-\x1f\x7f]+/;

/** Keys that carry nothing are the same object each time: a client can send off hundreds of thousands of lines in a second. */
const EDIT: Key = { kind: 'edit' };
const ENTER: Key = { kind: 'enter' };
const INTERRUPT: Key = { kind: 'interrupt' };

/** An escape sequence is at most this long where a slice must not cut it. */
const LONGEST_SEQUENCE = 32;

/** Cuts input into slices of about a size, so that none takes long to read; an escape sequence is not cut. */
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

/** Reads keys out of the bytes that go to the target. */
export class KeyReader {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private pasting = false;

  /** Forgets a paste that was begun: the program that asked for marked pastes is gone. */
  endPaste(): void {
    this.pasting = false;
  }

  /** The keys in a chunk. Paste marks count only when the program at the other end asked for them, else they could hide an Enter. */
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
      // A new line inside a paste belongs to the command; it is not sent off yet.
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
  // Ctrl-O runs the line at a line editor's prompt.
  if (code === 0x0f && bracketed) return ENTER;
  if (code === 0x03 || code === 0x1c || code === 0x1a) return INTERRUPT;
  return EDIT;
}
