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
