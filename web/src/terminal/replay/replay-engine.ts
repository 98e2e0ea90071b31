import { countUntil, type KeyFrame, type Playable } from '../../kit/recording/playable.ts';
import { Emitter } from '../connection/emitter.ts';
import { type Measured, MOST, plannedSeek } from './planned-seek.ts';
import type { NextFrame, ReplayScreen, ReplayState } from './replay-state.ts';
import { IDLE_LIMIT_SECONDS, Timeline } from './timeline.ts';

export const SPEEDS = [0.5, 1, 1.5, 2, 4, 8] as const;

/** Characters or bytes of the first picture. */
const FIRST = 8 * 1024;

/**
 * Maximum extra length of a step after a slow one. A screen that is slower still delays the clock.
 */
const LONGEST_STEP_SECONDS = 0.2;

/**
 * Plays a recording on a screen, with one clock and one position in the events. A seek back, or far
 * forward, draws only the events that its target needs.
 */
export class ReplayEngine<Piece extends Measured = Measured> extends Emitter<{
  readonly change: ReplayState;
}> {
  readonly #recording: Playable<Piece>;
  readonly #screen: ReplayScreen<Piece>;
  readonly #nextFrame: NextFrame;
  #timeline: Timeline;
  #state: ReplayState;
  #drawn = 0;
  /** Events left to draw of a seek or a step, and the index where it ends. */
  #jump: {
    readonly events: readonly number[];
    next: number;
    readonly until: number;
    readonly isAcross: boolean;
    hasBegun: boolean;
  } | null = null;
  #busy = false;
  #target: number | null = null;
  /** Second of the session that a seek waits for, and the lead before it. */
  #awaited: { readonly second: number; readonly lead: number } | null = null;
  #lastFrame: number | null = null;
  /** Seconds that passed while the screen was drawing a step. */
  #behind = 0;
  #ended = false;

  constructor(
    recording: Playable<Piece>,
    screen: ReplayScreen<Piece>,
    nextFrame: NextFrame = (callback) => void requestAnimationFrame(callback),
  ) {
    super();
    this.#recording = recording;
    this.#screen = screen;
    this.#nextFrame = nextFrame;
    this.#timeline = this.#timelineOf(true);
    this.#state = {
      playing: false,
      seeking: false,
      loading: !recording.isComplete,
      position: 0,
      duration: this.#timeline.duration,
      speed: 1,
      skipIdle: true,
    };
    screen.reset(recording.cols, recording.rows);
  }

  /** Returns the state; the same object until the state changes. */
  readonly snapshot = (): ReplayState => this.#state;

  /** Notifies of every change. */
  readonly subscribe = (listener: () => void): (() => void) => this.on('change', listener);

  get timeline(): Timeline {
    return this.#timeline;
  }

  #change(part: Partial<ReplayState>): void {
    if (this.#ended) return;
    this.#state = { ...this.#state, ...part };
    this.emit('change', this.#state);
  }

  /** Plays from the current position, or from the start after the end. */
  play(): void {
    if (this.#state.playing || this.#ended) return;
    if (this.#state.position >= this.#state.duration) this.seek(0);
    this.#lastFrame = null;
    this.#behind = 0;
    this.#change({ playing: true });
    this.#nextFrame(this.#frame);
  }

  pause(): void {
    this.#change({ playing: false });
  }

  readonly #frame = (now: number): void => {
    if (!this.#state.playing || this.#ended) return;
    const passed = this.#lastFrame === null ? 0 : (now - this.#lastFrame) / 1000;
    this.#lastFrame = now;
    if (!this.#busy && this.#target === null) {
      const step = passed + this.#behind;
      this.#behind = 0;
      this.#advance(step * this.#state.speed);
    } else if (this.#target === null && this.#recording.between) {
      // Output that is painted over within a step costs nothing. A longer step therefore takes the
      // same time to draw.
      this.#behind = Math.min(this.#behind + passed, LONGEST_STEP_SECONDS);
    }
    // Otherwise the clock waits for the screen: a slow machine skips no output.
    this.#nextFrame(this.#frame);
  };

  #advance(seconds: number): void {
    const position = Math.min(this.#state.position + seconds, this.#state.duration);
    this.#change({ position, playing: this.#state.loading || position < this.#state.duration });
    const until = countUntil(this.#timeline.shown, position);
    if (until <= this.#drawn) return;
    if (this.#recording.between) this.#drawStep(this.#recording.between(this.#drawn, until), until);
    else this.#draw(until);
  }

  /** Draws the output that is still visible at the end of a step. */
  #drawStep(events: readonly number[], until: number): void {
    if (events.length === 0) {
      this.#drawn = until;
      return;
    }
    this.#jump = { events, next: 0, until, isAcross: true, hasBegun: false };
    this.#drawJump();
  }

  /**
   * Seeks to a second of playing time. While a seek is being drawn, only the latest request counts.
   */
  seek(position: number): void {
    this.#awaited = null;
    const target = Math.min(Math.max(position, 0), this.#state.duration);
    this.#target = countUntil(this.#timeline.shown, target);
    this.#behind = 0;
    this.#change({ position: target, seeking: true });
    if (!this.#busy) this.#towardsTarget();
  }

  /**
   * Seeks to `lead` seconds of playing time before a second of the session, as soon as that second
   * has loaded.
   */
  seekToSecond(second: number, lead = 0): void {
    if (this.#recording.isComplete || second <= this.#recording.duration) {
      this.seek(this.#timeline.toShown(second) - lead);
      return;
    }
    this.#awaited = { second, lead };
    this.#change({ seeking: true });
  }

  /** Takes the events that were loaded since the last call. */
  grow(): void {
    const { skipIdle } = this.#state;
    this.#timeline = this.#timelineOf(skipIdle);
    this.#change({ duration: this.#timeline.duration, loading: !this.#recording.isComplete });
    if (this.#awaited) this.seekToSecond(this.#awaited.second, this.#awaited.lead);
  }

  #timelineOf(skipIdle: boolean): Timeline {
    return new Timeline(this.#recording.times, skipIdle ? IDLE_LIMIT_SECONDS : null);
  }

  #towardsTarget(): void {
    if (this.#target === null || this.#ended) return;
    const until = this.#target;
    const seek = plannedSeek(this.#recording, this.#drawn, until);
    if (seek.keyFrame) {
      this.#drawKeyFrame(seek.keyFrame);
      return;
    }
    if (seek.reset) {
      this.#drawn = 0;
      this.#screen.reset(this.#recording.cols, this.#recording.rows);
    }
    if (seek.events) {
      this.#jump = { events: seek.events, next: 0, until, isAcross: !seek.reset, hasBegun: false };
      this.#drawJump();
      return;
    }
    if (this.#drawn < until) {
      this.#draw(until);
      return;
    }
    this.#target = null;
    this.#change({ seeking: false });
  }

  #drawKeyFrame({ cols, rows, piece, next }: KeyFrame<Piece>): void {
    this.#screen.reset(cols, rows);
    this.#busy = true;
    this.#screen.write([piece], () => {
      this.#busy = false;
      this.#drawn = next;
      this.#towardsTarget();
    });
  }

  /** Draws the next batch of a seek. A newer seek replaces it. */
  #drawJump(): void {
    const jump = this.#jump;
    if (!jump || this.#ended) return;
    // A seek based on the current picture is short, and must finish before the next one.
    if (this.#target !== jump.until && !jump.isAcross) {
      this.#jump = null;
      // The picture matches no moment, so the next seek starts from an empty screen.
      this.#drawn = Number.MAX_SAFE_INTEGER;
      this.#towardsTarget();
      return;
    }
    const pieces: Piece[] = [];
    for (let length = 0; jump.next < jump.events.length && length < MOST; jump.next++) {
      const event = this.#recording.events[jump.events[jump.next] ?? 0];
      if (event?.kind !== 'output') continue;
      pieces.push(event.text);
      length += event.text.length;
    }
    // Write an empty batch once: before the first picture of a recording nothing is visible.
    if (pieces.length === 0 && jump.hasBegun) {
      this.#jump = null;
      this.#drawn = jump.until;
      this.#towardsTarget();
      return;
    }
    jump.hasBegun = true;
    this.#busy = true;
    this.#screen.write(pieces, () => {
      this.#busy = false;
      this.#drawJump();
    });
  }

  /**
   * Draws events up to an index in batches. A batch ends at a resize, and where events must be read
   * into memory; the next one starts when the screen has drawn it.
   */
  #draw(until: number): void {
    const pieces: Piece[] = [];
    let length = 0;
    const most = this.#drawn > 0 || this.#target !== null ? MOST : FIRST;
    while (this.#drawn < until && length < most) {
      const event = this.#recording.events[this.#drawn];
      if (!event || (event.kind === 'resize' && pieces.length > 0)) break;
      if (event.kind === 'resize') this.#screen.resize(event.cols, event.rows);
      else {
        pieces.push(event.text);
        length += event.text.length;
      }
      this.#drawn += 1;
    }
    const drawOn = () => {
      this.#busy = false;
      if (this.#ended) return;
      if (this.#target !== null) this.#towardsTarget();
      else if (this.#drawn < until) this.#draw(until);
    };
    if (pieces.length > 0) {
      this.#busy = true;
      // The first picture of a flood is visible before more is drawn.
      const isFirst = most === FIRST && length >= most;
      this.#screen.write(pieces, isFirst ? () => this.#nextFrame(drawOn) : drawOn);
      return;
    }
    const reading = this.#drawn < until ? this.#recording.read?.(this.#drawn) : undefined;
    if (reading) {
      this.#busy = true;
      reading.then(drawOn, () => this.end());
    } else if (this.#target !== null) this.#towardsTarget();
  }

  setSpeed(speed: number): void {
    this.#change({ speed });
  }

  /** Shortens long pauses, or restores them. The second of the session stays the same. */
  setSkipIdle(skipIdle: boolean): void {
    const real = this.#timeline.toReal(this.#state.position);
    this.#timeline = this.#timelineOf(skipIdle);
    this.#change({
      skipIdle,
      duration: this.#timeline.duration,
      position: this.#timeline.toShown(real),
    });
  }

  /** Stops permanently. */
  end(): void {
    this.#change({ playing: false });
    this.#ended = true;
  }
}
