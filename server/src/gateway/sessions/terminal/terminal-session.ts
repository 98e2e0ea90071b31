import type { Problem } from '@sallyport/contract';
import type { RecordingDigest } from '../../../platform/storage/recordings.ts';
import { MAX_WAITING_INPUT } from '../../limits.ts';
import type { Grant } from '../../ports/grant.ts';
import type { ReplayState } from '../../ports/records.ts';
import type { TargetShell, TerminalSize } from '../../protocols/connector.ts';
import { TARGET_ENDS, type TargetEnd } from '../../protocols/target-end.ts';
import { wordProblem } from '../../refusal.ts';
import { Session, type SessionParts } from '../session.ts';
import type { Screen } from '../session-client.ts';
import { CommandTracker } from './commands/tracker.ts';
import { createGate } from './create-gate.ts';
import { TypedInput } from './gather.ts';
import { type Guest, type GuestPlace, Guests } from './guests.ts';
import type { LineGate } from './line-gate.ts';
import type { Recorder } from './recorder/recorder.ts';
import { ScreenSize } from './screen-tail.ts';
import { SessionCommands } from './session-commands.ts';
import { TargetOutput } from './target-output.ts';
import type { Resumption, TerminalSessionClient } from './terminal-client.ts';
import { TerminalOutput } from './terminal-output.ts';
import { TextOutput } from './text-output.ts';
import { TerminalFiles } from './zmodem/terminal-files.ts';

export interface TerminalSessionParts extends SessionParts {
  readonly client: TerminalSessionClient;
  readonly recorder: Recorder;
  readonly size: TerminalSize;
}

/** A terminal session: carries bytes both ways, records them and detects commands. */
export class TerminalSession extends Session {
  readonly kind = 'terminal';
  override readonly takesGuests = true;
  private readonly parts: TerminalSessionParts;
  private readonly shown: TerminalOutput;
  private readonly tracker: CommandTracker;
  private readonly text: TextOutput;
  readonly commands: SessionCommands;
  readonly guests: Guests;
  private readonly gate: LineGate | undefined;
  readonly files: TerminalFiles;
  // Frames and packets have fixed costs, so send the data of one tick as one piece.
  private readonly typed = new TypedInput((all, by) => {
    const keys = this.text.known(all, () => this.notify({ code: 'charset_lacks' }, true));
    if (this.gate) this.gate.input(keys, by);
    else this.send(keys, by);
  });
  private readonly arrived = new TargetOutput((raw) => this.files.relay.fromTarget(raw));
  private shell: TargetShell | undefined;
  private hasOpened = false;
  private hasInputEnded = false;
  private readonly size: ScreenSize;

  constructor(parts: TerminalSessionParts) {
    super(parts);
    this.parts = parts;
    this.size = new ScreenSize(parts.size, (size) => {
      this.shown.resize(size);
      this.tracker.resize(size.cols, size.rows);
      this.shell?.resize(size.cols, size.rows);
    });
    const { ports, row, client } = parts;
    this.shown = new TerminalOutput({ ...parts, watchers: this.watchers, shell: () => this.shell });
    this.arrived.onHold = (on) => this.shown.flow.hold('turns', on);
    this.guests = new Guests({
      changed: (guests) => client.guests?.(guests),
      note: (label) => this.mark(label),
      passes: (typist) => this.second.passes(typist),
    });
    const sessions = () => this.guests.rows(row);
    this.tracker = new CommandTracker({
      ...parts.size,
      charset: row.grant.asset.charset,
      isOwnPrompt: row.grant.systemUser.allowedCommands !== undefined,
      owner: row.person.display,
      elapsed: () => parts.recorder.elapsed,
      onCommand: (command) => this.commands.detected(command),
      onDrain: () => {
        this.shown.flow.hold('tracker', false);
        this.holdInput(false);
      },
      onHidden: (label) => this.shown.mark(label),
      captured: parts.capture.text,
    });
    this.text = new TextOutput(row.grant.asset.charset, this.tracker, this.shown);
    this.commands = new SessionCommands({
      ports,
      sessions,
      refuse: (line) => this.tracker.refuse(line),
      ask: async (asked, line, held) => this.gate?.ask(asked, line, held),
      onFailure: (error) => this.notLogged(error),
    });
    this.gate = createGate({
      ports,
      sessions,
      tracker: this.tracker,
      keyboard: {
        send: (keys, by) => this.send(keys, by),
        clear: (keys) => this.shell?.write(keys),
        show: (text) => this.show(text),
      },
      onFailure: () => this.end('internal'),
    });
    this.files = new TerminalFiles({
      ...parts,
      guard: ports.guard,
      sessions,
      shown: this.shown,
      lock: () => this.lock,
      write: (record) => this.logFile(record),
      toTarget: (bytes) => this.shell?.write(bytes),
      text: this.text.fromTarget,
      seenText: this.text.seen,
      keys: (input) => this.typed.pushOwn(input),
    });
  }

  get screen(): Screen {
    return { size: this.size.current, snapshot: () => this.shown.snapshot() };
  }

  get recordedBytes(): number {
    return this.parts.recorder.size;
  }

  /** The number of watchers without guests. */
  override get watcherCount(): number {
    return this.watchers.size - this.guests.count;
  }

  /** Admits a guest and sends the current screen. @throws Refusal */
  admit(guest: Guest): GuestPlace {
    this.guests.add(guest);
    const forget = () => this.gate?.forget(guest.person.display);
    return this.guests.placeOf(guest, this.watch(guest.client), forget);
  }

  /** Typed bytes that the target has not read yet. */
  get waitingInput(): number {
    return (this.shell?.waiting ?? 0) + (this.gate?.held ?? 0) + this.typed.waiting;
  }

  /** Ends the input of the client. Keys typed before still arrive. */
  inputEnded(): void {
    this.hasInputEnded = true;
    if (!this.lock) this.afterKeys(() => this.shell?.finishInput?.());
  }

  /** Sends a break after the keys typed so far, if the protocol has one. */
  sendBreak(): void {
    if (this.lock || !this.shell?.sendBreak) return;
    this.afterKeys(() => {
      this.mark('break');
      this.shell?.sendBreak?.();
    });
  }

  private afterKeys(work: () => void): void {
    this.typed.flush();
    const finish = () => void (this.isOver || this.lock || work());
    // A line may still wait for its decision.
    if (this.gate) this.gate.whenDecided(finish);
    else finish();
  }

  /** Sends a signal to the program, if the protocol supports it. */
  signal(name: string): void {
    if (!this.isOver && !this.lock) this.shell?.signal?.(name);
  }

  /** Sets the open shell; called once. Its first output may have arrived already. */
  attach(shell: TargetShell): void {
    this.hasOpened = true;
    if (this.isOver) {
      shell.close();
      return;
    }
    this.shell = shell;
    if (this.shown.flow.isPaused) shell.pause();
    const { cols, rows } = this.size.current;
    if (cols !== this.parts.size.cols || rows !== this.parts.size.rows) shell.resize(cols, rows);
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
    this.text.draw(Buffer.from(text));
  }

  /** The tracker does not get the line: the target did not write it. */
  protected override announce(problem: Problem, isOver: boolean): void {
    this.arrived.flush();
    this.files.relay.show(wordProblem(problem, this.row.person.language));
    this.parts.client.announced?.(problem, isOver);
  }

  protected override lockChanged(): void {
    this.files.relay.recheck();
    if (!this.lock && this.hasInputEnded) this.inputEnded();
  }

  protected override granted(grant: Grant): void {
    this.files.granted(grant);
  }

  recorderDrained(): void {
    this.shown.flow.hold('recorder', false);
  }

  targetEnded(how: TargetEnd, message?: string): void {
    this.arrived.after(() => {
      if (message !== undefined) this.mark(`disconnected: ${message}`);
      this.end(TARGET_ENDS[how], message === undefined ? undefined : { message });
    });
  }

  /**
   * Takes keys of the owner or a guest. Drops keys of a guest who may not type, and all keys while
   * input is stopped. Returns false if too much waits: the caller must disconnect the typist.
   */
  input(chunk: Buffer, guest?: Guest): boolean {
    if (this.isOver || !this.shell || chunk.length === 0) return true;
    if (this.lock || (guest && !this.guests.mayType(guest))) return true;
    if (this.waitingInput + chunk.length > MAX_WAITING_INPUT) return false;
    this.active();
    this.typed.setTypist(guest);
    if (guest || this.guests.everTyped.length > 0)
      this.guests.typed(guest, this.row.person.display);
    const { relay } = this.files;
    if (guest ? !relay.isPassing : !relay.takesInput) this.typed.push(chunk);
    else if (!guest) {
      this.typed.flush();
      this.files.input(chunk);
    }
    return true;
  }

  private send(chunk: Buffer, by?: string): void {
    // The lock may have come during a decision. Track first: some shells echo within the write.
    if (this.isOver || !this.shell || this.lock) return;
    if (!this.tracker.input(chunk, by)) this.holdInput(true);
    this.shell.write(this.text.toTarget(chunk));
  }

  resize(cols: number, rows: number): void {
    this.size.request(cols, rows);
  }

  /** Counts bytes that the client confirms. Returns false if the count is impossible. */
  acknowledge(bytes: number): boolean {
    return this.isOver || this.shown.flow.acknowledge(bytes);
  }

  override mark(label: string): void {
    if (!this.isOver) this.shown.mark(label);
  }

  resume(seen: number | undefined): Resumption {
    return this.shown.resume(seen, () => this.size.redraw((...to) => this.shell?.resize(...to)));
  }

  protected get wasOpen(): boolean {
    return this.hasOpened;
  }

  protected stop(): void {
    this.gate?.stop();
    this.guests.stop();
    this.arrived.end();
    this.files.relay.end();
    this.shown.end();
    this.size.stop();
    this.shell?.close();
    this.shell = undefined; // releases its buffers: the session may outlive its end
  }

  protected override get kept(): RecordingDigest | undefined {
    return this.parts.recorder.kept;
  }

  protected async finish(): Promise<ReplayState> {
    await this.tracker.end();
    await Promise.all([this.commands.written(), this.files.written()]);
    return this.parts.recorder.finish();
  }

  private holdInput(on: boolean): void {
    this.parts.client.holdInput(on);
    this.guests.holdInput(on);
  }
}
