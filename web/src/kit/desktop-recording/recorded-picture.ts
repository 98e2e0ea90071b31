import type { DesktopFacts } from '@sallyport/contract';
import type { PictureArea } from './picture-area.ts';

/** A part of a recording's picture, which ends a message or goes on. */
export interface PicturePart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isWhole: boolean;
}

/** Draws a recorded desktop. */
export interface RecordedPicture {
  /** Begins again, with nothing drawn. */
  reset(): void;
  /** Draws parts behind those before; they are on the screen when it is done. @throws RecordingError */
  draw(parts: readonly PicturePart[]): Promise<void>;
  /** Where the desktop's pixels are, once it is known. */
  area(): PictureArea | null;
  /** What the pixels of the desktop are drawn on, once it is known. */
  canvas(): HTMLCanvasElement | null;
  /** Takes the picture away for good. */
  end(): void;
}

/** Makes what draws a recorded desktop in an element. */
export type RecordedPictureMaker = (target: HTMLElement, facts: DesktopFacts) => RecordedPicture;
