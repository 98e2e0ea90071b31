import type { CommandVerdict } from '@sallyport/contract';
import type { AcceptedBy, CommandLineReader, TypedLine, TypingStart } from './command-line.ts';
import { looksLikePrompt } from './command-line.ts';
import type { Key } from './key-reader.ts';
import { cut } from './output-capture.ts';
import { trimBlanks } from './screen-lines.ts';

/** Maximum characters of a typed line. */
export const MAX_INPUT = 4096;
const MAX_WAITING = 64;
/** By this time after its prompt, a line editor has read all type-ahead. */
const EDITOR_SETTLED_MS = 300;
/** By this time without output, a shell has echoed all type-ahead, also on slow connections. */
const SHELL_SETTLED_MS = 2_000;
export const NO_TYPISTS: ReadonlySet<string> = new Set();

interface SentLine extends TypedLine {
  readonly sentAt: number;
}

export interface TypedLinesParts {
  readonly reader: CommandLineReader;
  /** Called for a key while no sent line waits: the output of the previous command is complete. */
  readonly onKey: () => void;
  /** Called for typed text. */
  readonly onText: (text: string) => void;
  /** Called for a key that edits the line. */
  readonly onEdit: () => void;
  /** Called when a sent line that was never accepted is dropped. */
  readonly onDropped: () => void;
}

/** The circumstances of a key. */
export interface Typing {
  /** The typist; the empty name is the owner. */
  readonly by: string;
  /** True if the screen shows the effect of all earlier keys. */
  readonly hasSettled: boolean;
}

/** The line that is being typed, and sent lines that the target has not accepted yet. */
export class TypedLines {
  private readonly parts: TypedLinesParts;
  private line: TypedLine | undefined;
  /** A line discarded by a key such as Ctrl-C. The program may have kept it. */
  private givenUp: TypedLine | undefined;
  private sent: SentLine[] = [];
  /** False until a prompt was seen: the shell is still greeting. */
  private hasPrompted = false;
  private promptSince = 0;
  private lastKeyAt = 0;
  private readonly typists = new Typists();

  constructor(parts: TypedLinesParts) {
    this.parts = parts;
  }

  /** The line that is being typed. */
  get current(): TypedLine | undefined {
    return this.line;
  }

  /** The oldest sent line. */
  get oldest(): TypedLine | undefined {
    return this.sent[0];
  }

  /** The line being typed, else the line sent last. */
  get latest(): TypedLine | undefined {
    return this.line ?? this.sent.at(-1);
  }

  /** True if the next key begins a line. */
  get areEmpty(): boolean {
    return this.latest === undefined && this.kept === undefined;
  }

  get hasSent(): boolean {
    return this.sent.length > 0;
  }

  /**
   * The line of the last Enter if the target has not accepted it. The Enter may have ended a search
   * or a menu of the line editor, whose line is now another one.
   */
  get unaccepted(): TypedLine | undefined {
    const last = this.sent.at(-1);
    if (!last?.start || last.sentAt < this.promptSince) return undefined;
    return { start: last.start, typed: undefined, by: last.by };
  }

  /** Time of the last key, in milliseconds since the session began. */
  get pressedAt(): number {
    return this.lastKeyAt;
  }

  /** True if a key discarded a line and no other key followed. */
  get hasGivenUp(): boolean {
    return this.givenUp !== undefined;
  }

  /** The discarded line if it is still in the row of the cursor. */
  get kept(): TypedLine | undefined {
    const { givenUp } = this;
    return givenUp && (!givenUp.start || this.parts.reader.isInRow(givenUp.start))
      ? givenUp
      : undefined;
  }

  /** A line that the program has filled in, before the first key. */
  get filled(): TypedLine | undefined {
    const start = this.hasSent ? undefined : this.parts.reader.mark();
    start?.marker?.dispose();
    return start && start.filled !== '' ? filledLine(start) : undefined;
  }

  press(key: Key, now: number, { by, hasSettled }: Typing): void {
    if (key.kind === 'interrupt') {
      if (this.line) this.givenUp = { start: this.line.start, typed: undefined, by: this.line.by };
      this.line = undefined;
      return;
    }
    this.lastKeyAt = now;
    if (!this.hasSent) this.parts.onKey();
    this.line ??= (this.hasSent ? undefined : this.kept) ?? this.begin();
    if (hasSettled) this.line.expected = this.parts.reader.beforeCursor('editor');
    this.line.by = this.typists.with(this.line.by, by);
    this.givenUp = undefined;
    if (key.kind === 'text' || key.kind === 'edit') {
      this.line.plain = cut(withKey(this.line.plain ?? '', key), MAX_INPUT);
      this.line.expected = expectedAfter(this.line, key);
    }
    if (key.kind !== 'text') {
      this.line.unedited = this.line.latest || this.line.unedited;
      this.line.isMoved ||= key.kind === 'edit' && key.erases !== 'character';
    }
    this.line.latest =
      key.kind === 'text' ? cut((this.line.latest ?? '') + key.text, MAX_INPUT) : '';
    if (key.kind === 'text') {
      this.parts.onText(key.text);
      if (this.line.typed !== undefined)
        this.line.typed = cut(this.line.typed + key.text, MAX_INPUT);
    } else if (key.kind === 'edit') {
      this.parts.onEdit();
      this.line.typed = undefined;
    } else this.send(this.line, now);
  }

  /** The line that the target accepts next. */
  next(by: AcceptedBy): TypedLine | undefined {
    return this.sent[0] ?? (by === 'editor' ? this.line : undefined);
  }

  /** Removes the accepted line. */
  accepted(line: TypedLine): void {
    if (line === this.line) this.line = undefined;
    this.sent.shift();
  }

  /** Notes the answer to a question about the current line. The question was shown below it. */
  answered(verdict: CommandVerdict): void {
    const line = this.line ?? this.kept;
    if (!line) return;
    line.verdict = verdict;
    if (line.start?.prompt !== '') return;
    line.start.marker?.dispose();
    line.start = undefined;
  }

  /** Forgets the line that is being typed. */
  discard(): void {
    this.line?.start?.marker?.dispose();
    this.line = undefined;
  }

  forgetSent(): void {
    this.sent = [];
  }

  /** Handles the prompt of a line editor. */
  prompted(now: number): void {
    this.promptSince = now;
    this.hasPrompted = true;
    // Earlier type-ahead belongs after this prompt or to no line, so its recorded start is invalid.
    for (const line of this.line ? [...this.sent, this.line] : this.sent) {
      line.start?.marker?.dispose();
      line.start = undefined;
    }
  }

  /** Handles a switch between the normal and the alternate screen. */
  screenSwitched(isAlternate: boolean): void {
    // Keys that the full-screen program has not read go to the next program.
    if (this.line && !isAlternate)
      this.givenUp = { start: undefined, typed: undefined, by: this.line.by };
    this.line = undefined;
  }

  /**
   * Forgets sent lines that another program has read: they predate the prompt and were never
   * accepted. `printedAt` is the time of the last output.
   */
  forgetReadAhead(now: number, isEditor: boolean, printedAt: number): void {
    if (!this.hasSent) return;
    if (isEditor) {
      if (now - this.promptSince >= EDITOR_SETTLED_MS)
        this.sent = this.sent.filter((line) => line.sentAt >= this.promptSince);
      return;
    }
    const isAhead = (line: SentLine) =>
      line.start === undefined && now - line.sentAt >= SHELL_SETTLED_MS;
    if (this.line || !this.sent.some(isAhead) || now - printedAt < SHELL_SETTLED_MS) return;
    const here = this.parts.reader.mark();
    if (looksLikePrompt(here)) this.sent = this.sent.filter((line) => !isAhead(line));
    here.marker?.dispose();
  }

  private begin(): TypedLine {
    const start = this.hasSent ? undefined : this.startOfTyping();
    const { prompt = '', filled = '' } = start ?? {};
    if (filled === '') return { start, typed: '', by: NO_TYPISTS, expected: prompt };
    return { ...filledLine(start), expected: prompt + filled };
  }

  private send(line: TypedLine, now: number): void {
    this.sent.push({ ...line, sentAt: now });
    if (this.sent.length > MAX_WAITING) {
      const dropped = this.sent.shift();
      dropped?.start?.marker?.dispose();
      if (trimBlanks(dropped?.typed ?? '')) this.parts.onDropped();
    }
    this.line = undefined;
  }

  /**
   * Returns the start of a new line. Unknown during the greeting: the line will appear after a
   * later prompt.
   */
  private startOfTyping(): TypingStart | undefined {
    const start = this.parts.reader.mark();
    this.hasPrompted ||= start.prompt !== '';
    if (this.hasPrompted) return start;
    start.marker?.dispose();
    return undefined;
  }
}

const ERASED = { character: /.$/u, word: /[^ ]* *$/, line: /.*$/ } as const;

const filledLine = (start: TypingStart | undefined): TypedLine => ({
  start,
  typed: undefined,
  plain: start?.filled ?? '',
  by: NO_TYPISTS,
});

/** Returns a text after a key, as a terminal without a line editor edits it. */
function withKey(text: string, key: Key): string {
  if (key.kind === 'text') return text + key.text;
  const erases = key.kind === 'edit' ? key.erases : undefined;
  return erases ? text.replace(ERASED[erases], '') : text;
}

/** Returns the text left of the cursor after a key; undefined if the key may do anything. */
function expectedAfter({ expected, start }: TypedLine, key: Key): string | undefined {
  if (expected === undefined || (key.kind === 'edit' && !key.erases)) return undefined;
  const prompt = start && expected.startsWith(start.prompt) ? start.prompt : '';
  return prompt + cut(withKey(expected.slice(prompt.length), key), MAX_INPUT);
}

/**
 * Builds sets of typists. Nearly all lines share the typist of the previous one, so they share a
 * set: a user can send thousands of lines per second.
 */
class Typists {
  private last: ReadonlySet<string> = new Set();

  /** Returns `names` with one more name; does not change `names`. */
  with(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
    if (names.has(name)) return names;
    if (names.size > 0) return new Set([...names, name]);
    if (!this.last.has(name)) this.last = new Set([name]);
    return this.last;
  }
}
