import type { CommandVerdict } from '@sallyport/contract';
import { ECHO_MS, ECHO_PAUSE_MS } from '../../../limits.ts';
import { NO_LINE, type PendingLine, type Prompt, type RefusedLine } from '../gated-terminal.ts';
import { type CommandLineReader, isShownAsTyped } from './command-line.ts';
import type { Mode } from './mode-scanner.ts';
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
  private onNext: (() => void) | undefined;

  note(at: number): void {
    this.at = at;
    this.count++;
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
    const here = this.parts.reader.mark();
    here.marker?.dispose();
    return here.prompt;
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
      this.parts.reader.peek({ start: here, typed: '', by: NO_TYPISTS })?.trim() === ''
    );
  }

  /**
   * Returns the line that Enter would send, after waiting for its echo; `undefined` in a
   * full-screen program.
   */
  async pendingLine(): Promise<PendingLine | undefined> {
    const { lines, modes, reader, trust, updates } = this.parts;
    const echoed = () => {
      const text = lines.current && !modes.alternate ? reader.peek(lines.current) : undefined;
      const typed = lines.current?.typed?.trim();
      return typed && text?.trim().endsWith(typed) ? text : undefined;
    };
    await this.settled(() => echoed() !== undefined);
    if (modes.alternate) return undefined;
    const isEditor = modes.bracketed;
    // Another program may have read the first keys, so return the text after the prompt too.
    const seen = reader.peek({ start: undefined, typed: undefined, by: NO_TYPISTS })?.trim() ?? '';
    // A key such as Ctrl-Z may have had no effect; then Enter sends the line still present.
    const current = lines.current ?? lines.kept;
    if (!current)
      return {
        ...NO_LINE,
        isEditor,
        isUncertain: lines.hasGivenUp && trust.isUncertain('', false),
      };
    const prompt = current.start?.prompt ?? '';
    const text = echoed() ?? (current.typed === undefined ? reader.peek(current) : undefined);
    if (text === undefined)
      return { ...NO_LINE, text: current.typed ?? '', prompt, isHidden: true, isEditor, seen };
    const isUnread =
      current.typed === undefined && updates.at <= lines.pressedAt && lines.pressedAt > 0;
    const isUncertain = !isShownAsTyped(current, text) && trust.isUncertain(prompt + text, false);
    // Without a line editor, a later prompt can follow the text that the screen shows.
    const plain = isEditor || text.trim() === '' ? '' : (current.plain ?? '').trim();
    const line = { text: text.trim(), prompt, isEditor, isUnread, isUncertain };
    return { ...NO_LINE, ...line, seen: plain === line.text ? '' : plain };
  }

  /** Waits for the target's response to the last keys, with a limit. */
  async settled(isShown: () => boolean = () => false): Promise<void> {
    const latest = this.parts.elapsed() + ECHO_MS;
    for (;;) {
      const { count } = this.parts.updates;
      await this.parts.interpretAll();
      const hasAnswered =
        (this.parts.modes.alternate || this.parts.lines.current?.typed === undefined) &&
        this.parts.updates.at > this.parts.lines.pressedAt &&
        this.isLatestShown();
      const left =
        Math.min(latest, hasAnswered ? this.parts.updates.at + ECHO_PAUSE_MS : latest) -
        this.parts.elapsed();
      if (isShown() || left <= 0) return;
      if (this.parts.updates.count === count) await this.parts.updates.next(left);
    }
  }

  /** Returns true if the screen shows the text typed since a key edited the line. */
  private isLatestShown(): boolean {
    const { lines, modes, reader } = this.parts;
    const latest = lines.current?.latest?.trim();
    if (!lines.current || !latest || modes.alternate) return true;
    return reader.peek(lines.current)?.includes(latest) === true;
  }

  refuse(line: RefusedLine): void {
    this.parts.refuse(line);
  }

  answered(verdict: CommandVerdict): void {
    this.parts.lines.answered(verdict);
  }
}
