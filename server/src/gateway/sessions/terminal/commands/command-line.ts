import type { IMarker, Terminal } from '@xterm/headless';
import { firstRowOf, type Joining, lastRowOf, textBefore, textOfRows } from './screen-lines.ts';

/** Where a person began to type. */
export interface TypingStart {
  readonly marker: IMarker | undefined;
  /** What was left of the cursor. */
  readonly prompt: string;
}

/** A line that is being typed or was sent off. */
export interface TypedLine {
  /** Unknown when the typing began before the prompt was there. */
  start: TypingStart | undefined;
  /** The text that was typed, as long as no key edited it. */
  typed: string | undefined;
  /** Who typed in it; the person of the session is an empty name. */
  by: ReadonlySet<string>;
}

/** How the end of the line was noticed. */
export type AcceptedBy = 'editor' | 'newline';

const UPWARD = 400;
/** The usual endings of a prompt, for lines whose typing began before the prompt was shown. */
const USUAL_PROMPT = /^.{0,200}?[$#%>❯»](?:\s|$)/u;
const PROMPT_END = /[$#%>❯»]\s*$/u;
/** A prompt that names a person and a machine. */
const FULL_PROMPT = /^\S+@\S+[:\s].{0,160}[$#%>]\s/;
const KNOWN_PROMPTS = 8;

/** Whether what was left of the cursor looks like the prompt of a shell. */
export function looksLikePrompt(start: TypingStart | undefined): boolean {
  return start !== undefined && PROMPT_END.test(start.prompt);
}

/** Reads typed lines from the emulated screen. */
export class CommandLineReader {
  private readonly screen: { readonly terminal: Terminal };
  private knownPrompts: string[] = [];

  /** Reads from a screen whose emulator may change from one look to the next. */
  constructor(screen: { readonly terminal: Terminal }) {
    this.screen = screen;
  }

  private get terminal(): Terminal {
    return this.screen.terminal;
  }

  /** The place of the cursor, at the first key of a line. */
  mark(): TypingStart {
    const buffer = this.terminal.buffer.active;
    const prompt = textBefore(buffer, buffer.baseY + buffer.cursorY, buffer.cursorX);
    return {
      marker: buffer.type === 'normal' ? this.terminal.registerMarker(0) : undefined,
      prompt,
    };
  }

  /** Whether the cursor is still in the line that began here. */
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

  /** The command on the screen; `undefined` when the line has not ended yet, empty when nothing was shown. */
  read(line: TypedLine, by: AcceptedBy): string | undefined {
    const command = this.textOf(line, by);
    if (command !== undefined) line.start?.marker?.dispose();
    return command;
  }

  /** The command on the screen before it is sent off. */
  peek(line: TypedLine): string | undefined {
    return this.textOf(line, 'editor');
  }

  private textOf(line: TypedLine, by: AcceptedBy): string | undefined {
    const buffer = this.terminal.buffer.active;
    const cursorRow = buffer.baseY + buffer.cursorY;
    // A line editor moves down inside a wrapped line by a newline too.
    if (by === 'newline' && buffer.getLine(cursorRow)?.isWrapped) return undefined;
    const onNewRow =
      by === 'newline' || (buffer.cursorX === 0 && !buffer.getLine(cursorRow)?.isWrapped);
    const lastRow = onNewRow ? Math.max(0, cursorRow - 1) : lastRowOf(buffer, cursorRow);
    if (buffer.type === 'alternate') return this.readFullScreen(line, lastRow, by);
    return line.start
      ? this.readFromStart(line, line.start, lastRow, by)
      : this.readFromAnywhere(line, lastRow, by);
  }

  private readFromStart(
    line: TypedLine,
    start: TypingStart,
    lastRow: number,
    by: AcceptedBy,
  ): string {
    const markRow = start.marker && !start.marker.isDisposed ? start.marker.line : -1;
    if (start.prompt === '') {
      const shown = this.rows(markRow < 0 ? lastRow : Math.min(markRow, lastRow), lastRow, by);
      // The first key was faster than the prompt, which is in front of what was typed now.
      const text = shown.slice(
        this.knownPrompts.find((prompt) => shown.startsWith(prompt))?.length ?? 0,
      );
      // Nothing tells where the line begins but the row; text that was typed plainly and is not there was hidden on purpose.
      return by === 'newline' && line.typed !== undefined && !text.endsWith(line.typed.trimEnd())
        ? ''
        : text;
    }
    const lowest = Math.max(0, Math.min(Math.max(markRow, 0), lastRow), lastRow - UPWARD);
    for (let row = lastRow; row >= lowest; row--) {
      const text = this.rows(row, lastRow, by);
      if (text.startsWith(start.prompt)) {
        this.rememberPrompt(start.prompt);
        return text.slice(start.prompt.length);
      }
      // Blanks at the end of a prompt are not seen when nothing follows them.
      if (text === start.prompt.trimEnd()) return '';
    }
    return this.stripPrompt(line, lastRow, by);
  }

  private readFromAnywhere(line: TypedLine, lastRow: number, by: AcceptedBy): string | undefined {
    const text = this.lineAt(lastRow, by);
    const typed = line.typed?.trimEnd();
    if (by === 'newline' && typed !== undefined)
      return typed !== '' && !text.endsWith(typed) ? undefined : typed;
    return this.stripPrompt(line, lastRow, by);
  }

  /** Somebody may run a shell on the second screen; only lines behind a prompt that is known or unmistakable are commands there. */
  private readFullScreen(line: TypedLine, lastRow: number, by: AcceptedBy): string {
    const text = this.lineAt(lastRow, by);
    // Output without a line end, or a sequence that was cut in half, leaves the prompt in the middle of its row.
    const shown = line.start?.prompt ?? '';
    if (text.startsWith(shown) && this.knownPrompts.some((prompt) => shown.endsWith(prompt)))
      return text.slice(shown.length);
    const known =
      this.knownPrompts.find((prompt) => text.startsWith(prompt)) ?? FULL_PROMPT.exec(text)?.[0];
    return known === undefined ? '' : text.slice(known.length);
  }

  private stripPrompt(line: TypedLine, lastRow: number, by: AcceptedBy): string {
    const firstRow = firstRowOf(this.terminal.buffer.active, lastRow, joiningOf(by));
    let text = '';
    for (let row = lastRow; row >= firstRow; row--) {
      text = this.rows(row, lastRow, by);
      const known =
        this.knownPrompts.find((prompt) => `${text} `.startsWith(prompt)) ??
        FULL_PROMPT.exec(text)?.[0];
      if (known !== undefined) return text.slice(known.length);
    }
    const typed = line.typed?.trimEnd();
    if (typed && text.endsWith(typed)) return typed;
    return text.slice(USUAL_PROMPT.exec(text)?.[0].length ?? 0);
  }

  private lineAt(lastRow: number, by: AcceptedBy): string {
    return this.rows(firstRowOf(this.terminal.buffer.active, lastRow, joiningOf(by)), lastRow, by);
  }

  private rows(first: number, last: number, by: AcceptedBy): string {
    return textOfRows(this.terminal.buffer.active, first, last, joiningOf(by));
  }

  private rememberPrompt(prompt: string): void {
    if (prompt.trim() === '' || this.knownPrompts[0] === prompt) return;
    this.knownPrompts = [prompt, ...this.knownPrompts.filter((known) => known !== prompt)].slice(
      0,
      KNOWN_PROMPTS,
    );
  }
}

function joiningOf(by: AcceptedBy): Joining {
  return by === 'editor' ? 'wrapped or full' : 'wrapped';
}
