import type { Duplex } from 'node:stream';
import { type FairTurns, Rest, sessionTurns } from '../../platform/fair-turns.ts';
import { DESKTOP_READ_MS } from '../limits.ts';

/** Shared by all desktops of this process. */
const turns = sessionTurns.lane();

/** Callbacks of paced reads. */
interface PacedActions {
  read(message: Buffer): void;
  /** Called after the messages of a turn. */
  onTurn?(): void;
}

/**
 * Reads the messages of a stream for a short time in each turn of the event loop, and in turn with
 * other sessions: a few bytes of a picture can take long to decode. The stream pauses until all are
 * read.
 */
export class PacedReads {
  readonly #stream: Pick<Duplex, 'pause' | 'resume'>;
  readonly #actions: PacedActions;
  readonly #turns: FairTurns;
  readonly #rest = new Rest();
  #waiting: Buffer[] = [];
  #isQueued = false;
  #isPaused = false;
  #isOver = false;
  #whenRead: (() => void) | undefined;

  constructor(
    stream: Pick<Duplex, 'pause' | 'resume'>,
    actions: PacedActions,
    shared: FairTurns = turns,
  ) {
    this.#stream = stream;
    this.#actions = actions;
    this.#turns = shared;
  }

  push(messages: readonly Buffer[]): void {
    const isUrgent = this.#rest.interrupt(this.#turns.now());
    for (const message of messages) this.#waiting.push(message);
    if (this.#isQueued || this.#isPaused || this.#waiting.length === 0) return;
    if (this.#turns.isFree) this.#turns.measure(this.#work);
    else this.#queue(isUrgent);
  }

  /** Leaves the messages that wait unread, and the stream, until `resume`. */
  pause(): void {
    this.#isPaused = true;
    this.#stream.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#isQueued) return;
    if (this.#waiting.length > 0) this.#queue();
    else this.#stream.resume();
  }

  /**
   * Calls `done` once the messages so far are read; at once if none waits, or while reading is
   * paused.
   */
  after(done: () => void): void {
    if (this.#waiting.length === 0 || this.#isPaused) done();
    else this.#whenRead = done;
  }

  /** Drops the messages that wait. */
  end(): void {
    this.#isOver = true;
    this.#waiting = [];
  }

  #queue(isUrgent = false): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    this.#stream.pause();
    this.#turns.request(this.#work, isUrgent);
  }

  readonly #work = (): void => {
    const wasQueued = this.#isQueued;
    this.#isQueued = false;
    if (this.#isPaused || this.#isOver) return;
    this.#rest.interrupt(this.#turns.now());
    const until = performance.now() + DESKTOP_READ_MS;
    const messages = this.#waiting;
    let done = 0;
    while (done < messages.length && !this.#isPaused) {
      const message = messages[done];
      done += 1;
      if (message) this.#actions.read(message);
      if (performance.now() >= until) break;
    }
    this.#waiting = this.#isOver ? [] : messages.slice(done);
    this.#actions.onTurn?.();
    if (this.#isOver) return;
    if (this.#waiting.length === 0 || this.#isPaused) this.#whenRead?.();
    if (this.#isPaused || this.#isOver) return;
    if (this.#waiting.length > 0) this.#queue();
    else if (wasQueued) this.#stream.resume();
  };
}
