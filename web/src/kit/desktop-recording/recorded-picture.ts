import type { DesktopFacts } from '@sallyport/contract';

/** Position of the desktop in the window and the size of its pixels. */
export interface PictureArea {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
}

/** Returns the area of a desktop that is centered in an element and keeps its aspect ratio. */
export function fittedArea(
  target: HTMLElement,
  size: { readonly width: number; readonly height: number },
): PictureArea {
  const { left, top, width, height } = target.getBoundingClientRect();
  const scale = Math.min(width / size.width, height / size.height);
  return {
    left: left + (width - size.width * scale) / 2,
    top: top + (height - size.height * scale) / 2,
    scale,
  };
}

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

/** Concatenates byte arrays into a new one. */
export function joined(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
