import type { CommandVerdict } from '@sallyport/contract';
import { ECHO_ELSEWHERE_MS, ECHO_LIMIT_MS, ECHO_MS, ECHO_PAUSE_MS } from '../../../limits.ts';
import { NO_LINE, type PendingLine, type Prompt, type RefusedLine } from '../gated-terminal.ts';
import { type CommandLineReader, isShownAsTyped } from './command-line.ts';
import { EchoProgress } from './echo-progress.ts';
import type { Mode } from './mode-scanner.ts';
import { trimBlanks, trimBlanksAtEnd } from './screen-lines.ts';
import type { ScreenTrust } from './screen-trust.ts';
import { NO_TYPISTS, type TypedLines } from './typed-lines.ts';

/** Report at this count at the latest. */
const MAX_HIDDEN = 100;

/** Counts typed lines that the screen did not show. Reports only their number. */
export class HiddenLines {
  private lines = 0;
  private since = 0;
  private readonly onReport: (label: string, since: number) => void;

  /** `onReport` receives a label and the time of the first line. */
  constructor(onReport: (label: string, since: number) => void) {
    this.onReport = onReport;
  }

  get areWaiting(): boolean {
    return this.lines > 0;
  }

  add(at: number): void {
    if (this.lines === 0) this.since = Math.round(at);
    this.lines++;
    if (this.lines >= MAX_HIDDEN) this.report();
  }

  /** Reports the lines so far, if any. */
  report(): void {
    const { lines } = this;
    if (lines === 0) return;
    this.lines = 0;
    this.onReport(`# ${lines} ${lines === 1 ? 'line' : 'lines'} typed without echo`, this.since);
  }
}

/** Tracks output that reached the screen. */
export class ScreenUpdates {
  /** Time of the last update, in milliseconds since the session began. */
  at = 0;
  count = 0;
  readonly echo = new EchoProgress();
  private onNext: (() => void) | undefined;

  note(at: number): void {
    this.at = at;
    this.count++;
    this.echo.updated(at);
    this.onNext?.();
  }

  /** Waits for the next update, at most this long. */
  async next(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((done) => {
      this.onNext = done;
      timer = setTimeout(done, milliseconds);
    });
    clearTimeout(timer);
    this.onNext = undefined;
  }
}

export interface PromptViewParts {
  readonly reader: CommandLineReader;
  readonly lines: TypedLines;
  readonly trust: ScreenTrust;
  readonly modes: Readonly<Record<Mode, boolean>>;
  readonly updates: ScreenUpdates;
  /** Milliseconds since the session began. */
  readonly elapsed: () => number;
  /** Settles when the emulator has interpreted all output so far. */
  readonly interpretAll: () => Promise<void>;
  readonly refuse: (line: RefusedLine) => void;
}

/** The prompt at which the user types, read from the emulated screen. */
export class PromptView implements Prompt {
  private readonly parts: PromptViewParts;
  private count = 0;

  constructor(parts: PromptViewParts) {
    this.parts = parts;
  }

  get takesMarkedPastes(): boolean {
    return this.parts.modes.bracketed;
  }

  get prompts(): number {
    return this.count;
  }

  /** Counts a prompt of a line editor. */
  prompted(): void {
    this.count++;
  }

  /** Text before the cursor. */
  beforeCursor(): string {
    return this.parts.reader.beforeCursor('newline');
  }

  isAtEnd(): boolean {
    return this.parts.reader.isAtEnd();
  }

  screen(): string {
    return this.parts.reader.screenText();
  }

  /** Returns true if the cursor is after this prompt and no text follows. */
  isAtPrompt(prompt: string): boolean {
    const here = this.parts.reader.mark();
    here.marker?.dispose();
    return (
      prompt.trim() !== '' &&
      here.prompt.trimEnd() === prompt.trimEnd() &&
      this.parts.reader.peek({ start: here, typed: '', by: NO_TYPISTS }) === ''
    );
  }

  /**
   * Returns the line that Enter would send, after waiting for its echo; `undefined` in a
   * full-screen program.
   */
  async pendingLine(): Promise<PendingLine | undefined> {
    const { lines, modes, reader, trust } = this.parts;
    const echoed = () => {
      const text = lines.current && !modes.alternate ? reader.peek(lines.current) : undefined;
      const typed = trimBlanks(lines.current?.typed ?? '');
      return typed && text && trimBlanks(text).endsWith(typed) ? text : undefined;
    };
    const isAnswered = await this.isAnswered(() => echoed() !== undefined);
    if (modes.alternate) return undefined;
    const isEditor = modes.bracketed;
    // Another program may have read the first keys, so return the text after the prompt too.
    const after = trimBlanks(
      reader.peek({ start: undefined, typed: undefined, by: NO_TYPISTS }) ?? '',
    );
    // A key such as Ctrl-Z may have had no effect; then Enter sends the line still present.
    const typed = lines.current ?? lines.kept;
    const current = typed ?? lines.unaccepted ?? (isEditor ? lines.filled : undefined);
    if (!current)
      return {
        ...NO_LINE,
        isEditor,
        isUncertain: lines.hasGivenUp && trust.isUncertain('', false),
      };
    const prompt = current.start?.prompt ?? '';
    const text = echoed() ?? (current.typed === undefined ? reader.peek(current) : undefined);
    const { guessed, further } = reader;
    if (text === undefined)
      return {
        ...NO_LINE,
        text: current.typed ?? '',
        prompt,
        isHidden: true,
        isEditor,
        seen: [after],
      };
    const isUnread =
      reader.isUnclear ||
      (current.typed === undefined &&
        !isAnswered &&
        lines.pressedAt > 0 &&
        (isEditor || typed !== undefined));
    const isUncertain = !isShownAsTyped(current, text) && trust.isUncertain(prompt + text, false);
    // Without a line editor, a later prompt can follow the text that the screen shows.
    const plain = isEditor || trimBlanks(text) === '' ? '' : trimBlanks(current.plain ?? '');
    const other = reader.isDoubtful ? trimBlanks(reader.peek(current, 'every cell') ?? '') : plain;
    const line = { text: trimBlanks(text), prompt, isEditor, isUnread, isUncertain };
    const shorter = isEditor ? trimBlanks(reader.beforeSuggestion(current) ?? '') : '';
    const filled = current.start?.filled ?? '';
    // Text of another program may stand there.
    const own = text.startsWith(filled) ? trimBlanks(text.slice(filled.length)) : '';
    const seen = [other, guessed, further, shorter, own].filter(
      (one) => one !== '' && one !== line.text,
    );
    return { ...NO_LINE, ...line, seen };
  }

  /** Waits for the target's response to the last keys, with a limit. */
  async settled(isShown?: () => boolean): Promise<void> {
    await this.isAnswered(isShown);
  }

  /** Like `settled`. Returns false if the screen may still lack the effect of a key. */
  private async isAnswered(isShown: () => boolean = () => false): Promise<boolean> {
    const began = this.parts.elapsed();
    for (;;) {
      const { count } = this.parts.updates;
      await this.parts.interpretAll();
      if (isShown()) return true;
      const { at, isAnswered } = this.answerOf(began);
      const left = at - this.parts.elapsed();
      if (left <= 0) return isAnswered;
      if (this.parts.updates.count === count) await this.parts.updates.next(left);
    }
  }

  /** When to read the line unless more output arrives, and if it is complete then. */
  private answerOf(began: number): { readonly at: number; readonly isAnswered: boolean } {
    const { lines, modes, updates } = this.parts;
    const { delay, isInStep } = updates.echo;
    // A long line that is still appearing gets more time.
    const late = Math.min(Math.max(began, updates.at) + ECHO_MS, began + ECHO_LIMIT_MS) + 2 * delay;
    const isEdited = modes.alternate || lines.current?.typed === undefined;
    if (!isEdited || updates.at <= lines.pressedAt) return { at: late, isAnswered: false };
    if (isInStep) return { at: updates.at + ECHO_PAUSE_MS, isAnswered: true };
    const place = this.placeOfLatest();
    if (place === 'nowhere') return { at: late, isAnswered: false };
    if (place === 'elsewhere')
      return { at: updates.at + Math.max(ECHO_ELSEWHERE_MS, 2 * delay), isAnswered: true };
    // On a slow connection, the output after the last key may be the echo of an earlier one.
    const pause = place === 'as expected' ? Math.max(ECHO_PAUSE_MS, delay) : ECHO_MS + delay;
    const quiet = Math.max(updates.at + pause, lines.pressedAt + 2 * delay);
    return { at: Math.min(quiet, late), isAnswered: true };
  }

  /**
   * Tells where the screen shows the effect of the keys since the line was edited. Text elsewhere
   * than at the cursor may be older, or that of a search in the history.
   */
  private placeOfLatest(): 'as expected' | 'at the cursor' | 'elsewhere' | 'nowhere' {
    const { lines, modes, reader } = this.parts;
    const line = lines.current;
    if (!line || modes.alternate) return 'as expected';
    const before = trimBlanksAtEnd(reader.beforeCursor('editor'));
    const isBefore = (text: string) => before.endsWith(trimBlanks(text));
    if (trimBlanks(line.expected ?? '') && line.expected && isBefore(line.expected))
      return 'as expected';
    const latest = trimBlanks(line.latest ?? '');
    const isShown = latest !== '' || !line.unedited ? isBefore(latest) : !isBefore(line.unedited);
    if (line.isMoved && isShown) return 'at the cursor';
    return reader.peek(line)?.includes(latest) === true ? 'elsewhere' : 'nowhere';
  }

  refuse(line: RefusedLine): void {
    this.parts.refuse(line);
  }

  answered(verdict: CommandVerdict): void {
    this.parts.lines.answered(verdict);
  }
}
