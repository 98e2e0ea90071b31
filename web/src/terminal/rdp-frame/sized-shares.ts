import { type PictureSize, sizeOfShare } from '../../kit/rdp-frame/share-size.ts';

export interface SharesEnd {
  /** Gives IronRDP a PDU. */
  deliver(pdu: Uint8Array<ArrayBuffer>): void;
  /** The canvas has this size from now on. */
  onSize(size: PictureSize): void;
  /** Settles when IronRDP draws. */
  readonly begun: Promise<void>;
}

/**
 * Gives the canvas the size of each share after the first. IronRDP 0.7 sets the size of the first
 * one, and later only sizes that it asked for.
 */
export class SizedShares {
  readonly #canvas: HTMLCanvasElement;
  readonly #end: SharesEnd;
  #hasShare = false;
  /** A share that waits until everything before it is drawn, and the PDUs after it. */
  #held: Uint8Array<ArrayBuffer>[] | undefined;
  #change: Promise<void> = Promise.resolve();

  constructor(canvas: HTMLCanvasElement, end: SharesEnd) {
    this.#canvas = canvas;
    this.#end = end;
  }

  deliver(pdu: Uint8Array<ArrayBuffer>): void {
    if (this.#held) {
      this.#held.push(pdu);
      return;
    }
    const size = sizeOfShare(pdu);
    if (size && this.#hasShare) {
      this.#held = [pdu];
      this.#change = this.#resize(size);
      return;
    }
    this.#hasShare ||= size !== undefined;
    this.#end.deliver(pdu);
  }

  /** Settles when IronRDP has every PDU. */
  async settled(): Promise<void> {
    while (this.#held) await this.#change;
  }

  async #resize({ width, height }: PictureSize): Promise<void> {
    await this.#end.begun;
    // The library draws in microtasks, so the next task runs after all drawing.
    await new Promise((resolve) => void setTimeout(resolve));
    if (width !== this.#canvas.width || height !== this.#canvas.height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
      this.#end.onSize({ width, height });
    }
    const [first, ...others] = this.#held ?? [];
    this.#held = undefined;
    if (first) this.#end.deliver(first);
    for (const pdu of others) this.deliver(pdu);
  }
}
