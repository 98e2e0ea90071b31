import type { DesktopFacts } from '@sallyport/contract';
import type { PictureArea } from './picture-area.ts';

/** A part of a recorded picture; it ends a message or is continued. */
export interface PicturePart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isWhole: boolean;
}

/** Draws a desktop recording. */
export interface RecordedPicture {
  /** Restarts with an empty picture. */
  reset(): void;
  /** Draws further parts; resolves when they are on the screen. @throws RecordingError */
  draw(parts: readonly PicturePart[]): Promise<void>;
  /** The area of the desktop, or null before the size arrives. */
  area(): PictureArea | null;
  /** The canvas of the desktop, or null before it exists. */
  canvas(): HTMLCanvasElement | null;
  /** Removes the picture permanently. */
  end(): void;
}

/** Creates the renderer of a desktop recording in an element. */
export type RecordedPictureMaker = (target: HTMLElement, facts: DesktopFacts) => RecordedPicture;
