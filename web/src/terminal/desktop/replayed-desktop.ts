import { RECORD } from '@sallyport/contract';
import type { ReplayScreen } from '../replay/replay-engine.ts';
import type { DesktopPiece, DesktopRecording } from './desktop-recording.ts';
import type { Picture, PictureMaker } from './picture.ts';
import { PointerMark } from './pointer-mark.ts';

/** Shows a recorded desktop: each jump back begins with a new picture, since frames go on with those before. */
export class ReplayedDesktop implements ReplayScreen<DesktopPiece> {
  readonly #place: HTMLElement;
  readonly #recording: DesktopRecording;
  readonly #make: PictureMaker;
  readonly #markClass: string;
  readonly #failed: () => void;
  #picture: Picture | null = null;
  #mark: PointerMark | null = null;
  #opened: { readonly block: number; readonly plain: Promise<Uint8Array<ArrayBuffer>> } | null = null;
  /** Whether what was shown ends with a whole message. */
  #isWhole = true;
  #ended = false;

  constructor(place: HTMLElement, recording: DesktopRecording, make: PictureMaker, markClass: string, failed: () => void) {
    this.#place = place;
    this.#recording = recording;
    this.#make = make;
    this.#markClass = markClass;
    this.#failed = failed;
  }

  reset(): void {
    this.#clear();
    this.#picture = this.#make(this.#place, this.#recording.facts, {});
    this.#mark = new PointerMark(this.#place, this.#markClass, () => this.#picture?.area() ?? null);
    this.#isWhole = true;
  }

  /** A desktop's frames say themselves that its size changes. */
  resize(): void {}

  write(pieces: readonly DesktopPiece[], done: () => void): void {
    this.#show(pieces).then(
      () => {
        if (this.#ended) return;
        if (this.#isWhole && this.#picture) this.#picture.whenDrawn(done);
        else setTimeout(done);
      },
      () => {
        if (!this.#ended) this.#failed();
      },
    );
  }

  /** Takes everything away for good. */
  end(): void {
    this.#ended = true;
    this.#clear();
  }

  async #show(pieces: readonly DesktopPiece[]): Promise<void> {
    for (const { kind, block, from, length } of pieces) {
      if (kind === RECORD.note) continue;
      const bytes = (await this.#open(block)).subarray(from, from + length);
      if (this.#ended) return;
      if (kind === RECORD.pointer && length >= 4) {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        this.#mark?.move(view.getUint16(0, true), view.getUint16(2, true));
      } else if (kind === RECORD.picture || kind === RECORD.part) {
        this.#picture?.receive(bytes);
        this.#isWhole = kind === RECORD.picture;
      }
    }
  }

  #open(block: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#opened?.block !== block) this.#opened = { block, plain: this.#recording.open(block) };
    return this.#opened.plain;
  }

  #clear(): void {
    this.#picture?.end();
    this.#mark?.end();
    this.#picture = null;
    this.#mark = null;
    this.#place.replaceChildren();
  }
}
