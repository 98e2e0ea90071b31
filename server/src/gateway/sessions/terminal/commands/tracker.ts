import type { CommandRecord } from '../../../../platform/command-record.ts';
import {
  ECHO_MS,
  ECHO_PAUSE_MS,
  KEY_SLICE,
  MAX_MODE_SWITCHES,
  MODE_SWITCH_WINDOW_MS,
  TRACKER_END_MS,
} from '../../../limits.ts';
import type { PendingLine } from '../line-gate.ts';
import { BurstFeed } from './burst-feed.ts';
import {
  type AcceptedBy,
  CommandLineReader,
  looksLikePrompt,
  type TypedLine,
  type TypingStart,
} from './command-line.ts';
import { Emulator } from './emulator.ts';
import { HiddenLines } from './hidden-lines.ts';
import { type Key, KeyReader, keySlices } from './key-reader.ts';
import { type Mode, ModeScanner, SCREEN_MODES } from './mode-scanner.ts';
import { OutputCapture } from './output-capture.ts';
import { cut } from './plain-text.ts';
import { ScreenUpdates } from './prints.ts';
import { SwitchBudget } from './switch-budget.ts';
import { Typists } from './typists.ts';

const MAX_INPUT = 4096;
const MAX_WAITING = 64;
/** By this time after its prompt, a line editor has read all type-ahead. */
const EDITOR_SETTLED_MS = 300;
/** By this time without output, a shell has echoed all type-ahead, also on slow connections. */
const SHELL_SETTLED_MS = 2_000;
/** Written at a gap in the stream: aborts a cut sequence and starts a fresh row. */
const AFTER_GAP = '\x18\r\n';

export interface TrackerOptions {
  readonly cols: number;
  readonly rows: number;
  /** Milliseconds since the session began. */
  readonly elapsed: () => number;
  /** Name of the owner, for lines with several typists. */
  readonly owner: string;
  readonly onCommand: (command: CommandRecord) => void;
  /** Reports lines that the screen did not show; the label has only their number. */
  readonly onHidden?: (label: string) => void;
  /** Called when the tracker has caught up after `output` or `input` returned false. */
  readonly onDrain: () => void;
}

const NO_TYPISTS: ReadonlySet<string> = new Set();

interface SentLine extends TypedLine {
  readonly sentAt: number;
}

/**
 * Detects the user's commands from keys and output by emulating the terminal. It records what the
 * screen showed and is no barrier: commands that scripts or programs run are not visible here.
 */
export class CommandTracker {
  private readonly emulator: Emulator;
  private readonly reader: CommandLineReader;
  private readonly scanner = new ModeScanner(SCREEN_MODES);
  private readonly switches = new SwitchBudget<Mode>(MAX_MODE_SWITCHES, MODE_SWITCH_WINDOW_MS, () =>
    this.applyLate(),
  );
  private readonly keys = new KeyReader();
  private readonly feed: BurstFeed;
  private readonly capture: OutputCapture;
  private readonly options: TrackerOptions;
  /** True while output is cut at line ends: after Enter we need to see the end of the line. */
  private cutLines = false;
  /** Input chunks still in the queue. Lines stay cut until they have arrived. */
  private entering = 0;
  private readonly on: Record<Mode, boolean> = {
    alternate: false,
    bracketed: false,
    hidden: false,
  };
  private promptSince = 0;
  /** False until a prompt was seen: the shell is still greeting. */
  private hasPrompted = false;
  private readonly updates = new ScreenUpdates();
  private readonly typists = new Typists();
  private pressedAt = 0;
  private current: TypedLine | undefined;
  /** A line discarded by a key such as Ctrl-C. The program may have kept it. */
  private givenUp: TypedLine | undefined;
  private shownPrompts = 0;
  private waiting: SentLine[] = [];
  private sequence = 0;
  private readonly hidden = new HiddenLines((label, since) => this.recordHidden(label, since));

  constructor(options: TrackerOptions) {
    this.options = options;
    this.emulator = new Emulator(options.cols, options.rows, options.onDrain);
    this.reader = new CommandLineReader(this.emulator);
    this.capture = new OutputCapture(options.onCommand);
    this.feed = new BurstFeed({ show: (chunk) => this.show(chunk), gap: () => this.gap() });
  }

  /**
   * Takes UTF-8 output. Returns false if the tracker is behind: pause the target until `onDrain`.
   */
  output(chunk: Buffer): boolean {
    let from = 0;
    this.scanner.scan(chunk, (mode, isSet, end) => {
      const on = isSet !== (mode === 'hidden');
      // Beyond the limit, only the last state of a mode takes effect.
      if (!this.switches.spend(mode, on)) return;
      this.feed.push(chunk.subarray(from, Math.max(from, end)));
      from = Math.max(from, end);
      this.feed.attend();
      this.emulator.step(() => this.switchMode(mode, on));
    });
    this.feed.push(from === 0 ? chunk : chunk.subarray(from));
    return !this.emulator.isBehind;
  }

  /**
   * Takes UTF-8 input of the owner, or of the guest `by`. Returns false if the tracker is behind:
   * pause the user until `onDrain`.
   */
  input(chunk: Buffer, by = ''): boolean {
    this.applyLate();
    this.switches.refill();
    this.feed.attend();
    this.cutLines ||= chunk.includes(0x0d) || chunk.includes(0x0a);
    this.entering++;
    for (const slice of keySlices(Buffer.from(chunk), KEY_SLICE)) {
      this.emulator.step(
        () => this.pressAll(this.keys.read(slice, this.on.bracketed), by),
        slice.length,
      );
    }
    this.emulator.step(() => {
      this.entering--;
      this.settle();
      this.emulator.refresh(
        !this.on.alternate && this.waiting.length === 0 && this.current === undefined,
      );
    });
    return !this.emulator.isBehind;
  }

  /** True if the program has enabled bracketed paste, as line editors do. */
  get takesMarkedPastes(): boolean {
    return this.on.bracketed;
  }

  /** Number of line-editor prompts so far. */
  get prompts(): number {
    return this.shownPrompts;
  }

  /** Text before the cursor. */
  beforeCursor(): string {
    const here = this.reader.mark();
    here.marker?.dispose();
    return here.prompt;
  }

  /** Returns true if the cursor is after this prompt and no text follows. */
  isAtPrompt(prompt: string): boolean {
    const here = this.reader.mark();
    here.marker?.dispose();
    return (
      prompt.trim() !== '' &&
      here.prompt.trimEnd() === prompt.trimEnd() &&
      this.reader.peek({ start: here, typed: '', by: NO_TYPISTS })?.trim() === ''
    );
  }

  /**
   * Returns the line that Enter would send, after waiting for its echo; `undefined` in a
   * full-screen program.
   */
  async pendingLine(): Promise<PendingLine | undefined> {
    const shown = () => {
      const text = this.current && !this.on.alternate ? this.reader.peek(this.current) : undefined;
      const typed = this.current?.typed?.trim();
      return typed && text?.trim().endsWith(typed) ? text : undefined;
    };
    await this.settled(() => shown() !== undefined);
    if (this.on.alternate) return undefined;
    const isEditor = this.on.bracketed;
    // Another program may have read the first keys, so return the text after the prompt too.
    const seen =
      this.reader.peek({ start: undefined, typed: undefined, by: NO_TYPISTS })?.trim() ?? '';
    // A key such as Ctrl-Z may have had no effect; then Enter sends the line still present.
    const current = this.current ?? this.keptLine();
    if (!current)
      return { text: '', prompt: '', isHidden: false, isEditor, isUnread: false, seen: '' };
    const prompt = current.start?.prompt ?? '';
    const text = shown() ?? (current.typed === undefined ? this.reader.peek(current) : undefined);
    if (text === undefined)
      return { text: current.typed ?? '', prompt, isHidden: true, isEditor, isUnread: false, seen };
    const isUnread =
      current.typed === undefined && this.updates.at <= this.pressedAt && this.pressedAt > 0;
    return { text: text.trim(), prompt, isHidden: false, isEditor, isUnread, seen: '' };
  }

  /** Returns the discarded line if it is still in the row of the cursor. */
  private keptLine(): TypedLine | undefined {
    const { givenUp } = this;
    return givenUp && (!givenUp.start || this.reader.isInRow(givenUp.start)) ? givenUp : undefined;
  }

  /** Waits for the target's response to the last keys, with a limit. */
  async settled(isShown: () => boolean = () => false): Promise<void> {
    const latest = this.options.elapsed() + ECHO_MS;
    for (;;) {
      const { count } = this.updates;
      this.feed.attend();
      await new Promise<void>((done) => this.emulator.step(done));
      const hasAnswered =
        (this.on.alternate || this.current?.typed === undefined) &&
        this.updates.at > this.pressedAt;
      const left =
        Math.min(latest, hasAnswered ? this.updates.at + ECHO_PAUSE_MS : latest) -
        this.options.elapsed();
      if (isShown() || left <= 0) return;
      if (this.updates.count === count) await this.updates.next(left);
    }
  }

  /**
   * Records a rejected line and forgets it. An empty text is a line that the screen did not show.
   */
  refuse(text: string, message: string): void {
    this.current?.start?.marker?.dispose();
    const typedBy = this.typedBy(this.current ?? this.waiting.at(-1));
    this.current = undefined;
    this.capture.finish();
    const input = text === '' ? '# a line typed without echo' : cut(text, MAX_INPUT);
    this.options.onCommand({
      sequence: ++this.sequence,
      input,
      output: message,
      at: Math.round(this.options.elapsed()),
      isRefused: true,
      ...typedBy,
    });
  }

  resize(cols: number, rows: number): void {
    this.feed.attend();
    this.emulator.step(() => this.emulator.resize(cols, rows));
  }

  /** Reports the last command and releases all resources. */
  async end(): Promise<void> {
    this.applyLate();
    this.feed.attend();
    this.feed.stop();
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((done) => {
      this.emulator.step(done);
      // Sessions that end in the middle of a flood must not delay the shutdown.
      timer = setTimeout(done, TRACKER_END_MS);
    });
    clearTimeout(timer);
    this.switches.stop();
    this.hidden.report();
    this.capture.finish();
    this.emulator.dispose();
  }

  /** Applies the last state of modes whose switches exceeded the budget. */
  private applyLate(): void {
    const late = this.switches.takeLate();
    if (late.length === 0) return;
    this.feed.attend();
    for (const [mode, on] of late) this.emulator.step(() => this.switchMode(mode, on));
  }

  private show(chunk: Buffer): void {
    let from = 0;
    while (this.cutLines) {
      const newline = chunk.indexOf(0x0a, from);
      if (newline < 0) break;
      this.interpret(chunk.subarray(from, newline + 1));
      this.emulator.step(() => this.lineEnded());
      from = newline + 1;
    }
    if (from < chunk.length) this.interpret(chunk.subarray(from));
  }

  private interpret(part: Buffer): void {
    this.emulator.write(part, () => {
      this.capture.add(part);
      this.emulator.refresh(false);
      this.updates.note(this.options.elapsed());
    });
  }

  private gap(): void {
    this.emulator.write(AFTER_GAP, () => this.capture.finish());
  }

  private switchMode(mode: Mode, on: boolean): void {
    this.on[mode] = on;
    if (mode === 'alternate') {
      this.capture.finish();
      // Keys that the full-screen program has not read go to the next program.
      if (this.current && !on)
        this.givenUp = { start: undefined, typed: undefined, by: this.current.by };
      this.current = undefined;
    }
    if (mode !== 'bracketed') return;
    this.keys.endPaste();
    if (on) {
      this.shownPrompts++;
      this.promptSince = this.options.elapsed();
      this.hasPrompted = true;
      // Earlier type-ahead belongs after this prompt or to no line, so its recorded start is
      // invalid.
      for (const line of this.current ? [...this.waiting, this.current] : this.waiting) {
        line.start?.marker?.dispose();
        line.start = undefined;
      }
      this.capture.finish('prompt follows');
    } else this.accept('editor');
  }

  private lineEnded(): void {
    // In a line editor, the mode switch marks the exact end of the line. A full screen has no
    // lines.
    const isFullScreen =
      this.on.alternate || (this.on.hidden && !looksLikePrompt(this.waiting[0]?.start));
    if (!this.on.bracketed && !isFullScreen) this.accept('newline');
    this.settle();
  }

  private pressAll(keys: readonly Key[], by: string): void {
    const now = this.options.elapsed();
    this.forgetReadAhead(now);
    for (const key of keys) this.press(key, now, by);
  }

  private press(key: Key, now: number, by: string): void {
    if (key.kind === 'interrupt') {
      if (this.current)
        this.givenUp = { start: this.current.start, typed: undefined, by: this.current.by };
      this.current = undefined;
      return;
    }
    this.pressedAt = now;
    if (this.waiting.length === 0) this.capture.finish();
    this.current ??= (this.waiting.length === 0 ? this.keptLine() : undefined) ?? {
      start: this.waiting.length === 0 ? this.startOfTyping() : undefined,
      typed: '',
      by: NO_TYPISTS,
    };
    this.current.by = this.typists.with(this.current.by, by);
    this.givenUp = undefined;
    if (key.kind === 'text') {
      if (this.current.typed !== undefined)
        this.current.typed = cut(this.current.typed + key.text, MAX_INPUT);
      return;
    }
    if (key.kind === 'edit') {
      this.current.typed = undefined;
      return;
    }
    this.waiting.push({
      start: this.current.start,
      typed: this.current.typed,
      by: this.current.by,
      sentAt: now,
    });
    if (this.waiting.length > MAX_WAITING) {
      const dropped = this.waiting.shift();
      dropped?.start?.marker?.dispose();
      if (dropped?.typed?.trim()) this.hidden.add(this.options.elapsed());
    }
    this.current = undefined;
  }

  /**
   * Returns the start of a new line. Unknown during the greeting: the line will appear after a
   * later prompt.
   */
  private startOfTyping(): TypingStart | undefined {
    const start = this.reader.mark();
    this.hasPrompted ||= start.prompt !== '';
    if (this.hasPrompted) return start;
    start.marker?.dispose();
    return undefined;
  }

  private accept(by: AcceptedBy): void {
    const line = this.waiting[0] ?? (by === 'editor' ? this.current : undefined);
    if (!line) return;
    const text = this.reader.read(line, by);
    if (text === undefined) return;
    if (line === this.current) this.current = undefined;
    this.waiting.shift();
    this.settle();
    const input = text.trim();
    if (by === 'editor' && input.endsWith('^C')) {
      this.waiting = [];
      return;
    }
    if (input === '') {
      // The user typed a password or has turned off echo: log that a line exists, not its text. An
      // edited line may be empty; it counts if its neighbors were hidden.
      const isHidden = line.typed === undefined ? this.hidden.areWaiting : line.typed.trim() !== '';
      if (isHidden && !this.on.alternate) this.hidden.add(this.options.elapsed());
      return;
    }
    this.hidden.report();
    this.capture.begin({
      sequence: ++this.sequence,
      input: cut(input, MAX_INPUT),
      at: Math.round(this.options.elapsed()),
      ...this.typedBy(line),
    });
  }

  /** Returns the typists of a line unless only the owner typed. */
  private typedBy(line: TypedLine | undefined): Pick<CommandRecord, 'typedBy'> {
    const by = line ? [...line.by] : [];
    return by.some((name) => name !== '')
      ? { typedBy: by.map((name) => name || this.options.owner).join(', ') }
      : {};
  }

  private recordHidden(label: string, since: number): void {
    this.capture.finish();
    this.options.onCommand({ sequence: ++this.sequence, input: label, output: '', at: since });
    this.options.onHidden?.(label);
  }

  /**
   * Forgets sent lines that another program has read: they predate the prompt and were never
   * accepted.
   */
  private forgetReadAhead(now: number): void {
    if (this.waiting.length === 0) return;
    if (this.on.bracketed) {
      if (now - this.promptSince >= EDITOR_SETTLED_MS)
        this.waiting = this.waiting.filter((line) => line.sentAt >= this.promptSince);
      return;
    }
    const isAhead = (line: SentLine) =>
      line.start === undefined && now - line.sentAt >= SHELL_SETTLED_MS;
    if (this.current || !this.waiting.some(isAhead) || now - this.updates.at < SHELL_SETTLED_MS)
      return;
    const here = this.reader.mark();
    if (looksLikePrompt(here)) this.waiting = this.waiting.filter((line) => !isAhead(line));
    here.marker?.dispose();
  }

  private settle(): void {
    if (this.waiting.length === 0 && this.entering === 0) this.cutLines = false;
  }
}
