import { WholeCharacters } from '@sallyport/contract';
import xterm from '@xterm/headless';
import { CROWD, sessionTurns } from '../../../../platform/fair-turns.ts';
import {
  EMULATOR_FRESH_BYTES,
  EMULATOR_IDLE_MS,
  EMULATOR_SLICE_MS,
  EMULATOR_STALE_BYTES,
  EMULATOR_STEP_COST,
  MAX_EMULATED_CELLS,
  MAX_EMULATOR_QUEUE,
} from '../../../limits.ts';
import { terminalBudget } from '../../../shared-budget.ts';
import { EmulatorHistory } from './emulator-history.ts';
import { limitTerminal, partOf, writeAtOnce } from './limit-terminal.ts';
import { ScreenTrust } from './screen-trust.ts';

const SCROLLBACK = 300;
/** Output that a mark over another character counts as: a cell keeps all of its marks. */
const MARK_COST = 1024;

/** The work of a key and of its echo is done together, after both have been sent. */
const START_MS = 4;

/** Queued bytes up to which work is urgent: a key, its echo and a prompt, next to floods. */
const LITTLE = 2048;

/** Shared by all emulators of this process. */
const turns = sessionTurns.lane({ startMs: START_MS, crowd: CROWD });

interface Work {
  readonly data: Buffer | string;
  readonly done: (() => void) | undefined;
  /** Bytes that it counts in the queue. */
  readonly cost: number;
}

/**
 * A terminal emulator that works in small pieces, limits its queue and shares the processor with
 * other sessions. Most sessions are idle: after a while without work the emulator is disposed of,
 * and recreated on demand from its history.
 */
export class Emulator {
  private awake: xterm.Terminal | undefined;
  private readonly history: EmulatorHistory;
  private readonly idle: NodeJS.Timeout;
  private readonly characters = new WholeCharacters();
  private readonly queue: Work[] = [];
  /** Position in the data of the first queued work. */
  private at = 0;
  private queued = 0;
  private interpreted = 0;
  private working = false;
  private behind = false;
  private disposed = false;
  private readonly onDrain: () => void;
  private readonly trust: ScreenTrust;

  /** `trust` follows what the terminal prints. */
  constructor(cols: number, rows: number, onDrain: () => void, trust = new ScreenTrust()) {
    this.onDrain = onDrain;
    this.trust = trust;
    this.history = new EmulatorHistory(cols, rowsFor(cols, rows));
    this.idle = setTimeout(() => this.sleep(), EMULATOR_IDLE_MS);
    this.idle.unref();
  }

  /** The current terminal. Do not keep it: the next access may return another one. */
  get terminal(): xterm.Terminal {
    this.awake ??= this.make();
    return this.awake;
  }

  /** True while only the history exists. */
  get isAsleep(): boolean {
    return this.awake === undefined;
  }

  /** Disposes of the terminal unless it works, shows the alternate screen or has markers. */
  sleep(): void {
    const { awake, history } = this;
    if (!awake || this.working || this.queue.length > 0 || !history.isWhole) return;
    if (awake.buffer.active.type !== 'normal' || awake.markers.length > 0) return;
    history.trim();
    awake.dispose();
    this.awake = undefined;
    this.trust.detach();
  }

  /** Restores the modes that a line editor expects, without moving the cursor. */
  restoreModes(): void {
    const { terminal } = this;
    const sequences = this.trust.begin();
    if (sequences === '') return;
    this.history.add(sequences);
    writeAtOnce(terminal, sequences);
  }

  private make(): xterm.Terminal {
    // Targets must not be able to fill our log.
    const terminal = new xterm.Terminal({
      ...this.history.firstSize,
      scrollback: SCROLLBACK,
      allowProposedApi: true,
      logLevel: 'off',
    });
    limitTerminal(terminal);
    this.trust.attach(terminal);
    this.idle.refresh();
    this.history.replay(
      (data) => writeAtOnce(terminal, data),
      (cols, rows) => terminal.resize(cols, rows),
    );
    return terminal;
  }

  /** True if the queue is so long that target and user must pause until `onDrain`. */
  get isBehind(): boolean {
    return this.behind;
  }

  /** Queues output. Calls `done` once its effect is visible. */
  write(data: Buffer | string, done?: () => void): void {
    if (data.length > 0 || done) this.add({ data, done, cost: data.length });
    this.interpreted += data.length;
  }

  /**
   * Calls `done` after all earlier output is interpreted. `cost` is the number of bytes it works
   * on.
   */
  step(done: () => void, cost = 0): void {
    this.add({ data: '', done, cost });
  }

  resize(cols: number, rows: number): void {
    this.terminal.resize(cols, rowsFor(cols, rows));
    this.history.resize(cols, rowsFor(cols, rows));
  }

  /**
   * Resets the screen after much output: cells can hold more than they show, such as thousands of
   * accents. `isSafe` allows an early reset.
   */
  refresh(isSafe: boolean): void {
    this.interpreted += this.trust.takeMarks() * MARK_COST;
    if (this.interpreted < (isSafe ? EMULATOR_FRESH_BYTES : EMULATOR_STALE_BYTES)) return;
    this.interpreted = 0;
    this.history.forget();
    this.terminal.reset();
  }

  dispose(): void {
    this.disposed = true;
    this.queue.length = 0;
    clearTimeout(this.idle);
    this.awake?.dispose();
    this.awake = undefined;
  }

  private add(work: Work): void {
    if (this.disposed) return;
    this.queue.push(work);
    this.queued += work.cost + EMULATOR_STEP_COST;
    this.behind ||= this.queued > maxQueue();
    this.begin();
  }

  private done({ cost, done }: Work): void {
    done?.();
    this.queued -= cost + EMULATOR_STEP_COST;
    if (!this.behind || this.queued > maxQueue() / 2) return;
    this.behind = false;
    this.onDrain();
  }

  private begin(): void {
    if (this.working) return;
    this.working = true;
    turns.request(() => this.work(), this.queued <= LITTLE);
  }

  private work(): void {
    const until = performance.now() + EMULATOR_SLICE_MS;
    for (let next = this.queue[0]; next; next = this.queue[0]) {
      const part = partOf(next.data, this.at, this.history.cells);
      this.at += part.length;
      const isDone = this.at === next.data.length;
      if (isDone) {
        this.queue.shift();
        this.at = 0;
      }
      if (part.length > 0) this.interpret(part);
      if (isDone) this.done(next);
      if (performance.now() >= until) break;
    }
    this.working = false;
    if (this.disposed) return;
    this.idle.refresh();
    if (this.queue.length > 0) this.begin();
  }

  private interpret(data: Buffer | string): void {
    // The history replays into a terminal that is created now, so it gets the data afterwards.
    const { terminal } = this;
    const whole = this.wholeOf(data);
    this.history.add(whole);
    this.trust.read(whole, (part) => writeAtOnce(terminal, part));
  }

  private wholeOf(data: Buffer | string): Buffer | string {
    if (typeof data === 'string') {
      // Only our own text at a gap is a string.
      this.characters.forget();
      return data;
    }
    const whole = this.characters.take(data);
    return Buffer.isBuffer(whole) ? whole : Buffer.from(whole.buffer, 0, whole.length);
  }
}

const maxQueue = () => Math.min(MAX_EMULATOR_QUEUE, terminalBudget.share / 2);

function rowsFor(cols: number, rows: number): number {
  return Math.max(2, Math.min(rows, Math.floor(MAX_EMULATED_CELLS / cols)));
}
