import xterm from '@xterm/headless';
import type { CommandRecord } from '../ports.ts';
import { BurstFeed } from './burst-feed.ts';
import { type AcceptedBy, CommandLineReader, looksLikePrompt, type TypedLine, type TypingStart } from './command-line.ts';
import { type Key, KeyReader } from './key-reader.ts';
import { type Mode, ModeScanner } from './mode-scanner.ts';
import { OutputCapture } from './output-capture.ts';
import { cut } from './plain-text.ts';

const MAX_INPUT = 4096;
const SCROLLBACK = 300;
const MAX_WAITING = 64;
/** A line editor has read whatever was typed ahead by the time its prompt has stood for this long. */
const EDITOR_SETTLED_MS = 300;
/** A shell has shown whatever it read ahead when nothing more has come for this long; slow lines included. */
const SHELL_SETTLED_MS = 2_000;
/** Aborts a sequence that was cut in half and starts a fresh row, where the stream has a gap. */
const AFTER_GAP = '\x18\r\n';

/** What a tracker works with. */
export interface TrackerOptions {
  readonly cols: number;
  readonly rows: number;
  /** Milliseconds since the session began. */
  readonly elapsed: () => number;
  readonly onCommand: (command: CommandRecord) => void;
}

interface SentLine extends TypedLine {
  readonly sentAt: number;
}

/**
 * Finds the commands that a person runs, from the keys that go up and the output that comes down, by emulating the terminal.
 * A record of what the screen showed, not a barrier: what a script or a program runs by itself is not seen here.
 */
export class CommandTracker {
  private readonly terminal: xterm.Terminal;
  private readonly reader: CommandLineReader;
  private readonly scanner = new ModeScanner();
  private readonly keys = new KeyReader();
  private readonly feed: BurstFeed;
  private readonly capture: OutputCapture;
  private readonly options: TrackerOptions;
  /** Whether the output is cut at line ends: somebody has pressed Enter, and the end of the line must be seen. */
  private cutLines = false;
  /** Keys on their way through the queue; until they have arrived, lines stay cut. */
  private entering = 0;
  private readonly on: Record<Mode, boolean> = { alternate: false, bracketed: false, hidden: false };
  private promptSince = 0;
  /** Whether anything but an empty row was ever typed at; until then a shell is still greeting. */
  private hasPrompted = false;
  private printedAt = 0;
  private current: TypedLine | undefined;
  private waiting: SentLine[] = [];
  private sequence = 0;

  constructor(options: TrackerOptions) {
    this.options = options;
    this.terminal = new xterm.Terminal({ cols: options.cols, rows: options.rows, scrollback: SCROLLBACK, allowProposedApi: true });
    this.reader = new CommandLineReader(this.terminal);
    this.capture = new OutputCapture(options.onCommand);
    this.feed = new BurstFeed({ show: (chunk) => this.show(chunk), gap: () => this.gap() });
  }

  /** Takes output of the target, as UTF-8. */
  output(chunk: Buffer): void {
    let from = 0;
    for (const { mode, on, end } of this.scanner.scan(chunk)) {
      this.feed.push(chunk.subarray(from, Math.max(from, end)));
      from = Math.max(from, end);
      this.feed.attend();
      this.inOrder(() => this.switchMode(mode, on));
    }
    this.feed.push(from === 0 ? chunk : chunk.subarray(from));
  }

  /** Takes what the person sends, as UTF-8. */
  input(chunk: Buffer): void {
    this.feed.attend();
    this.cutLines ||= chunk.includes(0x0d) || chunk.includes(0x0a);
    this.entering++;
    const bytes = Buffer.from(chunk);
    this.inOrder(() => {
      this.entering--;
      for (const key of this.keys.read(bytes, this.on.bracketed)) this.press(key);
      this.settle();
    });
  }

  /** Takes a new size of the terminal. */
  resize(cols: number, rows: number): void {
    this.feed.attend();
    this.inOrder(() => this.terminal.resize(cols, rows));
  }

  /** Tells the last command and lets go of everything. */
  async end(): Promise<void> {
    this.feed.attend();
    this.feed.stop();
    await new Promise<void>((done) => this.inOrder(done));
    this.capture.finish();
    this.terminal.dispose();
  }

  /** Runs something when the emulator has interpreted all that was shown before. */
  private inOrder(step: () => void): void {
    this.terminal.write('', step);
  }

  private show(chunk: Buffer): void {
    let from = 0;
    while (this.cutLines) {
      const newline = chunk.indexOf(0x0a, from);
      if (newline < 0) break;
      this.interpret(chunk.subarray(from, newline + 1));
      this.inOrder(() => this.lineEnded());
      from = newline + 1;
    }
    if (from < chunk.length) this.interpret(chunk.subarray(from));
  }

  private interpret(part: Buffer): void {
    this.terminal.write(part, () => {
      this.printedAt = performance.now();
      this.capture.add(part);
    });
  }

  private gap(): void {
    this.terminal.write(AFTER_GAP, () => this.capture.finish());
  }

  private switchMode(mode: Mode, on: boolean): void {
    this.on[mode] = on;
    if (mode === 'alternate') {
      this.capture.finish();
      this.current = undefined;
    }
    if (mode !== 'bracketed') return;
    this.keys.endPaste();
    if (on) {
      this.promptSince = performance.now();
      this.hasPrompted = true;
      // What was typed before belongs behind this prompt or to nobody; where it began is not where it will be shown.
      for (const line of this.current ? [...this.waiting, this.current] : this.waiting) {
        line.start?.marker?.dispose();
        line.start = undefined;
      }
      this.capture.finish('prompt follows');
    } else this.accept('editor');
  }

  private lineEnded(): void {
    // At a line editor's prompt the end of the line is told by the mode switch, which is exact; a full screen has no lines.
    const isFullScreen = this.on.alternate || (this.on.hidden && !looksLikePrompt(this.waiting[0]?.start));
    if (!this.on.bracketed && !isFullScreen) this.accept('newline');
    this.settle();
  }

  private press(key: Key): void {
    if (key.kind === 'interrupt') {
      this.current = undefined;
      return;
    }
    this.forgetReadAhead();
    if (this.waiting.length === 0) this.capture.finish();
    this.current ??= { start: this.waiting.length === 0 ? this.startOfTyping() : undefined, typed: '' };
    if (key.kind === 'text') {
      if (this.current.typed !== undefined) this.current.typed = cut(this.current.typed + key.text, MAX_INPUT);
      return;
    }
    if (key.kind === 'edit') {
      this.current.typed = undefined;
      return;
    }
    this.waiting.push({ ...this.current, sentAt: performance.now() });
    if (this.waiting.length > MAX_WAITING) this.waiting.shift();
    this.current = undefined;
  }

  /** Where a line begins that is typed now; unknown while a shell is still greeting: it will be shown behind a prompt to come. */
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
    if (input === '') return;
    this.capture.begin({ sequence: ++this.sequence, input: cut(input, MAX_INPUT), at: Math.round(this.options.elapsed()) });
  }

  /** What was sent off before the prompt came, and is not accepted though the prompt stands, was read by another program. */
  private forgetReadAhead(): void {
    const now = performance.now();
    if (this.on.bracketed) {
      if (now - this.promptSince >= EDITOR_SETTLED_MS) this.waiting = this.waiting.filter((line) => line.sentAt >= this.promptSince);
      return;
    }
    const isAhead = (line: SentLine) => line.start === undefined && now - line.sentAt >= SHELL_SETTLED_MS;
    if (this.current || !this.waiting.some(isAhead) || now - this.printedAt < SHELL_SETTLED_MS) return;
    const here = this.reader.mark();
    if (looksLikePrompt(here)) this.waiting = this.waiting.filter((line) => !isAhead(line));
    here.marker?.dispose();
  }

  private settle(): void {
    if (this.waiting.length === 0 && this.entering === 0) this.cutLines = false;
  }
}
