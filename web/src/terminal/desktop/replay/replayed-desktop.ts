import {
  type DesktopPiece,
  type DesktopRecording,
  type OpenedBlocks,
  partsOf,
} from '../../../kit/desktop-recording/desktop-recording.ts';
import type {
  RecordedPicture,
  RecordedPictureMaker,
} from '../../../kit/desktop-recording/recorded-picture.ts';
import type { ReplayScreen } from '../../replay/replay-state.ts';
import { PointerMark } from '../pointer-mark.ts';

interface DesktopOptions {
  readonly make: RecordedPictureMaker;
  /** The style class of the pointer. */
  readonly markClass: string;
  readonly failed: () => void;
}

/** Shows a recorded desktop with its pointer. */
export class ReplayedDesktop implements ReplayScreen<DesktopPiece> {
  readonly #picture: RecordedPicture;
  readonly #mark: PointerMark;
  readonly #failed: () => void;
  readonly #opened: OpenedBlocks;
  #ended = false;

  constructor(
    place: HTMLElement,
    { facts, opened }: DesktopRecording,
    { make, markClass, failed }: DesktopOptions,
  ) {
    this.#opened = opened;
    this.#failed = failed;
    this.#picture = make(place, facts);
    this.#mark = new PointerMark(place, markClass, () => this.#picture.area());
  }

  reset(): void {
    this.#picture.reset();
    this.#mark.hide();
  }

  /** Does nothing: the recorded frames contain the changes of size. */
  resize(): void {}

  write(pieces: readonly DesktopPiece[], done: () => void): void {
    this.#show(pieces).then(
      () => {
        if (!this.#ended) done();
      },
      () => {
        if (!this.#ended) this.#failed();
      },
    );
  }

  /** Removes everything. */
  end(): void {
    this.#ended = true;
    this.#picture.end();
    this.#mark.end();
  }

  async #show(pieces: readonly DesktopPiece[]): Promise<void> {
    const { parts, pointer } = await partsOf(pieces, this.#opened);
    if (this.#ended) return;
    await this.#picture.draw(parts);
    if (!pointer || this.#ended) return;
    const view = new DataView(pointer.buffer, pointer.byteOffset, pointer.byteLength);
    this.#mark.move(view.getUint16(0, true), view.getUint16(2, true));
  }
}
