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

/** The near side of a terminal session. */
export interface TerminalSessionClient extends SessionClient {
  /** Takes output; the client acknowledges it to the session when the person has seen it. */
  output(chunk: Buffer): void;
  /** Stops reading from the person for a moment, or goes on. */
  holdInput(on: boolean): void;
  /** Who is in the session as a guest, whenever that changes; absent where nobody can be invited. */
  guests?(guests: readonly SessionGuest[]): void;
  /** The program at the target has ended; the session ends with it. */
  exited?(exit: TargetExit): void;
}

/** What a terminal session is made of when its recording has begun. */
export interface TerminalSessionParts extends SessionParts {
  readonly client: TerminalSessionClient;
  readonly recorder: Recorder;
  readonly size: TerminalSize;
  /** The command that runs in place of a shell. */
  readonly command?: string | undefined;
}

/** How a session goes on at a client that comes back. */
export interface Resumption {
  /** What it has missed, or a whole screen where that is not at hand. */
  readonly bytes: Buffer;
  readonly isScreen: boolean;
  /** Bytes of output since the session began. */
  readonly position: number;
}

/** A session in which people work in a terminal: bytes in two directions, recorded, and searched for commands. */
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
  // Each frame and each packet has its price however little is in it: what comes in one turn goes on as one piece.
  private readonly typed = new Gather((chunk) => this.passInput(chunk));
  private readonly arrived = new Gather((raw) => this.passOutput(raw));
  /** Whose keys were gathered last; nobody's are those of the person of the session. */
  private typist: Guest | undefined;
  private shell: TargetShell | undefined;
  private hasOpened = false;
  /** The last line that was refused at a prompt of ours, where its Enter had been seen already. */
  private refused: string | undefined;
  private size: TerminalSize;
  private wanted: TerminalSize;
  private resizes = 0;
  private resizing: NodeJS.Timeout | undefined;

  constructor(parts: TerminalSessionParts) {
    super(parts);
    this.parts = parts;
    this.size = parts.size;
    this.wanted = parts.size;
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

  /** Asks the guard about the command that is to run in place of a shell, and writes it to the log; returns what may run. @throws Refusal */
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

  /** Asks the guard about a line that is to run as a command of its own; a refused one is in the log. */
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

  /** The session as it is for everybody who typed in it, its own person first. */
  private get sessions(): readonly NewSession[] {
    const { row } = this.parts;
    return [row, ...this.guests.everTyped.map((person) => ({ ...row, person }))];
  }

  /** Watchers that are no guests. */
  override get watcherCount(): number {
    return this.watchers.size - this.guests.count;
  }

  /** Lets a guest in, who gets the screen as it is, then what follows. Returns how to leave, which is false where a newer window of theirs stays, and how to catch up. @throws Refusal */
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

  /** The person's end sends no more; what was typed before still arrives. */
  inputEnded(): void {
    this.typed.flush();
    const finish = () => {
      if (!this.isOver) this.shell?.finishInput?.();
    };
    // A line that waits for its decision is still to come.
    if (this.gate) this.gate.whenDecided(finish);
    else finish();
  }

  /** Passes a signal on to the program, where the protocol can. */
  signal(name: string): void {
    if (!this.isOver) this.shell?.signal?.(name);
  }

  /** The shell is open; called once. Its first output may have come already. */
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

  /** Takes output of the target. */
  fromTarget(raw: Buffer): void {
    if (this.isOver) return;
    this.active();
    this.arrived.push(raw);
  }

  /** Shows text of ours behind what came before it. */
  private show(text: string): void {
    if (this.isOver) return;
    this.arrived.flush();
    this.showAll(Buffer.from(text));
  }

  private passOutput(raw: Buffer): void {
    const chunk = this.charset.fromTarget(raw);
    if (chunk.length > 0) this.showAll(chunk);
  }

  /** Shows output to everybody who sees the session. */
  private showAll(chunk: Buffer): void {
    if (!this.parts.recorder.output(chunk)) this.flow.hold('recorder', true);
    if (!this.tracker.output(chunk)) this.flow.hold('tracker', true);
    this.tail.push(chunk, this.tail.position - this.flow.waiting);
    this.flow.push(chunk);
    for (const watcher of this.watchers) watcher.output(chunk);
  }

  /** The disk has caught up. */
  recorderDrained(): void {
    this.flow.hold('recorder', false);
  }

  /** The target has ended, or was lost. */
  targetEnded(how: TargetEnd): void {
    this.end(TARGET_ENDS[how]);
  }

  /** Takes what the person typed, or a guest; false when so much of it waits that they must be cut off. What a guest may not type is dropped. */
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

  /** The person's terminal has a new size. A few changes pass on at once, of more only the last one. */
  resize(cols: number, rows: number): void {
    this.wanted = { cols, rows };
    if (this.isOver || this.resizes >= MAX_RESIZES) return;
    this.applySize();
  }

  /** The person has seen so many bytes; false when that cannot be. */
  acknowledge(bytes: number): boolean {
    return this.isOver || this.flow.acknowledge(bytes);
  }

  /** Leaves a note in the recording. */
  note(label: string): void {
    if (!this.isOver) this.parts.recorder.mark(label);
  }

  /** Goes on at a client that has seen the output up to a position, or nothing at all: what it gets first. From then on, it confirms only what follows. */
  resume(seen: number | undefined): Resumption {
    const { position } = this.tail;
    const confirmed = position - this.flow.waiting;
    const missed = seen !== undefined && seen >= confirmed ? this.tail.since(seen) : undefined;
    this.flow.acknowledge(missed ? this.flow.waiting - missed.length : this.flow.waiting);
    if (missed) return { bytes: missed, isScreen: false, position };
    if (this.tail.isPartial) this.redraw();
    return { bytes: this.tail.snapshot(), isScreen: true, position };
  }

  /** Lets a full-screen program draw everything: it does when the size of its terminal changes. */
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
    // A browser that comes back learns how it ended: until then nothing is kept of the target and of what was on its way.
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
    const { cols, rows } = this.wanted;
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

  /** The command tracker has caught up. */
  private trackerDrained(): void {
    this.flow.hold('tracker', false);
    this.holdInput(false);
  }

  /** Stops reading from everybody who types, or goes on. */
  private holdInput(on: boolean): void {
    this.parts.client.holdInput(on);
    this.guests.holdInput(on);
  }
}
