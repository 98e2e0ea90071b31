import { type FramePart, FrameReader } from '@sallyport/contract/zmodem/frame-reader.ts';
import { ENDS, encodeData, encodeHeader, type Format } from '@sallyport/contract/zmodem/frames.ts';
import type { Output } from '../connection/output.ts';
import type { TransferLine } from '../connection/transfer-line.ts';

export type Part = Extract<FramePart, { kind: 'header' | 'data' }>;

/** The transfer has ended at the other side, or the connection is lost. */
export class TransferEnded extends Error {}

/** Reads and writes the ZMODEM frames of a transfer. */
export class FrameLink {
  readonly #line: Pick<TransferLine, 'next' | 'send'>;
  readonly #reader = new FrameReader();
  #current: Output | undefined;

  constructor(line: Pick<TransferLine, 'next' | 'send'>) {
    this.#line = line;
  }

  /**
   * Returns the next header or subpacket. Confirms bytes once they are used, so that the gateway
   * waits for a slow disk. @throws TransferEnded
   */
  async next(): Promise<Part> {
    for (;;) {
      const part = this.#current && this.#reader.next();
      if (part?.kind === 'header' || part?.kind === 'data') return part;
      if (part) throw new TransferEnded();
      this.#current?.drawn();
      this.#current = await this.#line.next();
      if (!this.#current) throw new TransferEnded();
      this.#reader.feed(this.#current.bytes);
    }
  }

  header(type: number, value = 0, format: Format = 'hexadecimal'): void {
    this.send(encodeHeader({ format, type, value }));
  }

  send(...frames: Uint8Array[]): void {
    this.#line.send(joined(frames));
  }
}

/** A header in the format that carries subpackets. */
export const dataHeader = (type: number, value = 0): Uint8Array =>
  encodeHeader({ format: 'binary32', type, value });

/** A subpacket; `isAnswered` ends the frame and asks for an answer. */
export const subpacket = (content: Uint8Array, isAnswered: boolean): Uint8Array =>
  encodeData(content, isAnswered ? ENDS.frameAnswer : ENDS.more, true);

/** True for a subpacket after which the sender waits. */
export const asksForAnswer = (end: number): boolean =>
  end === ENDS.moreAnswer || end === ENDS.frameAnswer;

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
