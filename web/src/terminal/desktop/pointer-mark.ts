import type { PictureArea } from '../../kit/desktop-recording/picture-area.ts';

/** Shows where the pointer of a desktop is, over its picture: servers leave drawing it to the viewer. */
export class PointerMark {
  readonly #place: HTMLElement;
  readonly #area: () => PictureArea | null;
  readonly #mark = document.createElement('div');

  /** `area` says where the picture is at a moment. */
  constructor(place: HTMLElement, className: string, area: () => PictureArea | null) {
    this.#place = place;
    this.#area = area;
    this.#mark.className = className;
    this.#mark.hidden = true;
    place.append(this.#mark);
  }

  /** Moves to a pixel of the desktop. */
  move(x: number, y: number): void {
    const area = this.#area();
    if (!area) return;
    const around = this.#place.getBoundingClientRect();
    this.#mark.hidden = false;
    this.#mark.style.left = `${area.left - around.left + x * area.scale}px`;
    this.#mark.style.top = `${area.top - around.top + y * area.scale}px`;
  }

  /** Nobody knows where it is. */
  hide(): void {
    this.#mark.hidden = true;
  }

  end(): void {
    this.#mark.remove();
  }
}
