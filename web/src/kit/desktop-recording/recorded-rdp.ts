import type { DesktopFacts } from '@sallyport/contract';
import { t } from '../i18n/index.ts';
import { RdpView } from '../rdp-frame/rdp-view.ts';
import {
  fittedArea,
  joined,
  type PictureArea,
  type PicturePart,
  type RecordedPicture,
} from './recorded-picture.ts';
import { words } from './words.ts';

/** Draws an RDP recording with the viewer of live desktops. Only a restart can undo drawing. */
export class RecordedRdp implements RecordedPicture {
  readonly #target: HTMLElement;
  readonly #facts: DesktopFacts;
  #size: Pick<DesktopFacts, 'width' | 'height'>;
  #view: RdpView | null = null;
  /** Number of pieces that the frame has not drawn yet, and the promises that wait for them. */
  #waiting = 0;
  #drawn: (() => void)[] = [];

  constructor(target: HTMLElement, facts: DesktopFacts) {
    this.#target = target;
    this.#facts = facts;
    this.#size = facts;
  }

  reset(): void {
    this.end();
    const { width, height, name } = this.#facts;
    this.#size = this.#facts;
    const view: RdpView = new RdpView(
      this.#target,
      { width, height, isViewOnly: true, label: t(words.pictureOf, { name }) },
      {
        onBytes: () => undefined,
        onTaken: () => {
          if (this.#view === view) this.#took();
        },
        onSize: (size) => {
          if (this.#view === view) this.#size = size;
        },
        onText: () => undefined,
        onLeave: () => undefined,
      },
    );
    this.#view = view;
  }

  draw(parts: readonly PicturePart[]): Promise<void> {
    const view = this.#view;
    if (!view || parts.length === 0) return Promise.resolve();
    // Send one message: each message to the frame costs an event loop turn.
    this.#waiting += 1;
    view.push(joined(parts.map(({ bytes }) => bytes)));
    return new Promise((done) => this.#drawn.push(done));
  }

  area(): PictureArea | null {
    return this.#view && fittedArea(this.#target, this.#size);
  }

  canvas(): HTMLCanvasElement | null {
    return this.#view?.canvas() ?? null;
  }

  end(): void {
    this.#view?.close();
    this.#view = null;
    this.#waiting = 0;
    // A removed picture draws nothing more: release the waiting callers.
    for (const done of this.#drawn.splice(0)) done();
  }

  #took(): void {
    this.#waiting--;
    if (this.#waiting === 0) for (const done of this.#drawn.splice(0)) done();
  }
}
