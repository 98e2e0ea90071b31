import { countUntil } from '../count-until.ts';
import { RecordingError } from '../recording.ts';
import type { DesktopRecording } from './desktop-recording.ts';
import { partsOf } from './parts.ts';
import type { RecordedPicture, RecordedPictureMaker } from './recorded-picture.ts';

/** A moment that needs more bytes than this is not drawn: the player may take its time, a picture may not. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Shows single moments of a recorded desktop in an element. */
export class StillDesktop {
  readonly #recording: DesktopRecording;
  readonly #picture: RecordedPicture;
  /** Drawing that goes on. */
  #work: Promise<unknown> = Promise.resolve();
  #turn = 0;
  /** Up to which piece it is drawn; null when that is not known, or nothing is. */
  #drawn: number | null = null;
  #isOver = false;

  constructor(place: HTMLElement, recording: DesktopRecording, make: RecordedPictureMaker) {
    this.#recording = recording;
    this.#picture = make(place, recording.facts);
  }

  /** Shows a second of the session; false when another one was asked for meanwhile. @throws RecordingError where it is damaged, or too much to draw */
  show(second: number): Promise<boolean> {
    const turn = ++this.#turn;
    const shown = this.#work.then(() =>
      turn === this.#turn && !this.#isOver ? this.#draw(second) : false,
    );
    this.#work = shown.catch(() => undefined);
    return shown;
  }

  /** What it is drawn on, once it is known. */
  canvas(): HTMLCanvasElement | null {
    return this.#picture.canvas();
  }

  /** Ends the picture for good. */
  dispose(): void {
    this.#isOver = true;
    this.#picture.end();
  }

  async #draw(second: number): Promise<boolean> {
    const { times, events, across, shortcut, opened } = this.#recording;
    const until = countUntil(times, second);
    if (until === this.#drawn) return true;
    const change = this.#drawn === null ? undefined : across(this.#drawn, until);
    const pieces = (change ?? shortcut(until)).flatMap((index) => {
      const event = events[index];
      return event?.kind === 'output' ? [event.text] : [];
    });
    if (pieces.reduce((sum, { length }) => sum + length, 0) > MOST_BYTES)
      throw new RecordingError('too_large');
    this.#drawn = null;
    if (!change) this.#picture.reset();
    const { parts } = await partsOf(pieces, opened);
    if (this.#isOver) return false;
    await this.#picture.draw(parts);
    this.#drawn = until;
    return !this.#isOver;
  }
}
