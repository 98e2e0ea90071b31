import type xterm from '@xterm/headless';
import { onUse } from '../../../../platform/on-use.ts';
import {
  EMULATOR_FRESH_BYTES,
  EMULATOR_IDLE_MS,
  EMULATOR_PIECE,
  EMULATOR_SLICE_MS,
  EMULATOR_STALE_BYTES,
  EMULATOR_STEP_COST,
  EMULATORS_AT_ONCE,
  MAX_EMULATED_CELLS,
  MAX_EMULATOR_QUEUE,
} from '../../../limits.ts';
import { FairTurns } from './fair-turns.ts';
import { Given } from './given.ts';
import { slimTerminal, writeAtOnce } from './slim-terminal.ts';

const library = onUse<typeof xterm>('@xterm/headless');

const SCROLLBACK = 300;
/** Sequences whose number tells how often something is done: repeat, insert and delete lines, scroll, tabs. Unchecked, one of them can run for an hour. */
const REPEATING = { rows: ['L', 'M', 'S', 'T'], cols: ['b', 'I', 'Z'] } as const;

/** All emulators of this process. */
const turns = new FairTurns(EMULATORS_AT_ONCE);

interface Work {
  readonly data: Buffer | string;
  readonly done: (() => void) | undefined;
  /** What it counts for while it waits. */
  readonly cost: number;
}

/**
 * A terminal emulator that is given its work in small pieces, counts what waits, and shares the processor with those of other sessions. Most sessions are idle: after a while without
 * work the emulator is put away, and made again when somebody needs it.
 */
export class Emulator {
  private awake: xterm.Terminal | undefined;
  private readonly given: Given;
  private readonly idle: NodeJS.Timeout;
  private readonly queue: Work[] = [];
  private queued = 0;
  private interpreted = 0;
  private working = false;
  private behind = false;
  private disposed = false;
  private readonly onDrain: () => void;

  constructor(cols: number, rows: number, onDrain: () => void) {
    this.onDrain = onDrain;
    this.given = new Given(cols, rowsFor(cols, rows));
    this.idle = setTimeout(() => this.sleep(), EMULATOR_IDLE_MS);
    this.idle.unref();
  }

  /** The screen as it is now. To be asked for at each use: the next look may be at another one. */
  get terminal(): xterm.Terminal {
    this.awake ??= this.make();
    return this.awake;
  }

  /** Whether there is only what it was given, and no emulator. */
  get isAsleep(): boolean {
    return this.awake === undefined;
  }

  /** Puts the emulator away, unless it works, is on its second screen, or something holds on to a place on its screen. */
  sleep(): void {
    const { awake, given } = this;
    if (!awake || this.working || this.queue.length > 0 || !given.isWhole) return;
    if (awake.buffer.active.type !== 'normal' || awake.markers.length > 0) return;
    given.trim();
    awake.dispose();
    this.awake = undefined;
  }

  private make(): xterm.Terminal {
    // What a target sends is no matter for our log, and it must not fill it.
    const terminal = new (library().Terminal)({
      ...this.given.firstSize,
      scrollback: SCROLLBACK,
      allowProposedApi: true,
      logLevel: 'off',
    });
    for (const side of ['rows', 'cols'] as const) {
      // A handler that says true has dealt with the sequence: one with a count beyond the screen is left out.
      for (const final of REPEATING[side])
        terminal.parser.registerCsiHandler({ final }, ([count]) => Number(count) > terminal[side]);
    }
    slimTerminal(terminal);
    this.idle.refresh();
    this.given.replay(
      (data) => writeAtOnce(terminal, data),
      (cols, rows) => terminal.resize(cols, rows),
    );
    return terminal;
  }

  /** Whether so much waits that the target and the person should not be read until `onDrain`. */
  get isBehind(): boolean {
    return this.behind;
  }

  /** Interprets output, in order; `done` is called when its effect can be seen. */
  write(data: Buffer | string, done?: () => void): void {
    for (let from = 0; from < data.length; from += EMULATOR_PIECE) {
      const to = Math.min(from + EMULATOR_PIECE, data.length);
      // A piece of a buffer is a view of it; nothing is copied.
      this.add({
        data: typeof data === 'string' ? data.slice(from, to) : data.subarray(from, to),
        done: to === data.length ? done : undefined,
        cost: to - from,
      });
    }
    this.interpreted += data.length;
  }

  /** Runs something when all that was written before has been interpreted. `cost` tells how many bytes it works on. */
  step(done: () => void, cost = 0): void {
    this.add({ data: '', done, cost });
  }

  resize(cols: number, rows: number): void {
    this.terminal.resize(cols, rowsFor(cols, rows));
    this.given.resize(cols, rowsFor(cols, rows));
  }

  /** Forgets the screen when it may hold more than it shows, such as characters of a thousand accents. */
  refresh(isSafe: boolean): void {
    if (this.interpreted < (isSafe ? EMULATOR_FRESH_BYTES : EMULATOR_STALE_BYTES)) return;
    this.interpreted = 0;
    this.given.forget();
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
    this.behind ||= this.queued > MAX_EMULATOR_QUEUE;
    this.begin();
  }

  private done({ cost, done }: Work): void {
    done?.();
    this.queued -= cost + EMULATOR_STEP_COST;
    if (!this.behind || this.queued > MAX_EMULATOR_QUEUE / 2) return;
    this.behind = false;
    this.onDrain();
  }

  private begin(): void {
    if (this.working) return;
    this.working = true;
    turns.request(() => this.work(performance.now()));
  }

  private work(since: number): void {
    const next = this.queue.shift();
    if (!next) {
      this.rest();
      return;
    }
    // The emulator goes on inside of one call as long as it is given more before it returns.
    const { terminal } = this;
    this.given.add(next.data);
    terminal.write(next.data, () => {
      this.done(next);
      if (this.disposed || performance.now() - since >= EMULATOR_SLICE_MS) this.rest();
      else this.work(since);
    });
  }

  private rest(): void {
    turns.release();
    // Others have their turn first.
    setImmediate(() => {
      this.working = false;
      if (!this.disposed) this.idle.refresh();
      if (this.queue.length > 0 && !this.disposed) this.begin();
    });
  }
}

function rowsFor(cols: number, rows: number): number {
  return Math.max(2, Math.min(rows, Math.floor(MAX_EMULATED_CELLS / cols)));
}
