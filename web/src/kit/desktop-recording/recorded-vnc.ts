import type { DesktopFacts } from '@sallyport/contract';
import { markDesktop } from '../watermark/watermark.ts';
import { Pixels } from './pixels.ts';
import {
  fittedArea,
  joined,
  type PictureArea,
  type PicturePart,
  type RecordedPicture,
} from './recorded-picture.ts';
import { VncPainter } from './vnc-painter.ts';

/** Milliseconds of drawing before yielding to the event loop. */
const TURN_MS = 40;

/**
 * Draws a VNC recording in memory and copies the result to the screen once. Canvas operations would
 * copy all pixels for every copied rectangle.
 */
export class RecordedVnc implements RecordedPicture {
  readonly #target: HTMLElement;
  readonly #facts: DesktopFacts;
  readonly #canvas = document.createElement('canvas');
  readonly #pixels: Pixels;
  #painter: VncPainter;
  /** Parts of an incomplete message. */
  #begun: Uint8Array<ArrayBuffer>[] = [];

  constructor(target: HTMLElement, facts: DesktopFacts) {
    this.#target = target;
    this.#facts = facts;
    this.#pixels = new Pixels(facts.width, facts.height);
    this.#painter = new VncPainter(this.#pixels);
    this.#canvas.style.cssText = 'display:block;width:100%;height:100%;object-fit:contain';
    markDesktop(this.#canvas);
    target.append(this.#canvas);
  }

  reset(): void {
    this.#pixels.clear(this.#facts.width, this.#facts.height);
    this.#painter = new VncPainter(this.#pixels);
    this.#begun = [];
  }

  async draw(parts: readonly PicturePart[]): Promise<void> {
    const painter = this.#painter;
    const messages = this.#messagesOf(parts).map((message) => ({
      message,
      opening: painter.prepare(message),
    }));
    // Each promise is awaited in turn; this prevents an unhandled rejection before that.
    for (const { opening } of messages) opening?.catch(() => undefined);
    let since = performance.now();
    for (const { message, opening } of messages) {
      const opened = await opening;
      // The picture was restarted in the meantime.
      if (painter !== this.#painter) return;
      painter.draw(message, opened);
      if (performance.now() - since < TURN_MS) continue;
      await new Promise((done) => setTimeout(done));
      since = performance.now();
    }
    this.#pixels.show(this.#canvas);
  }

  area(): PictureArea {
    return fittedArea(this.#target, this.#pixels);
  }

  canvas(): HTMLCanvasElement {
    return this.#canvas;
  }

  end(): void {
    this.#canvas.remove();
  }

  #messagesOf(parts: readonly PicturePart[]): Uint8Array<ArrayBuffer>[] {
    const messages: Uint8Array<ArrayBuffer>[] = [];
    for (const { bytes, isWhole } of parts) {
      this.#begun.push(bytes);
      if (!isWhole) continue;
      const [only] = this.#begun;
      messages.push(only && this.#begun.length === 1 ? only : joined(this.#begun));
      this.#begun = [];
    }
    return messages;
  }
}
