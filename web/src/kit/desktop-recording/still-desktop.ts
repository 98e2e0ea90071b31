import { countUntil } from '../recording/playable.ts';
import { RecordingError } from '../recording/recording.ts';
import { type DesktopRecording, partsOf } from './desktop-recording.ts';
import type { RecordedPicture, RecordedPictureMaker } from './recorded-picture.ts';

/** Maximum bytes to draw for one moment: a still picture must load quickly. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Shows single moments of a desktop recording in an element. */
export class StillDesktop {
  readonly #recording: DesktopRecording;
  readonly #picture: RecordedPicture;
  /** The running draw operation. */
  #work: Promise<unknown> = Promise.resolve();
  #turn = 0;
  /** Number of pieces drawn so far; null if unknown or none. */
  #drawn: number | null = null;
  #isOver = false;

  constructor(place: HTMLElement, recording: DesktopRecording, make: RecordedPictureMaker) {
    this.#recording = recording;
    this.#picture = make(place, recording.facts);
  }

  /**
   * Shows a second of the session; resolves to false if another call replaced it. @throws
   * RecordingError if the recording is damaged or needs too many bytes
   */
  show(second: number): Promise<boolean> {
    const turn = ++this.#turn;
    const drawing = this.#work.then(() =>
      turn === this.#turn && !this.#isOver ? this.#draw(second) : false,
    );
    this.#work = drawing.catch(() => undefined);
    return drawing;
  }

  /** The canvas of the desktop, or null before it exists. */
  canvas(): HTMLCanvasElement | null {
    return this.#picture.canvas();
  }

  /** Removes the picture permanently. */
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
