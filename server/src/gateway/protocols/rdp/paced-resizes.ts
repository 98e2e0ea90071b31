import type { ScreenSize } from '@sallyport/rdp';

/** Pause between requests for another size. */
const RESIZE_MS = 250;

/** Each size costs the server a new picture, so a moving window edge asks now and then. */
export class PacedResizes {
  readonly #resize: (size: ScreenSize) => void;
  #size: ScreenSize | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(resize: (size: ScreenSize) => void) {
    this.#resize = resize;
  }

  /** Asks for the last size after a pause. */
  request(size: ScreenSize): void {
    this.#size = size;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#size) this.#resize(this.#size);
    }, RESIZE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
