import { RECORD } from '@sallyport/contract';
import type { ReplayScreen } from '../../replay/replay-engine.ts';
import { PointerMark } from '../pointer-mark.ts';
import type { DesktopPiece, DesktopRecording } from './desktop-recording.ts';
import type { PicturePart, RecordedPicture, RecordedPictureMaker } from './recorded-picture.ts';

/** Opened blocks are kept up to so many bytes: a jump back often needs those that were just shown. */
const OPENED_MOST = 64 * 1024 * 1024;

/** Shows a recorded desktop: its picture, and where the pointer is. */
export class ReplayedDesktop implements ReplayScreen<DesktopPiece> {
  readonly #recording: DesktopRecording;
  readonly #picture: RecordedPicture;
  readonly #mark: PointerMark;
  readonly #failed: () => void;
  /** In the order of their last use. */
  readonly #opened = new Map<number, Uint8Array<ArrayBuffer>>();
  #openedBytes = 0;
  #ended = false;

  constructor(place: HTMLElement, recording: DesktopRecording, make: RecordedPictureMaker, markClass: string, failed: () => void) {
    this.#recording = recording;
    this.#failed = failed;
    this.#picture = make(place, recording.facts);
    this.#mark = new PointerMark(place, markClass, () => this.#picture.area());
  }

  reset(): void {
    this.#picture.reset();
    this.#mark.hide();
  }

  /** A desktop's frames say themselves that its size changes. */
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

  /** Takes everything away for good. */
  end(): void {
    this.#ended = true;
    this.#picture.end();
    this.#mark.end();
  }

  async #show(pieces: readonly DesktopPiece[]): Promise<void> {
    const blocks = await this.#open(new Set(pieces.map(({ block }) => block)));
    if (this.#ended) return;
    const parts: PicturePart[] = [];
    let pointer: Uint8Array | undefined;
    for (const { kind, block, from, length } of pieces) {
      const bytes = blocks.get(block)?.subarray(from, from + length);
      if (!bytes) continue;
      if (kind === RECORD.pointer && length >= 4) pointer = bytes;
      else if (kind === RECORD.picture || kind === RECORD.part) parts.push({ bytes, isWhole: kind === RECORD.picture });
    }
    await this.#picture.draw(parts);
    if (!pointer || this.#ended) return;
    const view = new DataView(pointer.buffer, pointer.byteOffset, pointer.byteLength);
    this.#mark.move(view.getUint16(0, true), view.getUint16(2, true));
  }

  /** Opens blocks, all of them at once. */
  async #open(wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, Uint8Array<ArrayBuffer>>> {
    const blocks = new Map(
      await Promise.all([...wanted].map(async (block) => [block, this.#opened.get(block) ?? (await this.#recording.open(block))] as const)),
    );
    for (const [block, bytes] of blocks) {
      if (this.#opened.delete(block)) this.#openedBytes -= bytes.length;
      this.#opened.set(block, bytes);
      this.#openedBytes += bytes.length;
    }
    for (const [block, bytes] of this.#opened) {
      if (this.#openedBytes <= OPENED_MOST) break;
      this.#opened.delete(block);
      this.#openedBytes -= bytes.length;
    }
    return blocks;
  }
}
