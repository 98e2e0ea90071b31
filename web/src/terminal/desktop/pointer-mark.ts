import type { PictureArea } from '../../kit/desktop-recording/recorded-picture.ts';

/**
 * Draws the pointer of a desktop over its picture: servers leave the pointer to the viewer.
 */
export class PointerMark {
  readonly #place: HTMLElement;
  readonly #area: () => PictureArea | null;
  readonly #mark = document.createElement('div');
  /** A resize of the window or a side panel moves the picture, which is drawn in the next frame. */
  readonly #resized = new ResizeObserver(() =>
    requestAnimationFrame(() => requestAnimationFrame(() => this.#draw())),
  );
  #at: readonly [x: number, y: number] | undefined;

  /** `area` returns the current area of the picture. */
  constructor(place: HTMLElement, className: string, area: () => PictureArea | null) {
    this.#place = place;
    this.#area = area;
    this.#mark.className = className;
    this.#mark.dataset.pointer = '';
    this.#mark.hidden = true;
    place.append(this.#mark);
    this.#resized.observe(place);
  }

  /** Moves to a pixel of the desktop. */
  move(x: number, y: number): void {
    this.#at = [x, y];
    this.#draw();
  }

  #draw(): void {
    const area = this.#at && this.#area();
    if (!area || !this.#at) return;
    const [x, y] = this.#at;
    const around = this.#place.getBoundingClientRect();
    this.#mark.hidden = false;
    this.#mark.style.left = `${area.left - around.left + x * area.scale}px`;
    this.#mark.style.top = `${area.top - around.top + y * area.scale}px`;
  }

  /** Hides the mark: the position is unknown. */
  hide(): void {
    this.#at = undefined;
    this.#mark.hidden = true;
  }

  end(): void {
    this.#at = undefined;
    this.#resized.disconnect();
    this.#mark.remove();
  }
}
