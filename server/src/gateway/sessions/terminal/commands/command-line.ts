import type { CommandVerdict } from '@sallyport/contract';
import type { IMarker, Terminal } from '@xterm/headless';
import { endsLikePrompt, guessPrompt, KnownPrompts } from './known-prompts.ts';
import {
  beginOfLastColor,
  continues,
  firstRowOf,
  isOther,
  type Joining,
  lastRowOf,
  lettersOf,
  mayLackSpaces,
  textBefore,
  textOfRows,
  trimBlanks,
  trimBlanksAtEnd,
} from './screen-lines.ts';

/** The place where a user began to type. */
export interface TypingStart {
  readonly marker: IMarker | undefined;
  /** Text left of the cursor; without `filled`. */
  readonly prompt: string;
  /** Text after the prompt before the first key: the program may have filled in the line. */
  readonly filled: string;
}

/** A line that the user is typing or has sent. */
export interface TypedLine {
  /** Unknown if the user began before the prompt appeared. */
  start: TypingStart | undefined;
  /** The typed text, unless a key has edited it. */
  typed: string | undefined;
  /** The text that a terminal without a line editor passes on. */
  plain?: string;
  /** Text left of the cursor once the target has answered all keys; undefined if unknown. */
  expected?: string | undefined;
  /** Text typed since a key edited the line. */
  latest?: string;
  /** Text typed before the last keys that edited the line. */
  unedited?: string | undefined;
  /** True if another key than Backspace edited the line. */
  isMoved?: boolean;
  /** Names of the typists; the empty name is the owner. */
  by: ReadonlySet<string>;
  /** The answer to a question about the line. */
  verdict?: CommandVerdict | undefined;
}

/** The signal that ended the line. */
export type AcceptedBy = 'editor' | 'newline';
/** How to read a line: 'every cell' as a line editor draws it, with all of its spaces. */
type Reading = AcceptedBy | 'every cell';

const UPWARD = 400;
/** The prompt of a search in readline and busybox. The line that it has found follows. */
const SEARCH_PROMPT = /^\((?:failed )?(?:reverse-)?i-search\)[`'].*?': /;
const SEARCH_END = "': ";

/** Returns true if the text left of the cursor looks like a shell prompt. */
export function looksLikePrompt(start: TypingStart | undefined): boolean {
  return start !== undefined && endsLikePrompt(start.prompt + start.filled);
}

/** Returns true if no key edited the line and the screen shows all of it. */
export function isShownAsTyped({ typed }: TypedLine, shown: string): boolean {
  return typed !== undefined && trimBlanks(typed) === trimBlanks(shown);
}

/** Reads typed lines from the emulated screen. */
export class CommandLineReader {
  private readonly screen: { readonly terminal: Terminal };
  private readonly prompts = new KnownPrompts();
  /** True if the text that was read last may lack spaces, or have text of another program. */
  isDoubtful = false;
  /** A longer reading of the line that was read last, with rows above; else empty. */
  further = '';
  /** The row that was read last, where the end of its prompt is a guess; else empty. */
  guessed = '';
  /** True if the row that was read last has two places where its line can begin. */
  isUnclear = false;

  /** `screen.terminal` may return another emulator at each access. */
  constructor(screen: { readonly terminal: Terminal }) {
    this.screen = screen;
  }

  private get terminal(): Terminal {
    return this.screen.terminal;
  }

  /** Marks the cursor position at the first key of a line. */
  mark(): TypingStart {
    const isNormal = this.terminal.buffer.active.type === 'normal';
    return {
      marker: isNormal ? this.terminal.registerMarker(0) : undefined,
      ...this.prompts.split(this.beforeCursor('newline')),
    };
  }

  /** Text left of the cursor in its line. */
  beforeCursor(by: AcceptedBy): string {
    const { active } = this.terminal.buffer;
    const place = { row: active.baseY + active.cursorY, column: active.cursorX };
    return textBefore(active, place, joiningOf(by));
  }

  /** Returns true if no text follows the cursor in its line. */
  isAtEnd(): boolean {
    const { active } = this.terminal.buffer;
    const row = active.baseY + active.cursorY;
    const after = active.getLine(row)?.translateToString(true, active.cursorX) ?? '';
    return trimBlanks(after) === '' && lastRowOf(active, row) === row;
  }

  /**
   * Returns the text before its last color if that begins at or after the cursor: fish and plug-ins
   * of zsh show a suggestion there, which Enter does not send.
   */
  beforeSuggestion({ start }: TypedLine): string | undefined {
    const { active } = this.terminal.buffer;
    const row = active.baseY + active.cursorY;
    const from = { row, column: active.cursorX };
    const place = beginOfLastColor(active, from, lastRowOf(active, row));
    if (!place) return undefined;
    const before = textBefore(active, place, joiningOf('editor'));
    const prompt = start?.prompt ?? '';
    return before.startsWith(prompt) ? before.slice(prompt.length) : before;
  }

  /** The text of the screen without empty rows at its ends. */
  screenText(): string {
    const { rows, buffer } = this.terminal;
    const { active } = buffer;
    const text = textOfRows(active, active.baseY, active.baseY + rows - 1, 'wrapped');
    return text.replace(/^\n+/, '').trimEnd();
  }

  /** Returns true if the cursor is still in the line that began here. */
  isInRow({ marker, prompt }: TypingStart): boolean {
    const buffer = this.terminal.buffer.active;
    if (!marker || marker.isDisposed || buffer.type === 'alternate') return false;
    const row = buffer.baseY + buffer.cursorY;
    const first = firstRowOf(buffer, row, 'wrapped or full');
    return (
      first <= marker.line &&
      marker.line <= row &&
      this.rows(first, row, 'editor').startsWith(prompt.trimEnd())
    );
  }

  /**
   * Reads the accepted command from the screen. Returns `undefined` if the line has not ended, and
   * an empty string if the screen did not show it.
   */
  read(line: TypedLine, by: AcceptedBy): string | undefined {
    const command = this.textOf(line, by);
    this.isDoubtful ||= line.start !== undefined && line.start.filled !== '';
    if (command !== undefined) line.start?.marker?.dispose();
    if (command === '') return this.further;
    const { typed } = line;
    const isOutput = by === 'newline' && command && typed !== undefined && isOther(command, typed);
    return isOutput ? '' : command;
  }

  /** Reads the command from the screen before the user sends it. */
  peek(line: TypedLine, as: 'editor' | 'every cell' = 'editor'): string | undefined {
    return this.textOf(line, as);
  }

  private textOf(line: TypedLine, by: Reading): string | undefined {
    this.isDoubtful = false;
    this.guessed = '';
    this.further = '';
    this.isUnclear = false;
    const buffer = this.terminal.buffer.active;
    const row = buffer.baseY + buffer.cursorY;
    const isContinued = row > 0 && continues(buffer, row - 1, 'wrapped or full');
    // A line editor also uses newlines to move down inside of its line.
    const isInside = isContinued && buffer.getLine(row)?.translateToString(true) !== '';
    if (by === 'newline' && (isInside || buffer.getLine(row)?.isWrapped)) return undefined;
    const onNewRow = by === 'newline' || (buffer.cursorX === 0 && !isContinued);
    const lastRow = onNewRow ? Math.max(0, row - 1) : lastRowOf(buffer, row);
    if (buffer.type === 'alternate') return this.readFullScreen(line, lastRow, by);
    return line.start
      ? this.readFromStart(line, line.start, lastRow, by)
      : this.readFromAnywhere(line, lastRow, by);
  }

  private readFromStart(line: TypedLine, start: TypingStart, lastRow: number, by: Reading): string {
    const markRow = start.marker && !start.marker.isDisposed ? start.marker.line : -1;
    if (start.prompt === '') {
      const row = this.rows(markRow < 0 ? lastRow : Math.min(markRow, lastRow), lastRow, by);
      if (SEARCH_PROMPT.test(row)) return this.stripPrompt(line, lastRow, by);
      // The user typed before the prompt appeared, so the prompt now precedes the text.
      const text = row.slice(this.prompts.ofRow(row)?.length ?? 0);
      // Plain text that is missing on the screen was hidden on purpose.
      return by === 'newline' &&
        line.typed !== undefined &&
        !text.endsWith(trimBlanksAtEnd(line.typed))
        ? ''
        : text;
    }
    const lowest = Math.max(0, Math.min(Math.max(markRow, 0), lastRow), lastRow - UPWARD);
    const { active } = this.terminal.buffer;
    const joining = by === 'every cell' ? by : 'wrapped or full';
    const textFrom = (row: number) => textOfRows(active, row, lastRow, joining);
    const rowOf = (mayBegin: (row: number) => boolean) => {
      for (let row = lastRow; row >= lowest; row--)
        if (mayBegin(row) && textFrom(row).padEnd(start.prompt.length).startsWith(start.prompt))
          return row;
      return undefined;
    };
    // A row inside of the line may show the text of the prompt, too.
    const begin = rowOf(
      (row) => row === markRow || row === 0 || !continues(active, row - 1, 'wrapped or full'),
    );
    // Without a mark the screen was cleared, and the full row above may belong to an earlier line.
    const nearest = begin === undefined || markRow < 0 ? rowOf(() => true) : begin;
    if (nearest !== undefined) {
      this.prompts.remember(start.prompt);
      const after = (row: number) => textFrom(row).slice(start.prompt.length);
      this.further = begin === undefined || begin === nearest ? '' : after(begin);
      this.isDoubtful = this.further !== '';
      const read = after(nearest);
      if (by === 'every cell') return read;
      const known = line.typed ?? (line.isMoved ? undefined : line.plain);
      // The output of the command can follow a full row at once.
      if (by === 'newline' && known && trimBlanks(known) && read.startsWith(known)) return known;
      const isJoined = by === 'newline' && lastRow > nearest && !active.getLine(lastRow)?.isWrapped;
      if (!isJoined && !mayLackSpaces(active, nearest, lastRow)) return read;
      if (known !== undefined && lettersOf(known) === lettersOf(read)) return known;
      this.isDoubtful = true;
      return read;
    }
    return this.stripPrompt(line, lastRow, by);
  }

  private readFromAnywhere(line: TypedLine, lastRow: number, by: Reading): string | undefined {
    const text = this.lineAt(lastRow, by);
    const typed = line.typed && trimBlanksAtEnd(line.typed);
    if (by === 'newline' && typed !== undefined)
      return typed !== '' && !text.endsWith(typed) ? undefined : typed;
    return this.stripPrompt(line, lastRow, by);
  }

  /**
   * Reads a line on the alternate screen, where a shell may run. Only lines after a known or
   * unmistakable prompt are commands.
   */
  private readFullScreen(line: TypedLine, lastRow: number, by: Reading): string {
    const text = this.lineAt(lastRow, by);
    // The prompt can start in the middle of its row, after output without a newline or a cut
    // sequence.
    const before = line.start?.prompt ?? '';
    if (text.startsWith(before) && this.prompts.isEndOf(before)) return text.slice(before.length);
    const known = this.prompts.ofRow(text);
    return known === undefined ? '' : text.slice(known.length);
  }

  private stripPrompt(line: TypedLine, lastRow: number, by: Reading): string {
    const firstRow = firstRowOf(this.terminal.buffer.active, lastRow, joiningOf(by));
    let text = '';
    for (let row = lastRow; row >= firstRow; row--) {
      text = this.rows(row, lastRow, by);
      const search = SEARCH_PROMPT.exec(text)?.[0];
      if (search !== undefined) {
        this.isUnclear = text.lastIndexOf(SEARCH_END) >= search.length;
        return text.slice(search.length);
      }
      const known = this.prompts.ofRow(`${text} `);
      if (known !== undefined) return text.slice(known.length);
    }
    const typed = line.typed && trimBlanksAtEnd(line.typed);
    if (typed && text.endsWith(typed)) return typed;
    const guess = guessPrompt(text);
    if (guess !== '') this.guessed = trimBlanks(text);
    return text.slice(guess.length);
  }

  private lineAt(lastRow: number, by: Reading): string {
    return this.rows(firstRowOf(this.terminal.buffer.active, lastRow, joiningOf(by)), lastRow, by);
  }

  private rows(first: number, last: number, by: Reading): string {
    return textOfRows(this.terminal.buffer.active, first, last, joiningOf(by));
  }
}

function joiningOf(by: Reading): Joining {
  if (by === 'newline') return 'wrapped';
  return by === 'editor' ? 'wrapped or full' : by;
}
