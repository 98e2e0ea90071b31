import type { CommandRecord } from '../../../../platform/command-record.ts';
import {
  KEY_SLICE,
  MAX_MODE_SWITCHES,
  MODE_SWITCH_WINDOW_MS,
  TRACKER_END_MS,
} from '../../../limits.ts';
import type { RefusedLine } from '../gated-terminal.ts';
import { BurstFeed } from './burst-feed.ts';
import {
  type AcceptedBy,
  CommandLineReader,
  isShownAsTyped,
  looksLikePrompt,
  type TypedLine,
} from './command-line.ts';
import { Emulator } from './emulator.ts';
import { type Key, KeyReader, keySlices } from './key-reader.ts';
import { type Mode, ModeScanner, SCREEN_MODES } from './mode-scanner.ts';
import { cut, OutputCapture } from './output-capture.ts';
import { HiddenLines, PromptView, ScreenUpdates } from './prompt-view.ts';
import { trimBlanks } from './screen-lines.ts';
import { ScreenTrust } from './screen-trust.ts';
import { SwitchBudget } from './switch-budget.ts';
import type { TrackerOptions } from './tracker-options.ts';
import { MAX_INPUT, TypedLines } from './typed-lines.ts';

/** Begins a line that the screen may show otherwise than the program has it. */
const UNCERTAIN = '# uncertain: ';
/** Written at a gap in the stream: aborts a cut sequence and starts a fresh row. */
const AFTER_GAP = '\x18\r\n';

/**
 * Detects the user's commands from keys and output by emulating the terminal. It records what the
 * screen showed and is no barrier: commands that scripts or programs run are not visible here.
 */
export class CommandTracker {
  private readonly emulator: Emulator;
  private readonly reader: CommandLineReader;
  private readonly trust: ScreenTrust;
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
  private readonly updates = new ScreenUpdates();
  private readonly lines: TypedLines;
  /** The prompt at which the user types. */
  readonly prompt: PromptView;
  private sequence = 0;
  private readonly hidden = new HiddenLines((label, since) => this.recordHidden(label, since));

  constructor(options: TrackerOptions) {
    this.options = options;
    const isLineOpen = () => this.on.bracketed || this.lines.latest !== undefined;
    this.trust = new ScreenTrust(options.charset, isLineOpen);
    this.emulator = new Emulator(options.cols, options.rows, options.onDrain, this.trust);
    this.reader = new CommandLineReader(this.emulator);
    this.capture = new OutputCapture(options.onCommand, options.captured);
    this.feed = new BurstFeed({ show: (chunk) => this.show(chunk), gap: () => this.gap() });
    this.lines = new TypedLines({
      reader: this.reader,
      onKey: () => this.capture.finish(),
      onText: (text) => this.trust.typed(text),
      onEdit: () => this.trust.edited(),
      onDropped: () => this.hidden.add(options.elapsed()),
    });
    this.prompt = new PromptView({
      reader: this.reader,
      lines: this.lines,
      trust: this.trust,
      modes: this.on,
      updates: this.updates,
      elapsed: options.elapsed,
      interpretAll: () => {
        this.feed.attend();
        return new Promise((done) => this.emulator.step(done));
      },
      refuse: (line) => this.refuse(line),
    });
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
      this.emulator.refresh(!this.on.alternate && this.lines.latest === undefined);
    });
    return !this.emulator.isBehind;
  }

  /** Waits for the target's response to the last keys, or until `isShown`. */
  settled(isShown?: () => boolean): Promise<void> {
    return this.prompt.settled(isShown);
  }

  /** Records a rejected line and forgets it. */
  refuse({ text, message, verdict }: RefusedLine): void {
    const typedBy = this.typedBy(this.lines.latest);
    this.lines.discard();
    this.trust.forget();
    this.capture.finish();
    const input = text === '' ? '# a line typed without echo' : cut(text, MAX_INPUT);
    this.options.onCommand({
      sequence: ++this.sequence,
      input,
      output: message,
      at: Math.round(this.options.elapsed()),
      isRefused: true,
      ...(verdict && { verdict }),
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
      this.lines.screenSwitched(on);
    }
    if (mode !== 'bracketed') return;
    this.keys.endPaste();
    if (on) {
      this.trust.forget();
      this.emulator.restoreModes();
      this.prompt.prompted();
      this.lines.prompted(this.options.elapsed());
      this.capture.finish('prompt follows');
    } else this.accept('editor');
  }

  private lineEnded(): void {
    // In a line editor, the mode switch marks the end of the line. A full screen has no lines.
    const isFullScreen =
      this.on.alternate || (this.on.hidden && !looksLikePrompt(this.lines.oldest?.start));
    if (!this.on.bracketed && !isFullScreen) this.accept('newline');
    this.settle();
  }

  private pressAll(keys: readonly Key[], by: string): void {
    const now = this.options.elapsed();
    if (!this.on.alternate && this.lines.areEmpty) this.emulator.restoreModes();
    this.lines.forgetReadAhead(now, this.on.bracketed, this.updates.at);
    for (const key of keys) {
      this.lines.press(key, now, { by, hasSettled: this.updates.echo.hasSettled(now) });
      this.updates.echo.pressed(key, now);
    }
  }

  private accept(by: AcceptedBy): void {
    const line = this.lines.next(by);
    const text = line && this.reader.read(line, by);
    if (!line || text === undefined) return;
    this.lines.accepted(line);
    this.settle();
    const input = trimBlanks(text);
    const isRead = this.options.isOwnPrompt || isShownAsTyped(line, text);
    const drawn = (line.start?.prompt ?? '') + text;
    const isUncertain = !isRead && (this.reader.isDoubtful || this.trust.isUncertain(drawn, true));
    if (!this.on.bracketed && !this.lines.latest) this.trust.forget();
    if (by === 'editor' && input.endsWith('^C')) {
      this.lines.forgetSent();
      return;
    }
    if (input === '') {
      // The user typed a password or has turned off echo: log that a line exists, not its text. An
      // edited line may be empty; it counts if its neighbors were hidden.
      const isHidden =
        line.typed === undefined ? this.hidden.areWaiting : trimBlanks(line.typed) !== '';
      if (isHidden && !this.on.alternate) this.hidden.add(this.options.elapsed());
      return;
    }
    this.hidden.report();
    this.capture.begin({
      sequence: ++this.sequence,
      input: cut(isUncertain ? UNCERTAIN + input : input, MAX_INPUT),
      at: Math.round(this.options.elapsed()),
      ...(line.verdict && { verdict: line.verdict }),
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

  private settle(): void {
    if (!this.lines.hasSent && this.entering === 0) this.cutLines = false;
  }
}
