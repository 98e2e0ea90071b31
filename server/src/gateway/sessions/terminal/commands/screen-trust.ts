import type { Charset } from '@sallyport/contract';
import type { IUnicodeVersionProvider, Terminal } from '@xterm/headless';
import { hasDisputed, isDisputed, widthOf } from './character-widths.ts';
import { ScreenModes } from './screen-modes.ts';
import { UNICODE_VERSION } from './width-table.ts';

/** Sequences that move nothing: colors, modes and titles. */
const STILL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with an escape
  /\x1b\[[\d;:]*m|\x1b\[\?[\d;]*[hl]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>]/g;
/** Bytes in UTF-8 that can move the cursor: controls, escapes and C1 controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
const MOVING = /[\x08-\x0d\x1b]|\xc2[\x80-\x9f]/;
const END_OF_LINE = /[\r\n]+$/;
/** Characters that zsh writes as their code. */
const CODE = /<[0-9a-f]{4}(?:[0-9a-f]{4})?>/;
/** Some programs write this instead of characters beyond their tables. */
const SUBSTITUTE = '?';
/** xterm.js drops it. */
const BYTE_ORDER_MARK = '\ufeff';
const BEYOND_ASCII = /\P{ASCII}/gu;
const MAX_TYPED_KINDS = 256;
/** Bit of a character that joins the one before. */
const JOINS = 1;
/** Maximum marks over one character: a repetition of the cell repeats them, too. */
const MAX_MARKS = 32;
/** Sequences that erase or shift cells at the cursor. */
const ERASING = ['K', 'J', 'P', 'X', '@'] as const;

/**
 * Tells whether the emulated screen shows the line that the program has. Program and emulator must
 * agree about the columns of each character: otherwise a later move of the cursor overwrites other
 * text here than there.
 */
export class ScreenTrust {
  private readonly charset: Charset;
  private readonly isLineOpen: () => boolean;
  /** False while the history is replayed. */
  private isReading = false;
  private looksAtCells = false;
  /** Column after the last printed character. */
  private printedTo = -1;
  private wasDisputed = false;
  private hasMoved = false;
  /** Like `hasMoved`, without a newline that the last output ends with. */
  private hasMovedInside = false;
  /** Keys that edited the line. */
  private edits = 0;
  /** A half of a wide character was overwritten: the program gives it one column. */
  private isCut = false;
  /** The screen does not show a mark: one after a control character, or that of a byte order. */
  private hasLost = false;
  /** A mode altered what was printed. */
  private wasAltered = false;
  /** Modes of the attached terminal. */
  private modes: ScreenModes | undefined;
  /** Typed characters beyond ASCII. */
  private readonly beyondAscii = new Set<string>();
  private marks = 0;

  /** `isLineOpen` returns true while a line editor or a typed line uses the row of the cursor. */
  constructor(charset: Charset = 'utf8', isLineOpen: () => boolean = () => false) {
    this.charset = charset;
    this.isLineOpen = isLineOpen;
  }

  /** Makes a new terminal use the widths of the newest Unicode, and reads what it prints. */
  attach(terminal: Terminal): void {
    this.modes = new ScreenModes(terminal);
    const provider: IUnicodeVersionProvider = {
      version: UNICODE_VERSION,
      wcwidth: widthOf,
      charProperties: (code, before) => {
        if (this.isReading) this.printed(code, terminal);
        const properties = propertiesOf(code, before);
        this.marks += properties & JOINS;
        this.hasLost ||= this.isReading && properties === 0;
        return properties;
      },
    };
    terminal.unicode.register(provider);
    terminal.unicode.activeVersion = UNICODE_VERSION;
    for (const final of ERASING)
      terminal.parser.registerCsiHandler({ final }, () => {
        if (this.isReading) this.lookAtCursor(terminal);
        return false;
      });
  }

  /** Returns the number of printed marks over other characters since the last call. */
  takeMarks(): number {
    const { marks } = this;
    this.marks = 0;
    return marks;
  }

  /** Forgets the terminal, which was disposed of. */
  detach(): void {
    this.modes = undefined;
  }

  /** A line begins. Returns sequences that restore the modes which another program left. */
  begin(): string {
    this.wasAltered = false;
    return this.modes?.restoring ?? '';
  }

  /** Reads output while `write` interprets it. */
  read(data: Buffer | string, write: (part: Buffer | string) => void): void {
    // A new row without a line of the user starts afresh.
    const fresh = this.isLineOpen() ? 0 : data.lastIndexOf('\n') + 1;
    if (fresh > 0) {
      write(data.slice(0, fresh));
      this.forget();
    }
    const rest = fresh > 0 ? data.slice(fresh) : data;
    if (rest.length === 0) return;
    this.hasMovedInside = this.hasMoved;
    if (!this.hasMoved) {
      const moves = movesOf(rest);
      this.hasMovedInside = MOVING.test(moves.replace(END_OF_LINE, ''));
      this.hasMoved = MOVING.test(moves);
    }
    this.looksAtCells = !this.isCut && mayCut(rest);
    this.hasLost ||= rest.includes(BYTE_ORDER_MARK);
    this.printedTo = -1;
    this.isReading = true;
    write(rest);
    this.isReading = false;
  }

  /** Notes typed text, which the screen may show in another form. */
  typed(text: string): void {
    this.wasDisputed ||= hasDisputed(text, this.charset);
    for (const [character] of text.matchAll(BEYOND_ASCII))
      if (this.beyondAscii.size < MAX_TYPED_KINDS) this.beyondAscii.add(character);
  }

  /**
   * Notes a key that edits the line. The screen may not show the effect: a program that deletes a
   * character without width has nothing to erase.
   */
  edited(): void {
    this.edits++;
    this.hasMoved ||= this.wasDisputed;
    this.hasMovedInside ||= this.wasDisputed;
  }

  /** A new prompt follows, or the line was cleared. */
  forget(): void {
    this.wasDisputed = false;
    this.hasMoved = false;
    this.hasMovedInside = false;
    this.edits = 0;
    this.isCut = false;
    this.hasLost = false;
    this.wasAltered = false;
    this.beyondAscii.clear();
  }

  /**
   * Returns true if a line of this text may differ from the program's line. `hasEnded`: the last
   * output ends it.
   */
  isUncertain(text: string, hasEnded: boolean): boolean {
    // A single key can recall a line from the history. A second key edits it.
    const hasMoved = this.edits > 1 || (hasEnded ? this.hasMovedInside : this.hasMoved);
    return (
      this.isCut ||
      this.hasLost ||
      this.wasAltered ||
      this.modes?.areAltered === true ||
      this.isSubstituted(text) ||
      (hasMoved && (this.wasDisputed || hasDisputed(text, this.charset)))
    );
  }

  /** Returns true if the text has other characters instead of typed ones. */
  private isSubstituted(text: string): boolean {
    if (CODE.test(text)) return true;
    return text.includes(SUBSTITUTE) && [...this.beyondAscii].some((one) => !text.includes(one));
  }

  private printed(code: number, terminal: Terminal): void {
    this.wasDisputed ||= isDisputed(code, this.charset);
    this.wasAltered ||= this.modes?.areAlteringText === true;
    if (!this.looksAtCells) return;
    const { cursorX } = terminal.buffer.active;
    // A character that follows another one may overwrite a half.
    if (cursorX !== this.printedTo) this.lookAtCursor(terminal);
    this.printedTo = cursorX + widthOf(code);
  }

  private lookAtCursor({ buffer: { active } }: Terminal): void {
    if (this.isCut) return;
    const row = active.getLine(active.baseY + active.cursorY);
    const at = active.cursorX;
    const before = row?.getCell(at - 1);
    // Before it prints there, xterm.js empties the first half.
    const isHalf = before?.getWidth() === 2 || before?.getChars() === '';
    this.isCut = isHalf && row?.getCell(at)?.getWidth() === 0;
  }
}

/**
 * Width and joining of a character, as xterm.js packs them, with the number of marks in the cell: a
 * mark joins the character before, or begins a cell when that has too many.
 */
function propertiesOf(code: number, before: number): number {
  const own = widthOf(code);
  const widthBefore = (before >> 1) & 3;
  const isMark = own === 0 && before !== 0 && widthBefore !== 0;
  if (!isMark) return own << 1;
  const marks = (before >> 3) + 1;
  return marks > MAX_MARKS ? 1 << 1 : (marks << 3) | (widthBefore << 1) | JOINS;
}

/** Output without what moves nothing. */
const movesOf = (data: Buffer | string) => data.toString('latin1').replace(STILL, '');

/** Returns true if output can erase a half of a character: only after a move to the left. */
const mayCut = (data: Buffer | string) => data.includes('\b') || data.includes('\x1b');
