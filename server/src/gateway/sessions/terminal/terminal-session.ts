import type { SessionGuest } from '@sallyport/contract';
import type { CommandRecord } from '../../../platform/command-record.ts';
import type { RecordingDigest } from '../../../platform/storage/recordings.ts';
import {
  MAX_RESIZES,
  MAX_WAITING_INPUT,
  MIN_TERMINAL_SIDE,
  REDRAW_MS,
  RESIZE_WINDOW_MS,
} from '../../limits.ts';
import type { ExecVerdict } from '../../ports/guard.ts';
import type { NewSession, ReplayState } from '../../ports/records.ts';
import type {
  TargetEnd,
  TargetExit,
  TargetShell,
  TerminalSize,
} from '../../protocols/connector.ts';
import { wordProblem } from '../../refusal.ts';
import { checkWhole, decide, recordOf } from '../check-whole.ts';
import { OutputFlow } from '../output-flow.ts';
import { type Screen, Session, type SessionParts } from '../session.ts';
import type { SessionClient } from '../session-client.ts';
import { TARGET_ENDS } from '../target-ends.ts';
import { createTranscoder, type Transcoder } from './charset.ts';
import { CommandLog } from './command-log.ts';
import { CommandTracker } from './commands/tracker.ts';
import { Gather } from './gather.ts';
import { type Guest, Guests } from './guests.ts';
import { LineGate } from './line-gate.ts';
import type { Recorder } from './recorder/recorder.ts';
import { ScreenTail } from './screen-tail.ts';

export interface TerminalSessionClient extends SessionClient {
  /** Sends output. The client acknowledges it to the session once the user has seen it. */
  output(chunk: Buffer): void;
  /** Pauses or resumes reading from the user. */
  holdInput(on: boolean): void;
  /** Reports a changed guest list. Absent if the client cannot invite guests. */
  guests?(guests: readonly SessionGuest[]): void;
  /** Reports that the program at the target has exited. The session ends next. */
  exited?(exit: TargetExit): void;
}

export interface TerminalSessionParts extends SessionParts {
  readonly client: TerminalSessionClient;
  readonly recorder: Recorder;
  readonly size: TerminalSize;
  /** The command to run instead of a shell. */
  readonly command?: string | undefined;
}

/** The state that a reconnecting client needs. */
export interface Resumption {
  /** The missed output, or a whole screen if that is no longer kept. */
  readonly bytes: Buffer;
  readonly isScreen: boolean;
  /** Bytes of output since the session began. */
  readonly position: number;
}

/** A terminal session: carries bytes both ways, records them and detects commands. */
export class TerminalSession extends Session {
  readonly kind = 'terminal';
  override readonly takesGuests = true;
  readonly screen: Screen;
  private readonly parts: TerminalSessionParts;
  private readonly charset: Transcoder;
  private readonly flow: OutputFlow;
  private readonly tracker: CommandTracker;
  private readonly commands: CommandLog;
  private readonly tail = new ScreenTail();
  readonly guests: Guests;
  private readonly gate: LineGate | undefined;
  // Frames and packets have fixed costs, so send the data of one tick as one piece.
  private readonly typed = new Gather((chunk) => this.passInput(chunk));
  private readonly arrived = new Gather((raw) => this.passOutput(raw));
  /** The typist of the gathered keys; undefined for the owner. */
  private typist: Guest | undefined;
  private shell: TargetShell | undefined;
  private hasOpened = false;
  /**
   * The last line rejected at our own prompt. The tracker has seen its Enter and reports it again.
   */
  private refused: string | undefined;
  private size: TerminalSize;
  private requestedSize: TerminalSize;
  private resizes = 0;
  private resizing: NodeJS.Timeout | undefined;

  constructor(parts: TerminalSessionParts) {
    super(parts);
    this.parts = parts;
    this.size = parts.size;
    this.requestedSize = parts.size;
    const sizeNow = () => this.size;
    this.screen = {
      get size() {
        return sizeNow();
      },
      snapshot: () => this.tail.snapshot(),
    };
    this.charset = createTranscoder(parts.row.grant.asset.charset);
    this.flow = new OutputFlow({
      send: (chunk) => parts.client.output(chunk),
      pause: () => this.shell?.pause(),
      resume: () => this.shell?.resume(),
    });
    this.commands = new CommandLog(parts.row.id, parts.ports.sessions, (error) =>
      this.notLogged(error),
    );
    this.guests = new Guests({
      changed: (guests) => parts.client.guests?.(guests),
      note: (label) => this.note(label),
    });
    this.tracker = new CommandTracker({
      ...this.size,
      owner: parts.row.person.display,
      elapsed: () => parts.recorder.elapsed,
      onCommand: (command) => this.logCommand(command),
      onDrain: () => this.trackerDrained(),
      onHidden: (label) => parts.recorder.mark(label),
    });
    const { guard, log } = parts.ports;
    this.gate =
      guard &&
      new LineGate({
        guard,
        session: parts.row,
        sessions: () => this.sessions,
        log,
        send: (keys, by) => this.send(keys, by),
        clear: (keys) => this.shell?.write(keys),
        show: (text) => this.show(text),
        pendingLine: () => this.tracker.pendingLine(),
        settled: (isShown) => this.tracker.settled(isShown),
        takesMarkedPastes: () => this.tracker.takesMarkedPastes,
        prompts: () => this.tracker.prompts,
        beforeCursor: () => this.tracker.beforeCursor(),
        isAtPrompt: (prompt) => this.tracker.isAtPrompt(prompt),
        failed: (error) => {
          log.error(
            { session: parts.row.id, err: error },
            'typed lines could not be checked; the session ends',
          );
          this.end('internal');
        },
        refused: ({ text, isHidden }, message) =>
          this.tracker.refuse(isHidden ? '' : text, message),
      });
  }

  get recordedBytes(): number {
    return this.parts.recorder.size;
  }

  /**
   * Asks the guard about the command that runs instead of a shell, and logs it. Returns the command
   * to run. @throws Refusal
   */
  async checkCommand(): Promise<string | undefined> {
    const { command, row, ports } = this.parts;
    if (command === undefined) return undefined;
    const allowed = await checkWhole(command, row, ports);
    this.commands.add(recordOf(command));
    return allowed;
  }

  private logCommand(command: CommandRecord): void {
    if (!command.isRefused && command.input === this.refused) this.refused = undefined;
    else this.commands.add(command);
  }

  /** Asks the guard about a line of an enforced account. Logs a rejected line. */
  async decideLine(line: string): Promise<ExecVerdict> {
    const { row, ports } = this.parts;
    if (!ports.guard)
      return {
        kind: 'deny',
        message: wordProblem({ code: 'account_enforced' }, row.person.language),
      };
    let verdict = await decide(ports.guard, line, row, ports.log);
    for (const session of this.sessions.slice(1))
      if (verdict.kind === 'allow') verdict = await decide(ports.guard, line, session, ports.log);
    if (verdict.kind === 'deny') {
      this.refused = line;
      this.tracker.refuse(line, verdict.message);
    }
    return verdict;
  }

  /** One session row per user who typed here, the owner first. */
  private get sessions(): readonly NewSession[] {
    const { row } = this.parts;
    return [row, ...this.guests.everTyped.map((person) => ({ ...row, person }))];
  }

  /** The number of watchers without guests. */
  override get watcherCount(): number {
    return this.watchers.size - this.guests.count;
  }

  /**
   * Admits a guest and sends the current screen. Returns `snapshot` to catch up and `stop` to
   * leave. `stop` returns false if a newer window has replaced this one.
   * @throws Refusal
   */
  admit(guest: Guest): { readonly stop: () => boolean; readonly snapshot: () => Buffer } {
    this.guests.add(guest);
    const { stop, snapshot } = this.watch(guest.client);
    return {
      snapshot,
      stop: () => {
        stop();
        guest.types = false;
        this.gate?.forget(guest.person.display);
        return this.guests.remove(guest);
      },
    };
  }

  /** Typed bytes that the target has not read yet. */
  get waitingInput(): number {
    return (this.shell?.waiting ?? 0) + (this.gate?.held ?? 0) + this.typed.waiting;
  }

  /** Ends the input of the client. Keys typed before still arrive. */
  inputEnded(): void {
    this.typed.flush();
    const finish = () => {
      if (!this.isOver) this.shell?.finishInput?.();
    };
    // A line may still wait for its decision.
    if (this.gate) this.gate.whenDecided(finish);
    else finish();
  }

  /** Sends a signal to the program, if the protocol supports it. */
  signal(name: string): void {
    if (!this.isOver) this.shell?.signal?.(name);
  }

  /** Sets the open shell; called once. Its first output may have arrived already. */
  attach(shell: TargetShell): void {
    this.hasOpened = true;
    if (this.isOver) {
      shell.close();
      return;
    }
    this.shell = shell;
    if (this.flow.isPaused) shell.pause();
    if (this.size.cols !== this.parts.size.cols || this.size.rows !== this.parts.size.rows)
      shell.resize(this.size.cols, this.size.rows);
  }

  fromTarget(raw: Buffer): void {
    if (this.isOver) return;
    this.active();
    this.arrived.push(raw);
  }

  /** Shows our own text after the output so far. */
  private show(text: string): void {
    if (this.isOver) return;
    this.arrived.flush();
    this.showAll(Buffer.from(text));
  }

  private passOutput(raw: Buffer): void {
    const chunk = this.charset.fromTarget(raw);
    if (chunk.length > 0) this.showAll(chunk);
  }

  /** Shows output to the user and all watchers. */
  private showAll(chunk: Buffer): void {
    if (!this.parts.recorder.output(chunk)) this.flow.hold('recorder', true);
    if (!this.tracker.output(chunk)) this.flow.hold('tracker', true);
    this.tail.push(chunk, this.tail.position - this.flow.waiting);
    this.flow.push(chunk);
    for (const watcher of this.watchers) watcher.output(chunk);
  }

  recorderDrained(): void {
    this.flow.hold('recorder', false);
  }

  targetEnded(how: TargetEnd): void {
    this.end(TARGET_ENDS[how]);
  }

  /**
   * Takes keys of the owner or a guest. Drops keys of a guest who may not type. Returns false if
   * too much input waits: the caller must disconnect the typist.
   */
  input(chunk: Buffer, guest?: Guest): boolean {
    if (this.isOver || !this.shell || chunk.length === 0) return true;
    if (guest && !this.guests.mayType(guest)) return true;
    if (this.waitingInput + chunk.length > MAX_WAITING_INPUT) return false;
    this.active();
    if (guest !== this.typist) this.typed.flush();
    this.typist = guest;
    if (guest || this.guests.everTyped.length > 0)
      this.guests.typed(guest, this.row.person.display);
    this.typed.push(chunk);
    return true;
  }

  private passInput(chunk: Buffer): void {
    const by = this.typist?.person.display;
    if (this.gate) this.gate.input(chunk, by);
    else this.send(chunk, by);
  }

  private send(chunk: Buffer, by?: string): void {
    if (this.isOver || !this.shell) return;
    if (!this.tracker.input(chunk, by)) this.holdInput(true);
    this.shell.write(this.charset.toTarget(chunk));
  }

  /**
   * Resizes the terminal. A few changes apply at once; of further ones only the last, after a
   * pause.
   */
  resize(cols: number, rows: number): void {
    this.requestedSize = { cols, rows };
    if (this.isOver || this.resizes >= MAX_RESIZES) return;
    this.applySize();
  }

  /** Counts bytes that the client confirms. Returns false if the count is impossible. */
  acknowledge(bytes: number): boolean {
    return this.isOver || this.flow.acknowledge(bytes);
  }

  /** Adds a marker to the recording. */
  note(label: string): void {
    if (!this.isOver) this.parts.recorder.mark(label);
  }

  /**
   * Resumes at a client that has seen the output up to a position, or none (undefined). Afterwards
   * the client confirms only output after that position.
   */
  resume(seen: number | undefined): Resumption {
    const { position } = this.tail;
    const confirmed = position - this.flow.waiting;
    const missed = seen !== undefined && seen >= confirmed ? this.tail.since(seen) : undefined;
    this.flow.acknowledge(missed ? this.flow.waiting - missed.length : this.flow.waiting);
    if (missed) return { bytes: missed, isScreen: false, position };
    if (this.tail.isPartial) this.redraw();
    return { bytes: this.tail.snapshot(), isScreen: true, position };
  }

  /** Makes a full-screen program redraw by changing the size of its terminal. */
  private redraw(): void {
    const { cols, rows } = this.size;
    if (rows <= MIN_TERMINAL_SIDE) return;
    this.shell?.resize(cols, rows - 1);
    setTimeout(() => {
      if (!this.isOver) this.shell?.resize(this.size.cols, this.size.rows);
    }, REDRAW_MS);
  }

  protected override marked(label: string): void {
    this.note(label);
  }

  protected get wasOpen(): boolean {
    return this.hasOpened;
  }

  protected stop(): void {
    this.gate?.stop();
    this.guests.stop();
    this.arrived.flush();
    clearTimeout(this.resizing);
    this.shell?.close();
    // The session may outlive its end until the browser returns, so release the target and its
    // buffers.
    this.shell = undefined;
  }

  protected override get kept(): RecordingDigest | undefined {
    return this.parts.recorder.kept;
  }

  protected async finish(): Promise<ReplayState> {
    await this.tracker.end();
    await this.commands.written();
    return this.parts.recorder.finish();
  }

  private applySize(): void {
    const { cols, rows } = this.requestedSize;
    if (this.isOver || (cols === this.size.cols && rows === this.size.rows)) return;
    this.size = { cols, rows };
    this.resizes++;
    this.resizing ??= setTimeout(() => {
      this.resizing = undefined;
      this.resizes = 0;
      this.applySize();
    }, RESIZE_WINDOW_MS);
    this.parts.recorder.resize(cols, rows);
    this.tracker.resize(cols, rows);
    this.shell?.resize(cols, rows);
    for (const watcher of this.watchers) watcher.resize(cols, rows);
  }

  private trackerDrained(): void {
    this.flow.hold('tracker', false);
    this.holdInput(false);
  }

  /** Pauses or resumes reading from the owner and all guests. */
  private holdInput(on: boolean): void {
    this.parts.client.holdInput(on);
    this.guests.holdInput(on);
  }
}
