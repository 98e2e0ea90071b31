import type { DesktopFacts } from '@sallyport/contract';
import type { PictureArea } from '../picture.ts';
import { RdpPicture } from '../rdp-picture.ts';
import type { PicturePart, RecordedPicture } from './recorded-picture.ts';

/** Draws a recorded desktop of RDP, by what draws live ones; nothing but a new beginning takes it back. */
export class RecordedRdp implements RecordedPicture {
  readonly #target: HTMLElement;
  readonly #facts: DesktopFacts;
  #picture: RdpPicture | null = null;

  constructor(target: HTMLElement, facts: DesktopFacts) {
    this.#target = target;
    this.#facts = facts;
  }

  reset(): void {
    this.end();
    this.#picture = new RdpPicture(this.#target, this.#facts, {});
  }

  draw(parts: readonly PicturePart[]): Promise<void> {
    const picture = this.#picture;
    if (!picture) return Promise.resolve();
    for (const { bytes } of parts) picture.receive(bytes);
    return new Promise((done) => picture.whenDrawn(done));
  }

  area(): PictureArea | null {
    return this.#picture?.area() ?? null;
  }

  end(): void {
    this.#picture?.end();
    this.#picture = null;
  }
}
